"""Error bars: how the trajectory's estimates of error reach the quantities of the claims.

The trajectory's estimate says what directions (``motion``), log-norms (``log_norm``) and single steps (``local``) may
be off by at a time. Each function below follows that through one kind of quantity; the factors are derivatives, and
each docstring says of what. Rounding of the margin itself is added where it is built. All of this is ours [D];
``tests/test_calibration.py`` holds the bars against the errors seen.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from verify.batches import Measure
from verify.claim import ROUNDING, UNIT
from verify.evidence import Evidence
from verify.flow.arithmetic import to_float
from verify.flow.state import State
from verify.measures import log_axis_excess, log_sum, target_norm
from verify.phases import Exit
from verify.windows import Extreme

MEASURED = 2 * UNIT
"""Measures are sums in float64 of what the trajectory says, whatever its arithmetic."""


def growth(evidence: Evidence, t: float) -> float:
    """Of ln(|a_j|/λ), of a direction, and of ln of a decayed part of one, at time ``t``, as float64."""
    return float(evidence.trajectory.estimate.motion(t)) + MEASURED


def log_norm(evidence: Evidence, t: float) -> float:
    """Of ln|a_j| at time ``t``, as float64."""
    return float(evidence.trajectory.estimate.log_norm(t)) + MEASURED


def rounding(evidence: Evidence, t: float) -> float:
    """Of ln|a_j| at time ``t`` for a neuron that has settled: what was neglected on the way no longer matters."""
    estimate = evidence.trajectory.estimate
    return float(estimate.log_norm(t) - estimate.truncation(t))


def share(evidence: Evidence, side: int) -> float:
    """Of the vector of shares |a_j|/sqrt(u) of key neurons, of length 1: twice that of a log-norm, its own and of u.

    Log-norms round one by one. What is neglected moves them all by the same clock, and apart only as far as they point
    apart when it matters, which is after t±₁.
    """
    if side not in evidence.share_errors:
        evidence.share_errors[side] = _share(evidence, side)
    return evidence.share_errors[side]


def _share(evidence: Evidence, side: int) -> float:
    neglected, key = float(evidence.trajectory.estimate.truncation()), evidence.key(side)
    start = evidence.timeline.state(evidence.time_plus if side > 0 else evidence.time_one)
    widest = float(to_float(start.log_misalignment(side)[key]).max())
    apart = min(2 * math.sqrt(2) * math.exp(widest / 2), 1.0)
    return 2 * (rounding(evidence, math.inf) + apart * neglected)


def log_tilt(evidence: Evidence, t: float) -> float:
    """Of ln(1 − cos) at time ``t``: 1 − cos = sin²/(1 + cos), twice the part off the axis and twice |a_j|."""
    return 4 * growth(evidence, t)


def log_output(evidence: Evidence, state: State, label: int) -> float:
    """Of ln|h(x_k)|: each term a_j²q_jk carries two log-norms and a direction, and terms of both signs may cancel."""
    logs = 2 * to_float(state.log_norms) + state.arithmetic.magnitude(state.moving[:, label])
    top = float(logs.max(initial=-np.inf))
    if top == -np.inf:
        return 0.0
    terms = np.exp(logs - top)
    total = abs(float(to_float(state.signs) @ terms))
    return 3 * log_norm(evidence, float(state.t)) * float(terms.sum()) / total if total > 0 else math.inf


def log_residual(evidence: Evidence, state: State, side: int) -> float:
    """Of ln of the residual on the labels of a sign, at a fixed time.

    It moves with the clock, which log-norms set and which it feels twice (its rate is 2‖D‖ against ‖D‖) as far as the
    labels are fitted. It decays at a rate Σ a_j²/n, off by two local errors and by what a plateau that fits may
    neglect, for as long as it has decayed.
    """
    trajectory, decayed = evidence.trajectory, depth(evidence, state, side)
    decay = 2 * float(trajectory.estimate.local(float(state.t))) + float(trajectory.rtol)
    return 2 * log_norm(evidence, float(state.t)) * fitted_share(decayed) + decay * decayed


def fitted_share(decayed: float) -> float:
    """1 − r/y, for a residual that has decayed by so much: :func:`depth`."""
    return -math.expm1(-decayed)


def depth(evidence: Evidence, state: State, side: int) -> float:
    """How far, in nats, the residual on the labels of a sign has decayed from them along their axis.

    Across the axis it starts smaller and decays half as fast.
    """
    log_y = math.log(evidence.problem.dataset.n * target_norm(evidence.problem, side))
    along, across = float(state.axis(side).log_along), float(state.axis(side).log_across)
    left = along if along > -math.inf else across
    return max(log_y - left, 0.0) if left > -math.inf else 0.0


def excess_share(state: State, side: int) -> float:
    """|Σ a_j²(1 − cos) − ⟨ŷ, o⟩| over |⟨r, ŷ⟩|: what a gap n‖D‖ − u does not have from the residual."""
    log_excess, log_axis = float(log_axis_excess(state, side)[1]), float(state.axis(side).log_along)
    return math.exp(min(log_excess - log_axis, 700.0)) if log_excess > -math.inf else 0.0


def log_gap(evidence: Evidence, state: State, side: int) -> float:
    """Of ln(n‖D‖ − u) at a fixed time: residual and excess, amplified where they cancel.

    A term a_j²(1 − cos) of the excess carries two log-norms and a tilt: six estimates.
    """
    share = excess_share(state, side)
    parts = log_residual(evidence, state, side) + 6 * log_norm(evidence, float(state.t)) * share
    sign = float(state.axis(side).sign) * float(log_axis_excess(state, side)[0])
    left = abs(1 - sign * share)
    return parts / left if left > 0 else math.inf


def level(evidence: Evidence, state: State, condition: str, side: int) -> float:
    """Of the level of a condition that ends a phase, at a fixed time: see :mod:`verify.phases` for their names."""
    t = float(state.t)
    if condition == "fit":
        return log_gap(evidence, state, side)
    if condition == "unfit":
        return log_residual(evidence, state, +1)
    if condition == "tilt":
        return log_tilt(evidence, t)
    return log_norm(evidence, t) * (2 if condition == "size" else 1)


def time(evidence: Evidence, end: Exit, side: int) -> float:
    """Of the time of an exit: that of its level and what the level misses, over the rate at which it rises; rounding.

    A phase that ends as it begins does so for certain once the level is met by more than its error; phase 3 begins
    at t₂.
    """
    doubt = level(evidence, evidence.timeline.state(end.t), str(end.condition), side)
    if end.excess > doubt:
        return time(evidence, evidence.second_exit, +1) if end is evidence.third_exit else UNIT * end.t
    return ((doubt + end.miss) / end.slope if end.slope > 0 else math.inf) + UNIT * end.t


def drift(evidence: Evidence, end: Exit, side: int) -> float:
    """What the error of an exit's time does to a logarithm read there: none moves faster than twice ‖y‖/n."""
    return 2 * evidence.trajectory.fastest * time(evidence, end, side)


