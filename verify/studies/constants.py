"""What a bound of the paper claims, as a number that a search can sharpen: exponents and constants."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from verify.claim import Claim
from verify.problem import Problem
from verify.search.evaluation import Evaluation

Reading = Callable[[Evaluation, Problem], float]


@dataclass(frozen=True)
class Constant:
    """A number in a bound that is no exponent.

    ``words``: the bound with its number called c. ``claimed``: the paper's c. ``read``: the smallest c, or the largest
    if ``is_floor``, with which the bound holds on a problem.
    """

    claim: str
    words: str
    claimed: float
    read: Reading
    is_floor: bool = False


def _share(evaluation: Evaluation) -> float:
    """Quantity over bound."""
    return math.exp(evaluation.quantity_log - evaluation.bound_log)


def _second_time(evaluation: Evaluation, problem: Problem) -> float:
    return ((1 + 3 * problem.epsilon) * _share(evaluation) - 1) / problem.epsilon


def _third_time(evaluation: Evaluation, problem: Problem) -> float:
    slope = problem.dataset.ratio * problem.epsilon
    return ((1 + 3 * slope) * _share(evaluation) - 1) / slope


CONSTANTS = (
    Constant("L3.time", "t₂ ≤ (1 + cε)Λ/‖D₊‖", 3, _second_time),
    Constant("L4.time", "t₃ ≤ (1 + crε)Λ/‖D₋‖", 3, _third_time),
    Constant("P2.turn", "t₂ − t_u ≤ cεΛ/‖D₊‖", 0.2, lambda evaluation, _: 0.2 * (1 - evaluation.margin)),
    Constant("L5.PL", "‖∇L‖²/L ≥ c‖D₋‖", 1, lambda evaluation, _: 1 + evaluation.margin, is_floor=True),
    Constant("L12.rate", "L(t) ≤ L(t₃)e^(−c‖D₋‖(t−t₃))", 1, lambda evaluation, _: 1 + evaluation.margin, is_floor=True),
    Constant("L7.dead.corrected", "last death of S₊₁ ≤ ct₊₁", 1, lambda evaluation, _: 1 - evaluation.margin),
    Constant("L8.dead.corrected", "last death of S₋₁ ≤ ct₋₁", 1, lambda evaluation, _: 1 - evaluation.margin),
)
"""Of L5.PL the ratio is an upper bound of the smallest one: a search over the ball found it, and no proof."""

POWERS = (
    "L2.align+", "L2.align-", "L2.norm", "L7.norm", "L7.align", "L8.norm", "L8.align", "L9.lower+", "L9.lower-",
    "P1.sign", "L3.align", "L3.idle", "L3.loss", "L3.loss.appendix", "L10.colinear", "L10.logistic", "C1.saddle",
    "L4.align", "L4.still", "L4.fitted", "L4.idle", "L4.close", "L4.close.corrected", "L12.ball",
)  # fmt: skip
"""Claims that are power bounds C(λ^ε)^p."""


def exponent_excess(evaluation: Evaluation) -> float:
    """By how much the exponent of the bound could be sharper on a problem, its constant kept: margin over κ."""
    return evaluation.margin / Problem.from_json(evaluation.problem).kappa


def constant_factor(evaluation: Evaluation) -> float:
    """By what factor the bound could be multiplied to be met with equality."""
    return math.exp(min(-evaluation.margin, 700.0))


def decided(evaluation: Evaluation) -> bool:
    """Whether the margin is known well enough to read a number from it."""
    return evaluation.verdict in ("HOLDS", "FAILS") and math.isfinite(evaluation.margin)


def claims_in_order(claims: tuple[Claim, ...]) -> list[str]:
    """The ids that the table has a line for, in the order of the proof."""
    listed = {*POWERS, *(constant.claim for constant in CONSTANTS)}
    return [claim.id for claim in claims if claim.id in listed]
