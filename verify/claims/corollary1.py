"""Corollary 1: at t₂ the network is near a strict saddle."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from verify.batches import Batched
from verify.claim import Claim, Margin, power_margin, relative_margin, slack_margin, unresolved
from verify.distance import measured_distance
from verify.evidence import Evidence
from verify.flow.arithmetic import Array
from verify.flow.state import State
from verify.hypotheses import TRAJECTORY, minus_neurons, plus_neurons
from verify.limits import saddle_curvature
from verify.phases import Exit, second_levels
from verify.sweep import sweep
from verify.unended import unended

SWEEP = np.array([30.0, 50.0, 70.0, 90.0])
"""Values of κ at which the exponent is fitted; all of them resolve in float64."""

TOLERANCE = 1e-6
"""Relative deviation of gradient and curvatures at the saddle that counts as none."""


def saddle(evidence: Evidence) -> Margin:
    """‖θ(t₂) − θ_S‖ ≤ 2λ^(ε/5)/sqrt(2n‖D₊‖). [R, Corollary 1; the constant is ours, twice the leading order]"""
    end, data = evidence.second_exit, evidence.problem.dataset
    if end.condition is None:
        return unended(evidence, "t₂")
    bound_log = math.log(2 / math.sqrt(2 * data.n * data.norm_plus)) - evidence.kappa / 5
    distance = measured_distance(evidence, evidence.timeline.state(end.t), (1,), end)
    return power_margin(
        distance.log,
        bound_log,
        distance.uncertainty(bound_log),
        kappa=evidence.kappa,
        claimed_exponent=0.2,
        t=end.t,
    )


def exponent(evidence: Evidence) -> Margin:
    """The exponent p of ‖θ(t₂) − θ_S‖ ~ λ^(pε), fitted over a sweep of Λ, is 1/5 within 0.05. [R, Corollary 1]

    t₂ is taken as the time of the fit, which ``L3.exit`` says it is. The error bar is that of the fitted slope: its
    95 % interval, and what the error bars of the points do to it.
    """
    problem = evidence.problem
    last: tuple[float, float] | None = None

    def distance(other: Evidence) -> tuple[float, float]:
        nonlocal last
        other, t = _fitted(other, last)
        if t is None:
            return math.nan, math.inf
        last = other.problem.initialisation.minus_log_lambda, t
        state = other.timeline.state(t)
        excess = max(float(second_levels(state)["fit"]), 0.0) if t == other.time_plus else 0.0
        end = Exit(t, "fit", 2 * problem.dataset.norm_plus, excess=excess)
        found = measured_distance(other, state, (1,), end)
        return found.log, found.uncertainty(-math.inf)

    slope = sweep(evidence, SWEEP / problem.epsilon, distance)
    if slope is None:
        return unresolved("fewer than three scales of the sweep could be resolved")
    measured, half = -slope.value / problem.epsilon, slope.half_width / problem.epsilon
    note = f"p = {measured:.4f} ± {half:.4f} over κ = {SWEEP[0]:g} … {SWEEP[-1]:g}"
    margin = slack_margin(0.05 - abs(measured - 0.2), half, "relative", note=note)
    return replace(margin, exponent=measured, claimed_exponent=0.2)


@Batched
def _fit(state: State) -> Array:
    return second_levels(state)["fit"]


def _fitted(evidence: Evidence, last: tuple[float, float] | None) -> tuple[Evidence, float | None]:
    """When the positive labels are fitted, and evidence that reaches so far; None when they never are.

    It is looked for about where it should be: u₊ grows at the rate 2‖D₊‖, so that t₂ moves by (1 + ε/10)/‖D₊‖ with Λ;
    ``last``: the Λ and the time at another scale. Where the level does not pass there it is looked for everywhere.
    """
    scale, norm = evidence.problem.initialisation.minus_log_lambda, evidence.problem.dataset.norm_plus
    where, t = last or (0.0, 0.0)
    expected, width = t + (scale - where) * (1 + evidence.problem.epsilon / 10) / norm, (0.1 if last else 10.0) / norm
    if expected - width > evidence.time_plus:
        near = evidence.up_to(expected + width)
        found = near.timeline.monotone_passage(_fit, expected - width, expected + width)
        if found is not None and found > expected - width:
            return near, found
    return evidence, evidence.timeline.monotone_passage(_fit, evidence.time_plus, float(evidence.trajectory.t_end))


def strict(evidence: Evidence) -> Margin:
    """θ_S is critical, and strict with curvature −‖D₋‖ along a zero neuron; 0 likewise with −‖D₊‖. [R]

    The quantity is the largest relative deviation of gradient and curvatures, held against ``TOLERANCE``; its error bar
    is the rounding of the sums it comes from.
    """
    deviation, rounding = saddle_curvature(evidence.problem)
    return relative_margin(deviation, TOLERANCE, rounding, note=f"largest deviation {deviation:.2g}")


_HYPOTHESES = (*TRAJECTORY, plus_neurons, minus_neurons)

CLAIMS = (
    Claim("C1.saddle", "Corollary 1", "R", "‖θ(t₂) − θ_S‖ ≤ 2λ^(ε/5)/sqrt(2n‖D₊‖)", saddle, _HYPOTHESES),
    Claim("C1.exponent", "Corollary 1", "R", "ln‖θ(t₂) − θ_S‖ = ε/5 ln λ + O(1)", exponent, _HYPOTHESES),
    Claim("C1.strict", "Corollary 1", "R", "∇L(θ_S) = 0 and the Hessian has the eigenvalue −‖D₋‖", strict, _HYPOTHESES),
)
