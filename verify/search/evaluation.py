"""One evaluation of a search: a claim measured on a problem, as it is kept for good."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

from verify.catalogue import Selection
from verify.claim import Claim, Vacuous, Verdict
from verify.dataset import Dataset
from verify.errors import was_interrupted
from verify.evidence import Evidence
from verify.initialisation import Initialisation
from verify.precision import measured, policy_of, resolved
from verify.problem import Problem

POOLED = "pool"
"""The stage of what was measured for many claims together."""
_NUMBERS = ("margin", "uncertainty", "quantity_log", "bound_log", "exponent", "claimed_exponent")


@dataclass(frozen=True)
class Evaluation:
    """What was measured, where, and when.

    - ``key``, ``problem``: content hash and JSON of the problem. ``stage``: what asked for it.
    - ``verdict`` … ``reason``: as in the rows of `check`. ``seconds``: processor time that it took.
    - ``elapsed``: processor seconds of the search up to the end of this evaluation.
    """

    key: str
    problem: dict[str, Any]
    stage: str
    verdict: str
    margin: float
    uncertainty: float
    scale: str
    quantity_log: float
    bound_log: float
    exponent: float
    claimed_exponent: float
    digits: int
    reason: str
    seconds: float
    elapsed: float = 0.0

    @property
    def score(self) -> float:
        """What a search makes small: the upper end of the margin's error bar; infinite where nothing was measured."""
        if self.verdict == "VACUOUS" or math.isnan(self.margin) or math.isnan(self.uncertainty):
            return math.inf
        return self.margin + self.uncertainty

    @cached_property
    def scaled_score(self) -> float:
        """The same in units in which bounds are written: relative slack over ε, nats over κ.

        A time (1 + 3ε)Λ has a small slack wherever ε is small, whatever else happens; this one tells them apart.
        """
        if not math.isfinite(self.score):
            return self.score
        problem = Problem.from_json(self.problem)
        return self.score / (problem.kappa if self.scale == "nats" else problem.epsilon)

    def to_json(self) -> dict[str, Any]:
        """As JSON values: numbers that are missing become null, infinite ones the strings inf and -inf."""
        values = asdict(self)
        for name in _NUMBERS:
            number = values[name]
            values[name] = number if math.isfinite(number) else None if math.isnan(number) else str(number)
        return values

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> Evaluation:
        """The same read back."""
        numbers = {name: math.nan if values[name] is None else float(values[name]) for name in _NUMBERS}
        return cls(**(values | numbers))


def evaluate(
    problem: dict[str, Any], selection: Selection, claim: str, digits: int | str | None, stage: str
) -> Evaluation:
    """Measure the claim of this id on a problem; everything by value, so that any process can do it.

    ``digits`` as in `check`: None is float64, "auto" raises precision while the claim is unresolved. What cannot be
    measured, also because of an error in a user's claim, is UNRESOLVED and says why.
    """
    began, read = time.process_time(), Problem.from_json(problem)
    found = _evaluated(_named(selection, claim), Evidence(read, policy_of(digits)), read, digits, stage)
    return replace(found, seconds=time.process_time() - began)


def together(problem: Problem, claims: Sequence[Claim], stage: str) -> list[Evaluation]:
    """Many claims measured on one problem in float64; what they share, such as the trajectory, is computed once.

    The ``seconds`` of each are those of its own measure, and its part of what is shared.
    """
    began, evidence = time.process_time(), Evidence(problem)
    try:
        _ = evidence.timeline
    except Exception as error:
        _stop_if_interrupted(error)
    share = (time.process_time() - began) / len(claims)
    out = []
    for claim in claims:
        began = time.process_time()
        found = _evaluated(claim, evidence, problem, None, stage)
        out.append(replace(found, seconds=share + time.process_time() - began))
    return out


def _evaluated(claim: Claim, evidence: Evidence, read: Problem, digits: int | str | None, stage: str) -> Evaluation:
    try:
        outcomes = measured([claim], evidence)
        (outcome,) = resolved(read, outcomes) if digits == "auto" else outcomes
    except Exception as error:
        _stop_if_interrupted(error)
        return unmeasured(read, stage, f"{type(error).__name__}: {error}")
    result = outcome.result
    if isinstance(result, Vacuous):
        return replace(unmeasured(read, stage, result.reason), verdict=str(Verdict.VACUOUS))
    numbers = {name: float(getattr(result, name)) for name in _NUMBERS if name != "margin"}
    values: dict[str, Any] = numbers | {"margin": float(result.value), "scale": result.scale, "reason": result.note}
    return Evaluation(
        read.key, read.to_json(), stage, str(result.verdict), digits=outcome.digits, seconds=0.0, **values
    )


def _stop_if_interrupted(error: Exception) -> None:
    if was_interrupted(error):
        raise KeyboardInterrupt from error


def warm_up(claim: Claim, selection: Selection) -> None:
    """Have all loops compiled before a clock starts, which may take longer than a small budget."""
    start = Initialisation([[1, 1], [-1, 1]], [1, -1], minus_log_lambda=10_000)
    evaluate(Problem(Dataset.standard([2, -1]), start).to_json(), selection, claim.id, None, "warm-up")


def unmeasured(problem: Problem, stage: str, reason: str) -> Evaluation:
    """An UNRESOLVED evaluation without a margin."""
    numbers = dict.fromkeys(_NUMBERS, math.nan)
    values: dict[str, Any] = numbers | {"scale": "", "digits": 16, "reason": reason, "seconds": 0.0}
    return Evaluation(problem.key, problem.to_json(), stage, str(Verdict.UNRESOLVED), **values)


@lru_cache(maxsize=8)
def _named(selection: Selection, claim: str) -> Claim:
    return next(one for one in selection.claims() or [] if one.id == claim)
