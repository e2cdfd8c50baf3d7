"""The times of the paper's phases: t₊₁, t₁ = t₋₁, t_u, t₂, t₃, and which condition ended each phase."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from verify.batches import Batched
from verify.flow.arithmetic import Array, to_float
from verify.flow.state import State
from verify.measures import key_set, log_dynamic_target, log_gap, log_key_norm, target_norm
from verify.notation import BoolArray
from verify.problem import Problem
from verify.windows import Timeline

Levels = Callable[[State], dict[str, Array]]
"""By how much, in nats, a state meets each of the conditions that end a phase, met when ≥ 0; at each of its times."""


@dataclass(frozen=True)
class Exit:
    """The end of a phase: when, and the name of the condition that ended it; infinite and None when nothing did.

    ``slope`` is the rate, per unit of time, at which the level of that condition rises there; 0 where it does not.
    ``excess`` is by how much, in nats, a condition is met that is met from the start; 0 for one that comes to be met.
    ``miss`` is how far the level of that one is from 0 at the time found, which is rounded.
    """

    t: float
    condition: str | None
    slope: float
    excess: float = 0.0
    miss: float = 0.0


def time_plus(problem: Problem) -> float:
    """t₊₁ = κ/‖D₊‖. [R, Appendix B.3]"""
    return problem.kappa / problem.dataset.norm_plus


def time_one(problem: Problem) -> float:
    """t₁ = t₋₁ = κ/‖D₋‖; infinite when no label is negative. [T, Lemma 2]"""
    return problem.kappa / problem.dataset.norm_minus if problem.dataset.norm_minus > 0 else np.inf


def fit_depth(problem: Problem, side: int) -> float:
    """−ln of the gap n‖D‖ − u at which a side counts as fitted: κ/5 at t₂, κ/29 at t₃. [T, Lemmas 3 and 4]"""
    return problem.kappa / (5 if side > 0 else 29)


def turn_levels(state: State) -> dict[str, Array]:
    """Conditions of t_u: ``tilt``, max (1 − cos) ≥ 5λ^ε; ``size``, u₊ ≥ n‖D₊‖/7. [T, Lemma 10, third point]"""
    problem = state.problem
    return {
        "tilt": _tilt(state, +1) - np.log(5) + problem.kappa,
        "size": log_key_norm(state, +1) - np.log(problem.dataset.n * problem.dataset.norm_plus / 7),
    }


def second_levels(state: State) -> dict[str, Array]:
    """Conditions of t₂. [R, eq. 17]

    - ``norm``: ‖w_j‖ ≥ 2cλ^ε for some j outside S₊₁.
    - ``fit``: u₊ ≥ n‖D₊‖ − λ^(ε/5).
    - ``tilt``: ⟨w_j/‖w_j‖, D₊⟩ ≤ ‖D₊‖ − λ^(ε/2) for some j in S₊₁.
    """
    kappa = state.problem.kappa
    return {
        "norm": _largest_norm(state, ~key_set(state.problem, +1), 2.0) + kappa,
        "fit": fit_level(state, +1),
        "tilt": _tilt(state, +1) + np.log(target_norm(state.problem, +1)) + kappa / 2,
    }


def third_levels(state: State) -> dict[str, Array]:
    """Conditions of t₃. [R, eq. 23]

    - ``norm``: ‖w_j‖ ≥ 3cλ^ε for some j outside S₊₁ and S₋₁.
    - ``fit``: u₋ ≥ n‖D₋‖ − λ^(ε/29).
    - ``tilt``: ⟨w_j/‖w_j‖, −D₋⟩ ≤ ‖D₋‖ − λ^(ε/14) for some j in S₋₁.
    - ``unfit``: ‖D₊ᵗ‖ ≥ λ^(ε/14).
    """
    problem, kappa = state.problem, state.problem.kappa
    idle = ~(key_set(problem, +1) | key_set(problem, -1))
    return {
        "norm": _largest_norm(state, idle, 3.0) + kappa,
        "fit": fit_level(state, -1),
        "tilt": _tilt(state, -1) + np.log(target_norm(problem, -1)) + kappa / 14,
        "unfit": log_dynamic_target(state, +1) + kappa / 14,
    }


def first_exit(timeline: Timeline, levels: Levels, start: float) -> Exit:
    """The first time from ``start`` on at which a condition is met."""
    end = float(timeline.trajectory.t_end)
    t = timeline.first_passage(Batched(partial(_highest, levels)), start, end) if start <= end else None
    if t is None:
        return Exit(np.inf, None, 0.0)
    times = _about(timeline, t, t == start)
    reached = levels(timeline.look(times))
    place = 1 + int(np.argmin(np.abs(np.max(list(reached.values()), axis=0)[1:-1])))
    condition = max(reached, key=lambda name: reached[name][place])
    before, level, after = (float(reached[condition][i]) for i in (0, place, -1))
    slope = (after - before) / (times[-1] - times[0]) if -np.inf < before < after < np.inf else 0.0
    if t == start:
        return Exit(t, condition, slope, excess=max(level, 0.0))
    return Exit(times[place], condition, slope, miss=abs(level))


def _about(timeline: Timeline, t: float, known: bool) -> list[float]:
    """The time and, unless it is known, its neighbours among the machine floats, one of which may be the passage.

    On either side one more, apart a thousandth of the fastest time and far more than times are rounded.
    """
    last = float(timeline.trajectory.t_end)
    width = max(1e-3 / timeline.trajectory.fastest, 1e-12 * t)
    near = [t + i * float(np.spacing(t)) for i in ((0,) if known else range(-4, 5))]
    return [max(t - width, 0.0), *(s for s in near if 0 <= s <= last), min(t + width, last)]


def _highest(levels: Levels, state: State) -> Array:
    return np.max(list(levels(state).values()), axis=0)


def _largest_norm(state: State, who: BoolArray, factor: float) -> Array:
    """ln of the largest ‖w_j‖ over factor·c; minus infinity for nobody."""
    return _largest(state.log_norms[..., who]) - np.log(factor * state.problem.initialisation.c)


def fit_level(state: State, side: int) -> Array:
    """−``fit_depth`` − ln(n‖D‖ − u): by how much, in nats, a side counts as fitted; infinite when u exceeds n‖D‖."""
    sign, gap = log_gap(state, side)
    return np.where(sign > 0, -fit_depth(state.problem, side) - gap, np.inf)[()]


def _tilt(state: State, side: int) -> Array:
    """ln of the largest 1 − cos∠(w_j, ±D±) over the key set."""
    return _largest(state.log_misalignment(side)[..., key_set(state.problem, side)])


def _largest(values: Array) -> Array:
    return to_float(values).max(axis=-1, initial=-np.inf)
