"""What an experiment hands back: a table of the paper and what was measured, verdicts with reasons, figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from verify.claim import Margin, Verdict, slack_margin
from verify.notation import FloatArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Progress = Callable[[str], None]
"""Told what is being done next."""


@dataclass(frozen=True)
class Measured:
    """One line of the table: a quantity, what the paper says of it (empty: nothing), its value on every seed."""

    quantity: str
    paper: str
    values: Sequence[float]
    digits: int = 4

    def text(self) -> str:
        """Mean ± standard deviation (smallest … largest), or the one value.

        >>> Measured("kinks", "2", [2.0, 2.0]).text(), Measured("angle", "", [1.0, 2.0, 3.0], 2).text()
        ('2', '2 ± 1 (1 … 3)')
        """
        values = np.asarray(self.values, dtype=np.float64)
        if np.ptp(values) == 0:
            return short(float(values[0]), self.digits)
        low, mean, high = (short(float(v), self.digits) for v in (values.min(), values.mean(), values.max()))
        return f"{mean} ± {short(float(values.std(ddof=1)), 2)} ({low} … {high})"


def short(value: float, digits: int) -> str:
    """So many significant digits, but whole numbers in full.

    >>> short(10848.3, 3), short(236.4, 2), short(0.01234, 2), short(1.5e-7, 3)
    ('10848', '236', '0.012', '1.5e-07')
    """
    return f"{value:.0f}" if 10 ** (digits - 1) <= abs(value) < 1e7 else f"{value:.{digits}g}"


@dataclass(frozen=True)
class Remark:
    """A claim of the paper beyond the lemmas: what an experiment measures. ``tag``: T, R or D as for ``Claim``."""

    id: str
    source: str
    tag: str
    statement: str


@dataclass(frozen=True)
class Finding:
    """The margin of a remark over all seeds, and in a paragraph what was found; ``figure``: the one that shows it."""

    claim: Remark
    margin: Margin
    text: str
    figure: str

    @property
    def verdict(self) -> Verdict:
        """From margin and error bar alone."""
        return self.margin.verdict


@dataclass(frozen=True)
class Result:
    """An experiment done. ``figures``: by file name without suffix; ``animations``: whole files by name."""

    name: str
    title: str
    setting: str
    seeds: int
    rows: tuple[Measured, ...]
    findings: tuple[Finding, ...]
    figures: dict[str, Figure]
    animations: dict[str, bytes] = field(default_factory=dict)


def span(values: Sequence[float] | FloatArray) -> str:
    """Such as ``2 to 3``, or ``2`` where all are the same.

    >>> span([2, 3]), span([2, 2])
    ('2 to 3', '2')
    """
    low, high = min(values), max(values)
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"


def worst_margin(values: FloatArray, errors: FloatArray | float, scale: str, note: str = "") -> Margin:
    """The smallest of the margins on all seeds, with its own error bar; the seed stands in the note."""
    values = np.asarray(values, dtype=np.float64)
    errors = np.broadcast_to(np.asarray(errors, dtype=np.float64), values.shape)
    if np.isnan(values).any():
        return slack_margin(np.nan, np.nan, scale, note="not measured on every seed")
    worst = int(np.argmin(values - errors))
    remark = f"smallest of {len(values)} seeds, at seed {worst}" + (f"; {note}" if note else "")
    return slack_margin(float(values[worst]), float(errors[worst]), scale, note=remark)


def exponents(scales: FloatArray, quantities: FloatArray) -> FloatArray:
    """p in quantity ≈ C scale^p, fitted by least squares to each row of quantities (seeds, scales)."""
    slopes = np.polynomial.polynomial.polyfit(np.log(scales), np.log(quantities).T, 1)[1]
    return np.asarray(slopes)


def smallest_exponent(scales: FloatArray, quantities: FloatArray) -> Margin:
    """Of the exponents fitted to each row (seeds, scales), with its own error bar: above 0 all quantities fall to 0."""
    orders = exponents(scales, quantities)
    worst = int(orders.argmin())
    error = slope_error(scales, quantities[worst])
    return slack_margin(float(orders[worst]), error, "relative", note=f"the smallest exponent, at seed {worst}")


def order_of(steps: FloatArray, distances: FloatArray) -> float:
    """The order p of distance ≈ C step^p, fitted by least squares.

    >>> round(order_of(np.array([1.0, 0.5, 0.25]), np.array([4.0, 1.0, 0.25])), 6)
    2.0
    """
    return float(exponents(steps, distances[None])[0])


def slope_error(scales: FloatArray, quantities: FloatArray) -> float:
    """Twice the standard error of the exponent fitted to one row of quantities; needs three scales or more."""
    x, y = np.log(scales), np.log(quantities)
    centred = x - x.mean()
    rest = y - y.mean() - (centred @ y) / (centred @ centred) * centred
    return float(2 * np.sqrt(rest @ rest / (len(x) - 2) / (centred @ centred)))
