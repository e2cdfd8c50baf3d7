"""Which Λ a search may use: κ as it is given, or multiples of the Λ that the claim's own part of the proof asks for."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from decimal import ROUND_UP

from verify import regime
from verify.claim import Claim
from verify.errors import InvalidArgument
from verify.families.rounding import significant
from verify.problem import Problem

_PARTS = (
    (regime.small_outputs, regime.deaths_in_time, regime.aligned_in_time),
    (
        regime.logistic_in_time,
        regime.fit_before_error,
        regime.idle_growth,
        regime.tilt_in_phase_two,
        regime.turn_in_time,
    ),
    (regime.still_after_two, regime.fits_to_come, regime.phase_three),
    (regime.pl_ball, regime.final_ball),
)
"""Conditions of the phases 1, 2, 3 and of what follows them; each phase needs those before it."""

_LAST_PART = {
    1: ("L1", "L2", "L6", "L7", "L8", "L9", "P1"),
    2: ("L3", "L10", "P2", "C1"),
    3: ("L4", "P3"),
}


def conditions_of(claim: Claim | None) -> tuple[str, ...]:
    """Names of the conditions of `verify.regime` that come before a claim in the proof; all for others and for None.

    >>> from verify.check import select
    >>> conditions_of(select("L2.norm")[0])
    ('small_outputs', 'deaths_in_time', 'aligned_in_time')
    """
    lemma = re.split(r"[.+-]", claim.id)[0] if claim is not None else ""
    last = next((part for part, lemmas in _LAST_PART.items() if lemma in lemmas), len(_PARTS))
    return tuple(condition.__name__ for part in _PARTS[:last] for condition in part)


def sufficient(problem: Problem, claim: Claim | None) -> regime.Condition:
    """The condition that asks for the smallest λ among those of a claim, at least Λ = 1. Raises InvalidArgument."""
    names = conditions_of(claim)
    found = regime.regime(problem)
    return max((c for c in found.conditions if c.name in names), key=lambda condition: condition.minus_log_lambda)


@dataclass(frozen=True)
class Scale:
    """The Λ of a search: ``kind`` "regime": from ``low`` to ``high`` times the sufficient one; "kappa": κ = εΛ.

    Raises InvalidArgument for other kinds and ends; below 1 time the regime a claim need not hold.
    """

    kind: str = "regime"
    low: float = 1.0
    high: float = 10.0

    def __post_init__(self) -> None:
        if self.kind not in ("regime", "kappa"):
            raise InvalidArgument(f"kind = {self.kind!r} of a scale must be 'regime' or 'kappa'")
        if not 0 < self.low <= self.high < math.inf:
            raise InvalidArgument(f"{self.kind} = {self.low:g}:{self.high:g} must be a range with 0 < low <= high")

    def ends(self, problem: Problem, claim: Claim) -> tuple[float, float]:
        """Smallest and largest Λ on a problem. Raises InvalidArgument where there is no regime."""
        unit = 1 / problem.epsilon if self.kind == "kappa" else sufficient(problem, claim).minus_log_lambda
        return self.low * unit, self.high * unit

    def place(self, problem: Problem, claim: Claim, position: float) -> Problem:
        """The problem at a Λ of six digits, ``position`` from 0 (smallest) to 1 (largest) on a logarithmic scale."""
        low, high = self.ends(problem, claim)
        return problem.at_scale(significant(low * (high / low) ** position, 6, ROUND_UP))

    def admits(self, problem: Problem, claim: Claim) -> bool:
        """Whether Λ is in the range, to the six digits that `place` rounds to; of a regime only the low end counts."""
        low, high = self.ends(problem, claim)
        scale = problem.initialisation.minus_log_lambda
        return low * (1 - 1e-12) <= scale and (self.kind == "regime" or scale <= high * (1 + 2e-5))
