"""Lemma 12: after t₃ the loss decays exponentially and θ stays near θ*."""

from __future__ import annotations

import math

import numpy as np

from verify import bars
from verify.batches import Batched
from verify.claim import ROUNDING, Claim, Margin, power_margin, slack_margin
from verify.claims.lemma5 import RADIUS_EXPONENT
from verify.distance import log_distance, measured_distance
from verify.evidence import Evidence
from verify.flow.arithmetic import to_float
from verify.flow.state import State
from verify.hypotheses import TRAJECTORY, minus_neurons, plus_neurons
from verify.measures import log_speeds_squared
from verify.notation import FloatArray
from verify.unended import unended
from verify.windows import Extreme

LOCATED = 1e-3
"""To so many nats a largest distance is located that does not lie at t₃."""


def rate(evidence: Evidence) -> Margin:
    """L(θ(t)) ≤ L(θ(t₃)) e^(−‖D₋‖(t−t₃)) for t ≥ t₃. [R, Lemma 12]

    The margin is how far the smallest effective rate (ln L(t₃) − ln L(t))/(t − t₃) exceeds ‖D₋‖, relative to ‖D₋‖. Over
    short times, where that quotient is ill-conditioned, it is an average of the rates of the moment ‖∇L‖²/L, so that
    the least of these bounds it: where the bound does not suffice, what is seen at t₃ and over longer times decides,
    and how far the bound lies below belongs to the error bar.
    """
    norm, t = evidence.problem.dataset.norm_minus, evidence.third_exit.t
    if evidence.third_exit.condition is None:
        return unended(evidence, "t₃", "relative")
    start, shortest = evidence.timeline.state(t), 0.3 / norm

    @Batched
    def of_the_moment(state: State) -> FloatArray:
        return np.stack([-np.exp(log_speeds_squared(state) - to_float(state.log_loss))], axis=-1)

    @Batched
    def on_average(state: State) -> FloatArray:
        passed = np.maximum(to_float(state.t) - t, shortest)
        return np.stack([-(float(start.log_loss) - to_float(state.log_loss)) / passed], axis=-1)

    early = evidence.timeline.largest(of_the_moment, *evidence.window(t, t + shortest))
    late = evidence.timeline.largest(on_average, *evidence.window(t + shortest, math.inf))
    at_once = Extreme(float(of_the_moment.measure(evidence.trajectory.along([t]))[0, 0]), t, 0)
    seen, worst = max(at_once, late, key=_size), max(early, late, key=_size)
    unseen = 0.0
    if worst.value >= -norm:
        worst, unseen = seen, max(worst.value - seen.value, 0.0) / norm
    error = _rate_error(evidence, worst.t, -worst.value, worst is not late) / norm + unseen
    note = f"smallest effective rate {-worst.value / norm:.6g} ‖D₋‖"
    return slack_margin(-worst.value / norm - 1, error, "relative", t=worst.t, note=note)


def _size(extreme: Extreme) -> float:
    return extreme.value


def _rate_error(evidence: Evidence, t: float, rate: float, of_the_moment: bool) -> float:
    """Of an effective rate at a time, which is quadratic in norms and directions of neurons that have settled.

    At t₃ they have yet to settle, by the share that the residual is of the labels: as far as that, norms and the time
    are felt. Over longer times the quotient adds the rounding of both logarithms and of the time, for as long as it is.
    """
    trajectory, end = evidence.trajectory, evidence.third_exit
    share = 1 - bars.fitted_share(bars.depth(evidence, evidence.timeline.state(end.t), -1))
    unsettled = share * (2 * bars.log_norm(evidence, t) + bars.drift(evidence, end, -1))
    settled = 2 * bars.rounding(evidence, t) + 2 * float(trajectory.estimate.local(t)) + float(trajectory.rtol)
    motion = settled + unsettled
    if of_the_moment:
        return rate * motion
    sizes = sum(abs(float(evidence.timeline.state(s).log_loss)) + rate * s for s in (end.t, t))
    return rate * motion + ROUNDING * sizes / (t - end.t)


def ball(evidence: Evidence) -> Margin:
    """‖θ(t) − θ*‖ ≤ λ^(ε/160) for t ≥ t₃. [R, Lemma 12]"""
    if evidence.third_exit.condition is None:
        return unended(evidence, "t₃")

    @Batched
    def distance(state: State) -> FloatArray:
        return np.stack([log_distance(evidence, state, (1, -1)).log], axis=-1)

    window = evidence.window(evidence.third_exit.t, math.inf)
    worst = evidence.timeline.largest(distance, *window, noise=LOCATED)
    bound_log = -RADIUS_EXPONENT * evidence.kappa
    end = evidence.third_exit if worst.t == evidence.third_exit.t else None
    largest = measured_distance(evidence, evidence.trajectory.raw(worst.t), (1, -1), end)
    return power_margin(
        largest.log,
        bound_log,
        largest.uncertainty(bound_log) + bars.located(worst, window, LOCATED),
        kappa=evidence.kappa,
        claimed_exponent=RADIUS_EXPONENT,
        t=worst.t,
    )


_HYPOTHESES = (*TRAJECTORY, plus_neurons, minus_neurons)

CLAIMS = (
    Claim("L12.rate", "Lemma 12", "R", "L(θ(t)) ≤ L(θ(t₃)) exp(−‖D₋‖(t − t₃)) for t ≥ t₃", rate, _HYPOTHESES),
    Claim("L12.ball", "Lemma 12", "R", "‖θ(t) − θ*‖ ≤ λ^(ε/160) for t ≥ t₃", ball, _HYPOTHESES),
)
