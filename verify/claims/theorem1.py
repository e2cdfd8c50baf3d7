"""Theorem 1: the flow converges to zero loss, and to the minimal-norm interpolator θ* as λ → 0."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from verify import bars
from verify.claim import Claim, Margin, power_margin, slack_margin, unresolved
from verify.distance import Blurred, limit_distance
from verify.errors import PrecisionExhausted, SimulationFailed
from verify.evidence import Evidence
from verify.hypotheses import TRAJECTORY, minus_neurons, plus_neurons
from verify.measures import side_labels
from verify.notation import FloatArray
from verify.sweep import CLEAR, Slope, sweep

LOSS_FRACTION_LOG = -50 * math.log(10)
"""ln of the fraction of its start to which the loss must have fallen by the horizon."""

SWEEP = np.array([2.0, 4.0, 7.0, 11.0])
"""Values of 4εΛ at which the distance to θ* is measured; it falls like e to minus that, or faster."""


SHALLOWEST = 4.0
"""Where it falls so much faster that it is lost in rounding, smaller Λ are tried, the least of them not below this."""


def loss(evidence: Evidence) -> Margin:
    """L(θ^∞) = 0: by the horizon the loss has fallen below 10⁻⁵⁰ of its start, and every label is fitted. [T]

    Where the trajectory has come to rest depends on its digits; the horizon does not. The loss is a square: twice the
    error of the residual, of the labels of that sign which are off by more.
    """
    start = float(evidence.timeline.state(0.0).log_loss)
    end = evidence.timeline.state(min(evidence.horizon, float(evidence.trajectory.t_end)))
    fallen = float(end.log_loss) - start
    label = int(np.argmax(np.asarray(end.log_residual, dtype=np.float64)))
    sides = [side for side in (1, -1) if side_labels(evidence.problem, side).any()]
    error = 2 * max(bars.log_residual(evidence, end, side) for side in sides)
    nowhere = math.nan
    return power_margin(
        fallen, LOSS_FRACTION_LOG, error, kappa=0.0, claimed_exponent=nowhere, label=label, t=float(end.t)
    )


def bias(evidence: Evidence) -> Margin:
    """‖θ_λ^∞ − θ*‖ → 0 as λ → 0: the exponent in λ, fitted over a sweep, is positive. [T]

    The margin is the exponent, its uncertainty the half-width of the 95 % interval and what the error bars of the
    points add. Where most distances are lost in the rounding of shares it is an exponent that is not exceeded: of the
    largest λ^p that a distance with all of its noise stays below. Neurons that lie along their targets to all digits,
    with none beside them, end in θ* whatever λ is. The distance also controls ‖θ^∞‖² → 2n(‖D₊‖ + ‖D₋‖).
    """
    seen: list[tuple[float, Blurred]] = []

    def distance(other: Evidence) -> tuple[float, float]:
        found = limit_distance(other, (1, -1))
        seen.append((other.problem.initialisation.minus_log_lambda, found))
        return float(found.log), found.uncertainty(-math.inf)

    scales = SWEEP / (4 * evidence.problem.dataset.epsilon_max)
    slope = sweep(evidence, scales, distance, enough=_clear)
    if all(found.log == -math.inf for _, found in seen):
        return slack_margin(math.inf, 0.0, "relative", note="θ^∞ = θ* at every scale")
    if slope is None:
        slope = _shallower(evidence, scales, distance)
    if slope is None:
        return _least_exponent(seen)
    span = f"{len(slope.x)} scales, Λ = {slope.x[0]:.3g} … {slope.x[-1]:.3g}"
    note = f"‖θ^∞ − θ*‖ ~ λ^({-slope.value:.4g} ± {slope.half_width:.2g}), {span}"
    return replace(slack_margin(-slope.value, slope.half_width, "relative", note=note), exponent=-slope.value)


def _clear(slope: Slope) -> bool:
    return abs(slope.value) > CLEAR * slope.half_width


def _shallower(
    evidence: Evidence, scales: FloatArray, quantity: Callable[[Evidence], tuple[float, float]]
) -> Slope | None:
    """The first sweep that is resolved at half the scales, a quarter, …

    None where there is none, or before it the flow cannot be followed: labels over many orders of magnitude are stiff
    at small Λ, and more so at a smaller one.
    """
    slope = None
    try:
        while slope is None and scales[0] >= 2 * SHALLOWEST:
            scales = scales / 2
            slope = sweep(evidence, scales, quantity, enough=_clear)
    except (PrecisionExhausted, SimulationFailed):
        return None
    return slope


def _least_exponent(seen: list[tuple[float, Blurred]]) -> Margin:
    """The largest p with ‖θ^∞ − θ*‖ ≤ λ^p at one of the scales, noise included; unresolved where none is positive."""
    logs = np.array([found.upper for _, found in seen])
    errors, scales = np.array([found.relative for _, found in seen]), np.array([scale for scale, _ in seen])
    best = int(np.argmax(-logs / scales))
    value = float(-logs[best] / scales[best])
    if not value > 0:
        return unresolved("fewer than three scales of the sweep could be resolved")
    note = f"‖θ^∞ − θ*‖ ≤ λ^{value:.4g} at Λ = {scales[best]:.4g}, as far as rounding lets it be seen"
    return slack_margin(value, float(errors[best] / scales[best]), "relative", note=note)


_HYPOTHESES = (*TRAJECTORY, plus_neurons, minus_neurons)

CLAIMS = (
    Claim("T1.loss", "Theorem 1", "T", "L(θ^∞) = 0", loss, _HYPOTHESES),
    Claim("T1.bias", "Theorem 1", "T", "‖θ_λ^∞ − θ*‖ → 0 as λ → 0", bias, _HYPOTHESES),
)