def largest(
    evidence: Evidence, measure: Measure, window: tuple[float, float], bar: Callable[[Evidence, float], float]
) -> tuple[Extreme, float]:
    """The largest value of a family over a window of time, and its error bar, given that of a value at a time.

    A maximum inside the window is located to a tenth of the bar of values at its end; one at either end is exact.
    """
    noise = bar(evidence, window[1]) / 10
    worst = evidence.timeline.largest(measure, *window, noise=noise)
    return worst, bar(evidence, worst.t) + located(worst, window, noise)


def located(worst: Extreme, window: tuple[float, float], noise: float) -> float:
    """How far a maximum over a window may be missed that is located to ``noise``: not at all at either end."""
    return noise if window[0] < worst.t < window[1] else 0.0


def drift_at(evidence: Evidence, t: float, end: Exit, side: int) -> float:
    """:func:`drift` where the worst time is the end of the phase, nothing where it lies before."""
    return drift(evidence, end, side) if t == end.t else 0.0


def passage(evidence: Evidence, end: Exit) -> float:
    """Of the level that ended a phase, at the time found: it is 0 there up to what it misses, and rounding."""
    return end.miss + 2 * evidence.trajectory.fastest * UNIT * end.t


def passed_by_fit(end: Exit) -> bool:
    """Whether the gap of the fit has just come down to its level where the phase ends, so that it is known."""
    return end.condition == "fit" and end.excess == 0


def log_target_at(evidence: Evidence, end: Exit, side: int) -> float:
    """Of ln‖D±ᵗ‖ where a phase ends: along the axis the gap and its excess, beside it what the clock and decay do."""
    state = evidence.timeline.state(end.t)
    free = log_residual(evidence, state, side) + drift(evidence, end, side)
    if not passed_by_fit(end):
        return free
    along, across = float(state.axis(side).log_along), float(state.axis(side).log_across)
    beside = math.exp(2 * across - float(log_sum(np.array([2 * along, 2 * across]))))
    excess = 6 * log_norm(evidence, end.t) * excess_share(state, side)
    return passage(evidence, end) + excess + beside * free


def death(evidence: Evidence, t: float, label: int) -> float:
    """Of the time of a deactivation: p_jk/|a_j| passes 0 at the rate |r_k|/n, and the time is a rounded sum."""
    residual = abs(float(evidence.timeline.state(t).residual[label]))
    rate = residual / evidence.problem.dataset.n
    return growth(evidence, t) / rate + ROUNDING * t if rate > 0 else math.inf
