"""The times of the paper's phases: t₊₁, t₁ = t₋₁, t₂, and which condition ends phase 2."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from verify.flow.state import State
from verify.measures import key_set, log_gap, target_norm
from verify.problem import Problem
from verify.windows import Timeline

Levels = Callable[[State], dict[str, float]]
"""By how much, in nats, a state meets each of the conditions that end a phase."""


def time_plus(problem: Problem) -> float:
    """t₊₁ = κ/‖D₊‖. [R, Appendix B.3]"""
    return problem.kappa / problem.dataset.norm_plus


def time_one(problem: Problem) -> float:
    """t₁ = t₋₁ = κ/‖D₋‖; infinite when no label is negative. [T, Lemma 2]"""
    return problem.kappa / problem.dataset.norm_minus if problem.dataset.norm_minus > 0 else np.inf


@dataclass(frozen=True)
class Exit:
    """The end of a phase: when, and the name of the condition that ended it; None when nothing did.

    ``slope`` is the rate at which the level of that condition rises there, per unit of time.
    """

    t: float
    condition: str | None
    slope: float


def second_phase_levels(state: State) -> dict[str, float]:
    """How far each condition that ends phase 2 is met, in nats, met when ≥ 0. [R, eq. 17]

    - ``norm``: ‖w_j‖ ≥ 2cλ^ε for some j outside S₊₁.
    - ``fit``: u₊ ≥ n‖D₊‖ − λ^(ε/5).
    - ``tilt``: ⟨w_j/‖w_j‖, D₊⟩ ≤ ‖D₊‖ − λ^(ε/2) for some j in S₊₁.
    """
    problem, kappa = state.problem, state.problem.kappa
    key = key_set(problem, +1)
    norms = np.asarray(state.log_norms[~key], dtype=np.float64).max(initial=-np.inf)
    sign, gap = log_gap(state, +1)
    tilt = np.asarray(state.log_misalignment(+1)[key], dtype=np.float64).max(initial=-np.inf)
    return {
        "norm": float(norms - np.log(2 * problem.initialisation.c) + kappa),
        "fit": -kappa / 5 - gap if sign > 0 else np.inf,
        "tilt": float(np.log(target_norm(problem, +1)) + tilt + kappa / 2),
    }


def second_phase_end(timeline: Timeline, start: float, end: float) -> Exit:
    """t₂: the first time from ``start`` = t₊₁ on at which a condition of phase 2 ends it. [R, eq. 17]"""
    return _first_exit(timeline, second_phase_levels, start, end)


def _first_exit(timeline: Timeline, levels: Levels, start: float, end: float) -> Exit:
    t = timeline.first_passage(partial(_highest, levels), start, end)
    if t is None:
        return Exit(np.inf, None, 0.0)
    reached = levels(timeline.state(t))
    condition = max(reached, key=lambda name: reached[name])
    fastest = max(target_norm(timeline.trajectory.problem, s) for s in (1, -1))
    earlier = max(t - max(1e-3 / fastest, 1e-12 * t), start)
    rise = reached[condition] - levels(timeline.state(earlier))[condition] if earlier < t else 0.0
    slope = rise / (t - earlier) if np.isfinite(rise) and rise > 0 else 0.0
    return Exit(t, condition, float(slope))


def _highest(levels: Levels, state: State) -> float:
    return float(max(levels(state).values()))
