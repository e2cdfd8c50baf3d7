"""Lemma 7: at t₊₁ = −ε ln λ/‖D₊‖ norms are small, S₊₁ is aligned and dead on the negative labels."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from verify import bars
from verify.claim import Claim, Margin, Vacuous, power_margin, relative_margin, slack_margin, unresolved
from verify.claims.lemma2 import aligned_at
from verify.evidence import Evidence
from verify.hypotheses import TRAJECTORY, negative_labels, plus_neurons
from verify.measures import side_labels

TOLERANCE = 1e-9
"""Size of a coordinate, relative to cλ, that counts as zero."""


def early_time(evidence: Evidence, side: int) -> float:
    """t₊₁ for side +1, t₋₁ for side −1."""
    return evidence.time_plus if side > 0 else evidence.time_one


def norm(evidence: Evidence, side: int) -> Margin:
    """‖w_j‖ ≤ 2cλ^(1−ε) at t₊₁; ‖w_j‖ ≤ 2cλ^(1−rε) at t₋₁; for all j. [T, Lemmas 7 and 8]"""
    problem = evidence.problem
    rate = 1.0 if side > 0 else problem.dataset.ratio
    t = early_time(evidence, side)
    growth = np.asarray(evidence.timeline.state(t).log_growth, dtype=np.float64)
    worst = int(np.argmax(growth))
    exponent = 1 / problem.epsilon - rate
    return power_margin(
        float(growth[worst]) - problem.initialisation.minus_log_lambda,
        math.log(2 * problem.initialisation.c) - exponent * evidence.kappa,
        bars.growth(evidence, t),
        kappa=evidence.kappa,
        claimed_exponent=exponent,
        neuron=worst,
        t=t,
    )


def align(evidence: Evidence, side: int) -> Margin | Vacuous:
    """1 − cos∠(w_j, ±D±) ≤ 2λ^ε for j in S±₁, at t₊₁ or t₋₁. [T, Lemmas 7 and 8]"""
    return aligned_at(evidence, side, early_time(evidence, side))


def dead_literal(evidence: Evidence, side: int) -> Margin:
    """⟨w_j, x_k⟩ = 0 for j in S±₁ and labels of the other sign, as printed, to ``TOLERANCE``·cλ. [T, erratum E1]

    Coordinates that start negative are taken from the start, where they are frozen (claim L6.frozen). A moving one is
    a direction times a growth, each with its own error.
    """
    t = early_time(evidence, side)
    state, problem = evidence.timeline.state(t), evidence.problem
    growth = np.asarray(state.log_growth, dtype=np.float64)[:, None]
    with np.errstate(divide="ignore"):
        moving = np.log(np.abs(np.asarray(state.directions, dtype=np.float64))) + growth
        sizes = np.where(problem.projections < 0, np.log(np.abs(problem.projections)), moving)
    sizes = np.where(_crossed(evidence, side), sizes - math.log(evidence.problem.initialisation.c), -np.inf)
    j, k = np.unravel_index(int(sizes.argmax()), sizes.shape)
    quantity = math.exp(float(sizes[j, k]))
    frozen = problem.projections[j, k] < 0
    error = 0.0 if frozen else 2 * bars.growth(evidence, t) * max(quantity, TOLERANCE)
    return relative_margin(quantity, TOLERANCE, error, neuron=int(j), label=int(k), t=t)


def dead(evidence: Evidence, side: int) -> Margin:
    """⟨w_j, x_k⟩ ≤ 0 for j in S±₁ and labels of the other sign: the last of them dies before t₊₁ or t₋₁. [D, E1]"""
    return time_left(evidence, side)


def time_left(evidence: Evidence, side: int) -> Margin:
    """How long before t₊₁ or t₋₁ the last pair of S±₁ with a label of the other sign dies, relative to that time.

    A pair that never dies is given the end of the trajectory, which makes the margin an upper bound; where it ends
    within its error of 0, or the trajectory before the time in question, nothing is decided.
    """
    end = early_time(evidence, side)
    last, neuron, label = last_death(evidence, side)
    if label is None:
        return relative_margin(0.0, end, 0.0, t=0.0)
    if last < math.inf:
        error = bars.death(evidence, last, label)
        return relative_margin(last, end, error, neuron=neuron, label=label, t=last)
    rest = float(evidence.trajectory.t_end)
    note = f"still active at t = {rest:.6g}"
    if rest < end:
        return unresolved(note)
    left = float(evidence.timeline.state(rest).directions[neuron, label])
    doubt = 0.0 if left > bars.growth(evidence, rest) else math.inf
    return slack_margin(1 - rest / end, doubt, "relative", neuron=neuron, label=label, t=rest, note=note)


def last_death(evidence: Evidence, side: int) -> tuple[float, int | None, int | None]:
    """When the last pair of S±₁ with a label of the other sign dies, and which: 0 if none was ever active."""
    waiting = _crossed(evidence, side) & (evidence.problem.projections > 0)
    if not waiting.any():
        return 0.0, None, None
    times = np.where(waiting, math.inf, -math.inf)
    table = evidence.trajectory.deactivations
    for t, neuron, label in zip(table["t"], table["neuron"], table["label"], strict=True):
        if waiting[neuron, label]:
            times[neuron, label] = float(t)
    j, k = np.unravel_index(int(times.argmax()), times.shape)
    return float(times[j, k]), int(j), int(k)


def _crossed(evidence: Evidence, side: int) -> np.ndarray:
    """(m, n) mask: neurons of S±₁ with labels of the other sign."""
    return np.outer(evidence.key(side), side_labels(evidence.problem, -side))


_HYPOTHESES = (*TRAJECTORY, plus_neurons)

CLAIMS = (
    Claim("L7.norm", "Lemma 7", "T", "‖w_j‖ ≤ 2cλ^(1−ε) for all j at t₊₁", partial(norm, side=1), TRAJECTORY),
    Claim(
        "L7.align",
        "Lemma 7",
        "T",
        "⟨w_j/‖w_j‖, D₊⟩ ≥ (1 − 2λ^ε)‖D₊‖ for j ∈ S₊₁ at t₊₁",
        partial(align, side=1),
        _HYPOTHESES,
    ),
    Claim(
        "L7.dead",
        "Lemma 7",
        "T",
        "⟨w_j, x_k⟩ = 0 for j ∈ S₊₁, y_k < 0 at t₊₁",
        partial(dead_literal, side=1),
        (*_HYPOTHESES, negative_labels),
        reading="literal",
    ),
    Claim(
        "L7.dead.corrected",
        "Lemma 7 with erratum E1",
        "D",
        "⟨w_j, x_k⟩ ≤ 0 for j ∈ S₊₁, y_k < 0 at t₊₁",
        partial(dead, side=1),
        (*_HYPOTHESES, negative_labels),
        reading="corrected",
    ),
)
