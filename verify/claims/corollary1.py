"""Corollary 1: at t₂ the network is near a strict saddle."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from verify.batches import Batched
from verify.claim import Claim, Margin, power_margin, relative_margin, slack_margin, unresolved
from verify.distance import measured_distance
from verify.evidence import Evidence
from verify.flow.arithmetic import Array, to_float
from verify.flow.state import State
from verify.hypotheses import TRAJECTORY, minus_neurons, plus_neurons
from verify.limits import saddle_curvature
from verify.measures import log_sum
from verify.notation import FloatArray
from verify.phases import Exit, fit_level
from verify.problem import Problem
from verify.sweep import CLEAR, Slope, sweep
from verify.unended import unended

SWEEP = np.array([30.0, 50.0, 70.0, 90.0])
"""Values of κ at which the exponent is fitted, for n‖D₊‖ = 1 and more; all of them resolve in float64."""

ROUNDINGS = 8.0
"""Units in the last place by which t₂ may lie beside its closed form, where that holds."""

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


def scales(problem: Problem) -> FloatArray:
    """The Λ at which the exponent is fitted: where the gap λ^(ε/5) of t₂ is a small share of n‖D₊‖ as well. [D]

    Otherwise labels below λ^(ε/5) would count as fitted from the start.
    """
    data = problem.dataset
    return np.asarray((SWEEP + 5 * max(-math.log(data.n * data.norm_plus), 0.0)) / problem.epsilon)


def exponent(evidence: Evidence) -> Margin:
    """The exponent p of ‖θ(t₂) − θ_S‖ ~ λ^(pε), fitted over a sweep of Λ, is 1/5 within 0.05. [R, Corollary 1]

    t₂ is taken as the time of the fit, which ``L3.exit`` says it is. The error bar is that of the fitted slope: its
    95 % interval, and what the error bars of the points do to it.
    """
    problem = evidence.problem

    def distance(other: Evidence) -> tuple[float, float]:
        other, t = _fitted(other)
        if t is None:
            return math.nan, math.inf
        state = other.timeline.state(t)
        level = float(fit_level(state, +1))
        at_once = t == other.time_plus
        excess, miss = (max(level, 0.0), 0.0) if at_once else (0.0, abs(level))
        end = Exit(t, "fit", 2 * problem.dataset.norm_plus, excess, miss)
        found = measured_distance(other, state, (1,), end)
        return found.log, found.uncertainty(-math.inf)

    def slack(slope: Slope) -> float:
        return 0.05 - abs(-slope.value / problem.epsilon - 0.2)

    def clear(slope: Slope) -> bool:
        return abs(slack(slope)) > CLEAR * slope.half_width / problem.epsilon

    slope = sweep(evidence, scales(problem), distance, enough=clear)
    if slope is None:
        return unresolved("fewer than three scales of the sweep could be resolved")
    measured, half = -slope.value / problem.epsilon, slope.half_width / problem.epsilon
    first, last = (float(x) * problem.epsilon for x in slope.x[[0, -1]])
    note = f"p = {measured:.4f} ± {half:.4f} over κ = {first:.4g} … {last:.4g}"
    margin = slack_margin(slack(slope), half, "relative", note=note)
    return replace(margin, exponent=measured, claimed_exponent=0.2)


def _fitted(evidence: Evidence) -> tuple[Evidence, float | None]:
    """When the positive labels are fitted, and evidence that reaches so far; None when they never are.

    Where the closed form has it to rounding, it is there; otherwise it is looked for about that time, and where the
    level does not pass there either, everywhere.
    """
    expected, width = _expected(evidence), 0.1 / evidence.problem.dataset.norm_plus
    rounding = ROUNDINGS * float(np.spacing(abs(expected)))
    if rounding < width < expected - evidence.time_plus:
        near = evidence.up_to(expected + width)
        before, after = expected - rounding, expected + rounding
        levels = fit_level(near.timeline.look([evidence.time_plus, before, expected, after]), +1)
        if levels[1] < 0 <= levels[3]:
            return near, expected
        found = near.timeline.monotone_passage(_fit, expected - width, expected + width)
        if found is not None and found > expected - width:
            return near, found
    return evidence, evidence.timeline.monotone_passage(_fit, evidence.time_plus, float(evidence.trajectory.t_end))


@Batched
def _fit(state: State) -> Array:
    return fit_level(state, +1)


def _expected(evidence: Evidence) -> float:
    """When u₊ = n‖D₊‖ − λ^(ε/5), if key neurons are aligned by then and no others are heard. [D]

    Then u₊ is logistic, n‖D₊‖/(1 + (n‖D₊‖/U) e^(−2‖D₊‖t)), and U = λ² Σ A_j² from the linearised flow before.
    """
    problem = evidence.problem
    norm, limit, kappa = problem.dataset.norm_plus, problem.dataset.n * problem.dataset.norm_plus, evidence.kappa
    if limit <= math.exp(-kappa / 5):
        return -math.inf
    log_start = float(log_sum(2 * to_float(evidence.log_amplitudes[evidence.key(+1)])))
    log_start -= 2 * problem.initialisation.minus_log_lambda
    return (math.log(limit) - log_start + kappa / 5 + math.log(limit - math.exp(-kappa / 5))) / (2 * norm)


def strict(evidence: Evidence) -> Margin:
    """θ_S is critical, and strict with curvature −‖D₋‖ along a zero neuron; 0 likewise with −‖D₊‖. [R]

    The quantity is the largest relative deviation of gradient and curvatures, held against ``TOLERANCE``; its error bar
    is the rounding of the sums it comes from.
    """
    deviation, rounding = saddle_curvature(evidence.problem, evidence.selected_sizes)
    return relative_margin(deviation, TOLERANCE, rounding, note=f"largest deviation {deviation:.2g}")


_HYPOTHESES = (*TRAJECTORY, plus_neurons, minus_neurons)

CLAIMS = (
    Claim("C1.saddle", "Corollary 1", "R", "‖θ(t₂) − θ_S‖ ≤ 2λ^(ε/5)/sqrt(2n‖D₊‖)", saddle, _HYPOTHESES),
    Claim("C1.exponent", "Corollary 1", "R", "ln‖θ(t₂) − θ_S‖ = ε/5 ln λ + O(1)", exponent, _HYPOTHESES),
    Claim("C1.strict", "Corollary 1", "R", "∇L(θ_S) = 0 and the Hessian has the eigenvalue −‖D₋‖", strict, _HYPOTHESES),
)
