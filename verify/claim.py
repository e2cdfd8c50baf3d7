"""A claim of the paper, the margin measured for it, and the verdict."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, TypedDict, Unpack

from verify.errors import InvalidArgument

if TYPE_CHECKING:
    from verify.evidence import Evidence


UNIT = 2.0**-53
"""Unit roundoff of float64, in which margins are given whatever the arithmetic of the trajectory."""

ROUNDING = 4 * UNIT
"""What rounding adds to an error bar, in units of the two sides: a bound is the result of three operations or fewer,
and the difference is one more."""


class Verdict(StrEnum):
    """What the harness says of a claim on one problem."""

    HOLDS = "HOLDS"
    FAILS = "FAILS"
    UNRESOLVED = "UNRESOLVED"
    VACUOUS = "VACUOUS"


@dataclass(frozen=True)
class Margin:
    """By how much a claim ``quantity ≤ bound`` holds, at the worst neuron, label and time.

    - ``value``, ``uncertainty``: the margin and its numerical error bar. ``scale``: ``"nats"`` for
      ln(bound) − ln(quantity), ``"relative"`` for (bound − quantity)/bound.
    - ``quantity_log``, ``bound_log``: the logarithms, NaN where they mean nothing.
    - ``exponent``, ``claimed_exponent``: p in quantity ≈ (λ^ε)^p, measured and claimed; NaN where there is none.
    - ``neuron``, ``label``, ``t``: the witness. ``note``: what a reader should know besides.
    - ``rounding``: the part of the uncertainty that no digits of the flow take away, for the margin is a float64.
    """

    value: float
    uncertainty: float
    scale: str
    quantity_log: float = math.nan
    bound_log: float = math.nan
    exponent: float = math.nan
    claimed_exponent: float = math.nan
    neuron: int | None = None
    label: int | None = None
    t: float = math.nan
    note: str = ""
    rounding: float = 0.0

    @property
    def digits_needed(self) -> int:
        """Decimal digits that could decide a margin that is unresolved: those of the bound, and 20 to spare."""
        depth = abs(self.bound_log) if math.isfinite(self.bound_log) else 0.0
        return 20 + math.ceil(depth / math.log(10))

    @property
    def verdict(self) -> Verdict:
        """HOLDS or FAILS where the error bar allows it, otherwise UNRESOLVED; a NaN is never decided."""
        if math.isnan(self.value) or math.isnan(self.uncertainty) or abs(self.value) <= self.uncertainty:
            return Verdict.UNRESOLVED
        return Verdict.HOLDS if self.value > 0 else Verdict.FAILS


@dataclass(frozen=True)
class Vacuous:
    """Nothing to check: a hypothesis fails, or the bound could not fail."""

    reason: str


Hypothesis = Callable[["Evidence"], str | None]
"""Returns why a hypothesis fails on a problem, or None when it holds."""

Measurement = Callable[["Evidence"], Margin | Vacuous]
"""Measures a claim on one problem."""


@dataclass(frozen=True)
class Claim:
    """A quantitative statement of the paper.

    - ``id``: such as ``"L2.align+"``. ``source``: where the paper says it. ``tag``: T (stated), R (reconstructed)
      or D (derived here). ``statement``: the formula. ``measure``: the margin on one problem.
    - ``hypotheses``: checked first; the claim is vacuous where one fails.
    - ``reading``: ``"literal"`` or ``"corrected"`` where the text admits both.

    Raises ``InvalidArgument`` for an empty id or statement, or a tag other than T, R, D and their pairs.
    """

    id: str
    source: str
    tag: str
    statement: str
    measure: Measurement = field(repr=False)
    hypotheses: tuple[Hypothesis, ...] = field(default=(), repr=False)
    reading: str = ""

    def __post_init__(self) -> None:
        if not self.id or not self.statement:
            raise InvalidArgument(f"id = {self.id!r} and statement = {self.statement!r} must not be empty")
        if not {part.strip() for part in self.tag.split("/")} <= set("TRD"):
            raise InvalidArgument(f"tag = {self.tag!r} of claim {self.id} must be T, R or D, or two of them as in T/D")


class Witness(TypedDict, total=False):
    """Where the worst case sits, and what a reader should know besides."""

    neuron: int | None
    label: int | None
    t: float
    note: str


def power_margin(
    quantity_log: float,
    bound_log: float,
    uncertainty: float,
    *,
    kappa: float,
    claimed_exponent: float,
    lower: bool = False,
    **witness: Unpack[Witness],
) -> Margin:
    """The margin, in nats, of a power bound C (λ^ε)^p, given logarithms; κ = εΛ turns them into exponents.

    ``uncertainty`` is that of the quantity, to which rounding of the margin is added. ``lower``: the quantity must
    not be below the bound. A quantity of exactly 0 leaves an infinite margin.
    """
    value = quantity_log - bound_log if lower else bound_log - quantity_log
    rounding = ROUNDING * sum(abs(log) for log in (quantity_log, bound_log) if math.isfinite(log))
    return Margin(
        value=value,
        uncertainty=uncertainty + rounding,
        rounding=rounding,
        scale="nats",
        quantity_log=quantity_log,
        bound_log=bound_log,
        exponent=quantity_log / -kappa if kappa > 0 else math.nan,
        claimed_exponent=claimed_exponent,
        **witness,
    )


def relative_margin(quantity: float, bound: float, uncertainty: float, **witness: Unpack[Witness]) -> Margin:
    """The slack (bound − quantity)/bound of quantities of order one.

    ``uncertainty`` is that of the quantity, to which rounding of the margin is added.
    """
    rounding = ROUNDING * (abs(quantity) + abs(bound)) / abs(bound)
    return Margin(
        value=(bound - quantity) / bound,
        uncertainty=uncertainty / abs(bound) + rounding,
        rounding=rounding,
        scale="relative",
        quantity_log=math.log(quantity) if quantity > 0 else -math.inf,
        bound_log=math.log(bound) if bound > 0 else math.nan,
        **witness,
    )


def slack_margin(
    value: float, uncertainty: float, scale: str, *, size: float = 1.0, **witness: Unpack[Witness]
) -> Margin:
    """A margin that is measured as it stands; rounding is added to its uncertainty.

    ``size``: of what a relative value is the difference of. A value in nats is rounded by its own.
    """
    own = abs(value) if math.isfinite(value) else 0.0
    rounding = ROUNDING * (max(own, size) if scale == "relative" else own)
    return Margin(value, uncertainty + rounding, scale, rounding=rounding, **witness)


def unresolved(note: str, scale: str = "relative") -> Margin:
    """A margin that could not be measured."""
    return Margin(math.nan, math.nan, scale, note=note)
