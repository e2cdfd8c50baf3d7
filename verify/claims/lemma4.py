"""Lemma 4: phase 3 ends in time, because the negative labels are fitted, with everything else in place."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

import numpy as np

from verify import bars
from verify.batches import Batched
from verify.claim import Claim, Margin, Vacuous, power_margin, slack_margin
from verify.claims.lemma3 import exit_by_fit, largest_idle_norm, stays_aligned
from verify.displacement import log_displacement
from verify.distance import measured_distance
from verify.evidence import Evidence
from verify.flow.state import State
from verify.hypotheses import TRAJECTORY, minus_neurons, plus_neurons
from verify.measures import log_dynamic_target
from verify.notation import FloatArray
from verify.phases import third_levels
from verify.unended import late, unended


def time(evidence: Evidence) -> Margin:
    """t₂ < t₃ ≤ −(1 + 3rε) ln λ/‖D₋‖: the smaller of the two relative slacks. [T, Lemma 4]

    Where phase 3 ends as it begins, t₃ = t₂, the slack of the order is e^(−x) − 1, minus the share by which its
    condition is met too early, x its level in nats.
    """
    problem, end, second = evidence.problem, evidence.third_exit, evidence.second_exit
    scale, data = problem.initialisation.minus_log_lambda, problem.dataset
    bound = (1 + 3 * data.ratio * problem.epsilon) * scale / data.norm_minus
    if end.condition is None:
        return late(evidence, "t₃", 0.0, bound)
    slack, note = 1 - end.t / bound, f"ended by {end.condition}"
    error = bars.time(evidence, end, -1) / bound
    order, order_error = (end.t - second.t) / bound, error + bars.time(evidence, second, +1) / bound
    if end.excess > 0:
        order, order_error, note = math.expm1(-end.excess), _excess_error(evidence), f"{note} at once: t₃ = t₂"
    value, error = min((slack, error), (order, order_error))
    margin = slack_margin(value, error, "relative", t=end.t, note=note)
    return replace(margin, quantity_log=math.log(end.t), bound_log=math.log(bound))


def _excess_error(evidence: Evidence) -> float:
    """Of 1 − e^(−x), x the level by which phase 3 ends at once, whose derivative is at most 1."""
    end, second = evidence.third_exit, evidence.second_exit
    level = bars.level(evidence, evidence.timeline.state(end.t), str(end.condition), -1)
    return level + bars.drift(evidence, second, +1)


def exit(evidence: Evidence) -> Margin:
    """Phase 3 ends with u₋ = n‖D₋‖ − λ^(ε/29): distance, in nats, of the other conditions. [T, Lemma 4]"""
    end = evidence.third_exit
    if end.condition is None:
        return unended(evidence, "t₃")
    return exit_by_fit(evidence, end, third_levels(evidence.timeline.state(end.t)), -1)


def align(evidence: Evidence) -> Margin | Vacuous:
    """⟨w_j/‖w_j‖, −D₋⟩ ≥ ‖D₋‖ − λ^(ε/14) for j in S₋₁ on [t₋₁, t₃]. [T, Lemma 4]"""
    return stays_aligned(evidence, -1, 1 / 14, evidence.time_one, evidence.third_exit)


def still(evidence: Evidence) -> Margin:
    """‖w_j(t₂) − w_j(t₃)‖ ≤ λ^(ε/15) for j in S₊₁. [T, Lemma 4]

    The displacement is ∫a_j D_j, which does not cancel. The residual in it starts as ‖D₊ᵗ‖ at t₂ and decays at the
    rates of K/n, which are squares of norms; it pushes as far as |a_j| lets it, and along directions: four estimates.
    """
    second = evidence.second_exit
    if second.condition is None:
        return unended(evidence, "t₂")
    start, end = evidence.window(second.t, evidence.third_exit.t)
    lengths, quadrature = log_displacement(evidence.timeline, evidence.key(+1), start, end)
    worst = int(np.argmax(lengths))
    error = bars.log_target_at(evidence, second, +1) + 4 * bars.growth(evidence, start) + float(quadrature[worst])
    return power_margin(
        float(lengths[worst]),
        -evidence.kappa / 15,
        error,
        kappa=evidence.kappa,
        claimed_exponent=1 / 15,
        neuron=worst,
        t=start,
    )


def fitted(evidence: Evidence) -> Margin | Vacuous:
    """‖D₊ᵗ‖ < λ^(ε/14) on [t₂, t₃]. [T, Lemma 4]"""
    if -evidence.kappa / 14 >= math.log(evidence.problem.dataset.norm_plus):
        return Vacuous("λ^(ε/14) ≥ ‖D₊‖, the value at the start")
    second = evidence.second_exit
    if second.condition is None:
        return unended(evidence, "t₂")

    @Batched
    def size(state: State) -> FloatArray:
        return np.stack([log_dynamic_target(state, +1)], axis=-1)

    window, noise = evidence.window(second.t, evidence.third_exit.t), bars.log_norm(evidence, second.t)
    worst = evidence.timeline.largest(size, *window, noise=noise)
    at_start = worst.t == second.t
    error = bars.log_target_at(evidence, second, +1) if at_start else _later(evidence, worst.t)
    return power_margin(
        worst.value,
        -evidence.kappa / 14,
        error + bars.located(worst, window, noise),
        kappa=evidence.kappa,
        claimed_exponent=1 / 14,
        t=worst.t,
    )


def _later(evidence: Evidence, t: float) -> float:
    """Of ln‖D₊ᵗ‖ at a time in phase 3, which may be its end."""
    here = bars.log_residual(evidence, evidence.timeline.state(t), +1)
    return here + bars.drift_at(evidence, t, evidence.third_exit, -1)


def idle(evidence: Evidence) -> Margin | Vacuous:
    """‖w_j‖ ≤ 3cλ^ε for j outside S₊₁ and S₋₁ on [0, t₃]. [T, Lemma 4]"""
    return largest_idle_norm(evidence, ~(evidence.key(1) | evidence.key(-1)), 3.0, evidence.third_exit, -1)


def close(evidence: Evidence, corrected: bool) -> Margin:
    """‖θ(t₃) − θ*‖ ≤ λ^(ε/29), corrected: ≤ 2λ^(ε/29)/sqrt(2n‖D₋‖). [T, informal; erratum E4]

    The distance is gap/sqrt(2n‖D₋‖) to leading order, where the gap n‖D₋‖ − u₋ is λ^(ε/29) at t₃ by definition.
    """
    end, data = evidence.third_exit, evidence.problem.dataset
    if end.condition is None:
        return unended(evidence, "t₃")
    constant = math.log(2 / math.sqrt(2 * data.n * data.norm_minus)) if corrected else 0.0
    bound_log = constant - evidence.kappa / 29
    distance = measured_distance(evidence, evidence.timeline.state(end.t), (1, -1), end)
    return power_margin(
        distance.log,
        bound_log,
        distance.uncertainty(bound_log),
        kappa=evidence.kappa,
        claimed_exponent=1 / 29,
        t=end.t,
    )


_HYPOTHESES = (*TRAJECTORY, plus_neurons, minus_neurons)
_CLAIM = partial(Claim, source="Lemma 4", tag="T", hypotheses=_HYPOTHESES)

CLAIMS = (
    _CLAIM("L4.time", statement="t₂ < t₃ ≤ −(1 + 3rε) ln λ/‖D₋‖", measure=time),
    _CLAIM("L4.exit", statement="u₋(t₃) = n‖D₋‖ − λ^(ε/29) is what ends phase 3", measure=exit),
    _CLAIM("L4.align", statement="⟨w_j/‖w_j‖, −D₋⟩ ≥ ‖D₋‖ − λ^(ε/14) for j ∈ S₋₁ on [t₋₁, t₃]", measure=align),
    _CLAIM("L4.still", statement="‖w_j(t₂) − w_j(t₃)‖ ≤ λ^(ε/15) for j ∈ S₊₁", measure=still),
    _CLAIM("L4.fitted", statement="‖D₊ᵗ‖ < λ^(ε/14) on [t₂, t₃]", measure=fitted),
    _CLAIM("L4.idle", statement="‖w_j‖ ≤ 3cλ^ε for j ∉ S₊₁ ∪ S₋₁ on [0, t₃]", measure=idle),
    _CLAIM(
        "L4.close",
        statement="‖θ(t₃) − θ*‖ ≤ λ^(ε/29)",
        measure=partial(close, corrected=False),
        reading="literal",
    ),
    Claim(
        "L4.close.corrected",
        "Lemma 4 with erratum E4",
        "D",
        "‖θ(t₃) − θ*‖ ≤ 2λ^(ε/29)/sqrt(2n‖D₋‖)",
        partial(close, corrected=True),
        _HYPOTHESES,
        reading="corrected",
    ),
)
