"""Theorem 1: the flow converges to zero loss, and to the minimal-norm interpolator θ* as λ → 0."""

from __future__ import annotations

import math

import numpy as np

from verify.claim import Claim, Margin, unresolved
from verify.distance import log_distance
from verify.evidence import Evidence
from verify.hypotheses import TRAJECTORY, minus_neurons, plus_neurons
from verify.sweep import sweep

LOSS_FRACTION_LOG = -50 * math.log(10)
"""ln of the fraction of its start to which the loss must have fallen when the flow rests."""

SWEEP = np.array([2.0, 4.0, 7.0, 11.0])
"""Values of 4εΛ at which the distance to θ* is measured; it falls like e to minus that, or faster."""

UNSEEN = -60.0
"""ln of a distance that is nothing but what the flow stops at."""


def loss(evidence: Evidence) -> Margin:
    """L(θ^∞) = 0: at rest the loss has fallen below 10⁻⁵⁰ of its start, and every label is fitted. [T]"""
    start = float(evidence.timeline.state(0.0).log_loss)
    end = evidence.timeline.state(float(evidence.trajectory.t_end))
    fallen = float(end.log_loss) - start
    label = int(np.argmax(np.asarray(end.log_residual, dtype=np.float64)))
    error = 16 * evidence.error * (1 + abs(fallen))
    return Margin(
        LOSS_FRACTION_LOG - fallen, min(error, 1.0), "nats", fallen, LOSS_FRACTION_LOG, label=label, t=float(end.t)
    )


def bias(evidence: Evidence) -> Margin:
    """‖θ_λ^∞ − θ*‖ → 0 as λ → 0: the exponent in λ, fitted over a sweep, is positive. [T]

    The margin is the exponent, its uncertainty the half-width of the 95 % interval. The distance also controls
    ‖θ^∞‖² → 2n(‖D₊‖ + ‖D₋‖).
    """

    def distance(other: Evidence) -> tuple[float, float]:
        found = log_distance(other, other.timeline.state(float(other.trajectory.t_end)), (1, -1))
        return found.log, found.uncertainty(-math.inf)

    scales = SWEEP / (4 * evidence.problem.dataset.epsilon_max)
    slope = sweep(evidence.problem, scales, distance)
    if slope is None:
        return unresolved("fewer than three scales of the sweep could be resolved")
    if slope.y.max() < UNSEEN:
        return Margin(float(-slope.y.max() / slope.x.max()), 0.0, "relative", note="θ^∞ = θ* at every scale")
    note = f"‖θ^∞ − θ*‖ ~ λ^({-slope.value:.4g} ± {slope.half_width:.2g}), {len(slope.x)} scales"
    return Margin(-slope.value, slope.half_width, "relative", exponent=-slope.value, note=note)


_HYPOTHESES = (*TRAJECTORY, plus_neurons, minus_neurons)

CLAIMS = (
    Claim("T1.loss", "Theorem 1", "T", "L(θ^∞) = 0", loss, _HYPOTHESES),
    Claim("T1.bias", "Theorem 1", "T", "‖θ_λ^∞ − θ*‖ → 0 as λ → 0", bias, _HYPOTHESES),
)
