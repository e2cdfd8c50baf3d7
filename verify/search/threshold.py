"""Λ*: the smallest Λ = −ln λ from which on claims hold on a problem, by bracketing and bisection on verdicts.

From far inside the sufficient regime Λ is lowered in steps until a claim does not hold, and the step in question is
bisected; then the stretch above is looked at in other places, and where a claim fails there after all the bisection
begins again from that place. What happens between the places looked at is not known.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from verify.check import check
from verify.claim import Claim
from verify.claims import CLAIMS
from verify.errors import InvalidArgument, PrecisionExhausted, SimulationFailed
from verify.families.rounding import significant
from verify.problem import Problem
from verify.search.scales import sufficient

WITHOUT_SCALE = ("A1.interpolator", "C1.exponent", "C1.strict", "T1.bias")
"""Claims that do not depend on the problem's own Λ."""
LOWEST = 0.01
"""Λ below which nothing is looked at."""
RELATIVE, ABSOLUTE = 1e-3, 0.02
"""Width to which Λ* is bracketed: the larger of a share of it and so many nats."""


@dataclass(frozen=True)
class Threshold:
    """Where claims begin to hold for good on a problem.

    - ``minus_log_lambda``: Λ*, the upper end of its bracket: all claims hold there and wherever it was looked above;
      infinite where one does not hold at the largest Λ looked at.
    - ``failing``: the lower end, where ``claim`` does not hold, for ``reason``; 0 where all hold down to ``LOWEST``.
    - ``sufficient``, ``condition``: the explicit Λ of `verify.regime` for these claims, and what asks for it.
    - ``scales``: every Λ looked at, with the claims that did not hold there.
    - ``interrupted``: whether Ctrl-C ended it; then Λ* is where the claims held so far, there and wherever above it.
    """

    minus_log_lambda: float
    failing: float
    claim: str
    reason: str
    sufficient: float
    condition: str
    scales: dict[float, tuple[str, ...]]
    interrupted: bool = False

    @property
    def ratio(self) -> float:
        """How many times Λ* the sufficient value is."""
        return self.sufficient / self.minus_log_lambda


def scaled_claims() -> list[Claim]:
    """The claims that have a threshold: all but literal readings that have a corrected twin, and `WITHOUT_SCALE`."""
    return [claim for claim in CLAIMS if claim.reading != "literal" and claim.id not in WITHOUT_SCALE]


def threshold(
    problem: Problem,
    claims: Sequence[Claim],
    *,
    digits: int | str | None = "auto",
    factor: float = 10.0,
    step: float = 2.0,
    beyond: int = 6,
    progress: Callable[[float], None] = lambda scale: None,
) -> Threshold:
    """Λ* of some claims on a problem, whose own Λ does not matter; its ε stays.

    ``factor``: how many times the sufficient Λ to begin at. ``step``: by what factor to lower it. ``beyond``: at how
    many further places above Λ* to look. A claim that is UNRESOLVED does not count as held, one that is VACUOUS does.
    Ctrl-C returns what was found so far. Raises InvalidArgument where the lemmas do not apply, for no claim, and for
    factors of 1 or less.
    """
    if not claims:
        raise InvalidArgument("claims is empty: a threshold needs at least one claim")
    if not (factor > 1 and step > 1 and beyond >= 0):
        raise InvalidArgument(f"factor = {factor} and step = {step} must be above 1, beyond = {beyond} at least 0")
    enough = max((sufficient(problem, claim) for claim in claims), key=lambda one: one.minus_log_lambda)
    line = _Line(problem, claims, digits, progress)
    try:
        low, high, interrupted = *_found(line, factor * enough.minus_log_lambda, step, beyond), False
    except KeyboardInterrupt:
        low, high, interrupted = *line.bracket(), True
    return Threshold(
        high,
        low,
        next(iter(line.bad.get(low, ())), ""),
        line.reasons.get(low, ""),
        enough.minus_log_lambda,
        enough.name,
        dict(sorted(line.bad.items())),
        interrupted,
    )


@dataclass
class _Line:
    """A problem at every Λ: which claims do not hold there."""

    problem: Problem
    claims: Sequence[Claim]
    digits: int | str | None
    progress: Callable[[float], None]
    bad: dict[float, tuple[str, ...]] = field(default_factory=dict)
    reasons: dict[float, str] = field(default_factory=dict)

    def holds(self, scale: float) -> bool:
        if scale not in self.bad:
            self.progress(scale)
            self.bad[scale], self.reasons[scale] = self._look(scale)
        return not self.bad[scale]

    def bracket(self) -> tuple[float, float]:
        """The largest Λ at which a claim did not hold, 0 for none, and the next one above it: infinite for none."""
        low = max((scale for scale in self.bad if self.bad[scale]), default=0.0)
        return low, min((scale for scale in self.bad if scale > low), default=math.inf)

    def _look(self, scale: float) -> tuple[tuple[str, ...], str]:
        try:
            rows = check(self.problem.at_scale(scale), self.claims, self.digits)
        except (SimulationFailed, PrecisionExhausted) as error:
            return tuple(claim.id for claim in self.claims), f"{type(error).__name__}: {error}"
        rows = rows[~rows["verdict"].isin(["HOLDS", "VACUOUS"])]
        if rows.empty:
            return (), ""
        first = rows.iloc[0]
        return tuple(rows["claim"]), f"{first['verdict']}, margin {first['margin']:.3g} {first['scale']}"


def _found(line: _Line, top: float, step: float, beyond: int) -> tuple[float, float]:
    """The bracket of Λ*, looked at again beyond."""
    low, high = _bracket(line, top, step)
    top = high
    while high < math.inf:
        low, high = _bisect(line, low, high)
        if _flips(line, high, top, beyond) is None:
            break
        low, high = line.bracket()
    return low, high


def _bracket(line: _Line, top: float, step: float) -> tuple[float, float]:
    """A Λ at which a claim does not hold, and one above it from which on all hold: infinite, or failing at 0."""
    high = significant(top)
    if not line.holds(high):
        return high, math.inf
    while high > LOWEST:
        low = significant(max(high / step, LOWEST))
        if not line.holds(low):
            return low, high
        high = low
    return 0.0, high


def _bisect(line: _Line, low: float, high: float) -> tuple[float, float]:
    """The bracket narrowed on a logarithmic scale."""
    while low > 0 and high - low > max(RELATIVE * high, ABSOLUTE):
        middle = significant(math.sqrt(low * high))
        if not low < middle < high:
            break
        low, high = (low, middle) if line.holds(middle) else (middle, high)
    return low, high


def _flips(line: _Line, high: float, top: float, count: int) -> float | None:
    """The largest of some places between Λ* and the top at which a claim fails after all."""
    places = [significant(high * (top / high) ** ((i + 0.37) / count)) for i in range(count)]
    return next((place for place in reversed(places) if not line.holds(place)), None)
