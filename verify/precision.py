"""Precision raised while claims stay UNRESOLVED: more digits, predicted from the depth of the bound, up to a cap."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace

from verify.claim import Claim, Margin, Vacuous, Verdict
from verify.errors import InvalidArgument, PrecisionExhausted, SimulationFailed
from verify.evidence import Evidence
from verify.flow.multiprecision import FEWEST, check_digits
from verify.problem import Problem

CAP = 128
"""Digits beyond which precision is not raised unless they are asked for."""


@dataclass(frozen=True)
class Outcome:
    """A claim measured on one problem: its margin or why there is none, with how many digits, and for how long.

    ``remark``: why more digits were not tried.
    """

    claim: Claim
    result: Margin | Vacuous
    digits: int
    seconds: float
    remark: str = ""

    @property
    def unresolved(self) -> bool:
        """Whether the error bar does not allow a verdict."""
        return isinstance(self.result, Margin) and self.result.verdict == Verdict.UNRESOLVED

    @property
    def digits_wanted(self) -> int:
        """Digits for the next attempt: those that the bound needs, and at least twice as many as before."""
        predicted = self.result.digits_needed if isinstance(self.result, Margin) else 0
        return max(predicted, 2 * self.digits, FEWEST)


def measure(claim: Claim, evidence: Evidence) -> Margin | Vacuous:
    """The margin of one claim, or why there is nothing to check."""
    with evidence.context():
        for hypothesis in claim.hypotheses:
            failure = hypothesis(evidence)
            if failure is not None:
                return Vacuous(failure)
        return claim.measure(evidence)


def measured(claims: Iterable[Claim], evidence: Evidence) -> list[Outcome]:
    """All claims on one problem, in the arithmetic of the evidence."""
    out = []
    for claim in claims:
        began = time.perf_counter()
        result = measure(claim, evidence)
        out.append(Outcome(claim, result, evidence.digits or 16, time.perf_counter() - began))
    return out


def resolved(problem: Problem, outcomes: list[Outcome], cap: int = CAP) -> list[Outcome]:
    """The outcomes, those that were UNRESOLVED measured again with more digits until they are decided or ``cap``.

    Raises ``InvalidArgument`` for a cap that is no number of digits.
    """
    check_digits(cap)
    out = list(outcomes)
    while True:
        places = [i for i, outcome in enumerate(out) if outcome.unresolved and not outcome.remark]
        for i in places:
            out[i] = replace(out[i], remark=_beyond(problem, out[i], cap))
        affordable = [i for i in places if not out[i].remark]
        if not affordable:
            return out
        digits = max(out[i].digits_wanted for i in affordable)
        again = _again(problem, [out[i] for i in affordable], digits)
        for i, outcome in zip(affordable, again, strict=True):
            out[i] = outcome


def _beyond(problem: Problem, outcome: Outcome, cap: int) -> str:
    """Why the digits wanted next cannot be had; empty when they can."""
    if isinstance(outcome.result, Margin) and abs(outcome.result.value) < outcome.result.rounding:
        return "no digits of the flow decide a margin below the rounding of the float64 in which it is given"
    wanted, held = outcome.digits_wanted, problem.dataset.orthonormal_digits
    if wanted > held:
        return f"about {wanted} digits would be needed, but the rows of x are orthonormal to {math.floor(held)} only"
    if wanted > cap:
        return f"about {wanted} digits would be needed, beyond the cap of {cap}: ask for them with digits={wanted}"
    return ""


def _again(problem: Problem, outcomes: list[Outcome], digits: int) -> list[Outcome]:
    try:
        fresh = measured([outcome.claim for outcome in outcomes], Evidence(problem, digits))
    except (PrecisionExhausted, SimulationFailed) as error:
        return [replace(outcome, remark=f"with {digits} digits: {error}") for outcome in outcomes]
    return [_after(old, new) for old, new in zip(outcomes, fresh, strict=True)]


def _after(old: Outcome, new: Outcome) -> Outcome:
    """The new outcome; where its error bar has not shrunk, digits are not what is missing."""
    remark = ""
    if isinstance(old.result, Margin) and isinstance(new.result, Margin) and new.unresolved:
        helped = new.result.uncertainty < old.result.uncertainty / 2 or math.isnan(old.result.uncertainty)
        remark = "" if helped else "more digits do not shorten the error bar"
    return replace(new, seconds=old.seconds + new.seconds, remark=remark)


def policy_of(digits: int | str | None) -> int | None:
    """Digits to begin with: None (float64) for ``"auto"`` and None. Raises ``InvalidArgument`` for anything else."""
    if digits is None or digits == "auto":
        return None
    try:
        check_digits(digits)
    except InvalidArgument as error:
        raise InvalidArgument(f"{error}; 'auto' begins with float64 and raises precision where it must") from None
    return int(digits)
