"""Certified margins: enclosures of by how much a claim holds, and the verdicts that follow."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypedDict, Unpack

from verify.certify.balls import Ball, ceil_float, floor_float
from verify.certify.search import Extreme
from verify.claim import Vacuous, Verdict

if TYPE_CHECKING:
    from verify.certify.evidence import Evidence


class Witness(TypedDict, total=False):
    """Where the worst case sits, and what a reader should know besides."""

    neuron: int | None
    label: int | None
    t: float
    note: str


@dataclass(frozen=True)
class CertifiedMargin:
    """The margin of a claim lies between ``low`` and ``high``, which are rounded outwards.

    ``scale``: ``"nats"`` or ``"relative"``, as for :class:`verify.claim.Margin`. ``sharpens``: whether more bits narrow
    it.
    """

    low: float
    high: float
    scale: str
    neuron: int | None = None
    label: int | None = None
    t: float = math.nan
    note: str = ""
    sharpens: bool = True

    @property
    def verdict(self) -> Verdict:
        """HOLDS where all of the margin is positive, FAILS where all of it is negative, UNRESOLVED elsewhere."""
        if self.low > 0:
            return Verdict.HOLDS
        return Verdict.FAILS if self.high < 0 else Verdict.UNRESOLVED


Measurement = Callable[["Evidence"], CertifiedMargin | Vacuous]
"""Measures a claim on one problem."""


def power(quantity: Ball, bound_log: Ball, **witness: Unpack[Witness]) -> CertifiedMargin:
    """ln(bound) − ln(quantity) in nats, of a quantity that is not negative."""
    if not quantity.is_finite():
        return open_question("no enclosure of the quantity", "nats")
    low, high = quantity.lower(), quantity.upper()
    return CertifiedMargin(
        floor_float(bound_log - high.log()) if high > 0 else math.inf,
        ceil_float(bound_log - low.log()) if low > 0 else math.inf,
        "nats",
        **witness,
    )


def power_of(extreme: Extreme, bound_log: Ball) -> CertifiedMargin:
    """The same of a largest value over time."""
    return power(extreme.value, bound_log, t=extreme.t)


def slack(value: Ball, scale: str = "relative", **witness: Unpack[Witness]) -> CertifiedMargin:
    """A margin that is measured as it stands."""
    if not value.is_finite():
        return open_question("no enclosure of the margin", scale)
    return CertifiedMargin(floor_float(value), ceil_float(value), scale, **witness)


def open_question(note: str, scale: str = "relative") -> CertifiedMargin:
    """A margin of which nothing is known."""
    return CertifiedMargin(-math.inf, math.inf, scale, note=note, sharpens=False)


def smaller(*margins: CertifiedMargin) -> CertifiedMargin:
    """The margin of a claim that says several things, of one scale or not: each end is the least of theirs."""
    worst = min(margins, key=lambda margin: margin.low)
    return replace(worst, high=min(margin.high for margin in margins))
