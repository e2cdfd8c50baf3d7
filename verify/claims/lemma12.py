"""Lemma 12: after t₃ the loss decays exponentially and θ stays near θ*."""

from __future__ import annotations

import math

import numpy as np

from verify.batches import Batched
from verify.claim import Claim, Margin, power_margin
from verify.claims.lemma5 import RADIUS_EXPONENT
from verify.distance import log_distance
from verify.evidence import Evidence
from verify.flow.boost import to_float
from verify.flow.state import State
from verify.hypotheses import TRAJECTORY, minus_neurons, plus_neurons
from verify.measures import log_speeds_squared
from verify.notation import FloatArray


def rate(evidence: Evidence) -> Margin:
    """L(θ(t)) ≤ L(θ(t₃)) e^(−‖D₋‖(t−t₃)) for t ≥ t₃. [R, Lemma 12]

    The margin is how far the smallest effective rate (ln L(t₃) − ln L(t))/(t − t₃) exceeds ‖D₋‖, relative to ‖D₋‖; over
    short times, where that quotient is ill-conditioned, the rate of the moment ‖∇L‖²/L takes its place.
    """
    norm, t = evidence.problem.dataset.norm_minus, evidence.third_exit.t
    if evidence.third_exit.condition is None:
        return Margin(-math.inf, 0.0, "relative", note="phase 3 does not end before the flow rests")
    start = evidence.timeline.state(t)
    shortest = 0.3 / norm

    @Batched
    def slowness(state: State) -> FloatArray:
        passed = to_float(state.t) - t
        early = passed < shortest
        moment = np.exp(np.where(early, log_speeds_squared(state), 0.0) - np.where(early, state.log_loss, 0.0))
        average = (start.log_loss - state.log_loss) / np.maximum(passed, shortest)
        return np.stack([-np.where(early, moment, average)], axis=-1)

    worst = evidence.timeline.largest(slowness, *evidence.window(t, math.inf))
    error = 32 * evidence.trajectory.local_error * (1 + evidence.kappa) / (shortest * norm)
    note = f"smallest effective rate {-worst.value / norm:.6g} ‖D₋‖"
    return Margin(-worst.value / norm - 1, error, "relative", t=worst.t, note=note)


def ball(evidence: Evidence) -> Margin:
    """‖θ(t) − θ*‖ ≤ λ^(ε/160) for t ≥ t₃. [R, Lemma 12]"""
    if evidence.third_exit.condition is None:
        return Margin(-math.inf, 0.0, "nats", note="phase 3 does not end before the flow rests")

    @Batched
    def distance(state: State) -> FloatArray:
        return np.stack([log_distance(evidence, state, (1, -1)).log], axis=-1)

    worst = evidence.timeline.largest(distance, *evidence.window(evidence.third_exit.t, math.inf), noise=1e-3)
    bound_log = -RADIUS_EXPONENT * evidence.kappa
    largest = log_distance(evidence, evidence.trajectory.raw(worst.t), (1, -1))
    return power_margin(
        largest.log,
        bound_log,
        largest.uncertainty(bound_log),
        kappa=evidence.kappa,
        claimed_exponent=RADIUS_EXPONENT,
        t=worst.t,
    )


_HYPOTHESES = (*TRAJECTORY, plus_neurons, minus_neurons)

CLAIMS = (
    Claim("L12.rate", "Lemma 12", "R", "L(θ(t)) ≤ L(θ(t₃)) exp(−‖D₋‖(t − t₃)) for t ≥ t₃", rate, _HYPOTHESES),
    Claim("L12.ball", "Lemma 12", "R", "‖θ(t) − θ*‖ ≤ λ^(ε/160) for t ≥ t₃", ball, _HYPOTHESES),
)
