"""Lemma 4: phase 3 ends in time, because the negative labels are fitted, with everything else in place."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from verify.batches import Batched
from verify.claim import Claim, Margin, Vacuous, power_margin
from verify.claims.lemma3 import largest_idle_norm
from verify.distance import log_distance, log_path_length
from verify.evidence import Evidence
from verify.flow.state import State
from verify.hypotheses import TRAJECTORY, minus_neurons, plus_neurons
from verify.measures import log_dynamic_target, target_norm
from verify.notation import FloatArray
from verify.phases import third_levels


def _never(evidence: Evidence, scale: str) -> Margin | None:
    """The margin when phase 3 has no end."""
    if evidence.third_exit.condition is not None:
        return None
    return Margin(-math.inf, 0.0, scale, note="phase 3 does not end before the flow rests")


def time(evidence: Evidence) -> Margin:
    """t₂ < t₃ ≤ −(1 + 3rε) ln λ/‖D₋‖: the smaller of the two relative slacks. [T, Lemma 4]"""
    problem, end = evidence.problem, evidence.third_exit
    scale, data = problem.initialisation.minus_log_lambda, problem.dataset
    bound = (1 + 3 * data.ratio * problem.epsilon) * scale / data.norm_minus
    slack, order = (bound - end.t) / bound, (end.t - evidence.second_exit.t) / bound
    if order == 0:
        return Margin(-5e-324, 0.0, "relative", t=end.t, note="phase 3 ends at once: t₃ = t₂")
    error = (evidence.time_uncertainty(end) + evidence.time_uncertainty(evidence.second_exit)) / bound
    return _never(evidence, "relative") or Margin(
        min(slack, order),
        error,
        "relative",
        math.log(end.t),
        math.log(bound),
        t=end.t,
        note=f"ended by {end.condition}",
    )


def exit(evidence: Evidence) -> Margin:
    """Phase 3 ends with u₋ = n‖D₋‖ − λ^(ε/29): distance, in nats, of the other conditions. [T, Lemma 4]"""
    never = _never(evidence, "nats")
    if never is not None:
        return never
    end = evidence.third_exit
    levels = third_levels(evidence.timeline.state(end.t))
    others = max(levels[name] for name in ("norm", "tilt", "unfit"))
    value = -others if end.condition == "fit" else levels["fit"]
    return Margin(value, depth_error(evidence, value), "nats", t=end.t, note=f"ended by {end.condition}")


def depth_error(evidence: Evidence, value: float) -> float:
    """Error of a distance in nats that rests on something that has decayed as far as that."""
    depth = abs(value) if math.isfinite(value) else 0.0
    return evidence.decay_error + 2 * evidence.local_error * depth


def align(evidence: Evidence) -> Margin | Vacuous:
    """⟨w_j/‖w_j‖, −D₋⟩ ≥ ‖D₋‖ − λ^(ε/14) for j in S₋₁ on [t₋₁, t₃]. [T, Lemma 4]"""
    kappa, norm, key = evidence.kappa, target_norm(evidence.problem, -1), evidence.key(-1)
    if -kappa / 14 >= np.log(norm):
        return Vacuous("λ^(ε/14) ≥ ‖D₋‖, and a neuron of the cone cannot be further than that from −D₋")

    @Batched
    def tilt(state: State) -> FloatArray:
        return np.where(key, np.asarray(state.log_misalignment(-1), dtype=np.float64), -np.inf)

    start, end = evidence.window(evidence.time_one, evidence.third_exit.t)
    worst = evidence.timeline.largest(tilt, start, end, noise=evidence.error)
    return power_margin(
        worst.value + math.log(norm),
        -kappa / 14,
        8 * evidence.error,
        kappa=kappa,
        claimed_exponent=1 / 14,
        neuron=worst.member,
        t=worst.t,
    )


def still(evidence: Evidence) -> Margin:
    """‖w_j(t₂) − w_j(t₃)‖ ≤ λ^(ε/15) for j in S₊₁. [T, Lemma 4]

    The quantity is the length of the path in between, an upper bound that does not cancel.
    """
    start, end = evidence.window(evidence.second_exit.t, evidence.third_exit.t)
    lengths = np.where(evidence.key(+1), log_path_length(evidence.timeline, start, end), -np.inf)
    worst = int(np.argmax(lengths))
    return power_margin(
        float(lengths[worst]),
        -evidence.kappa / 15,
        evidence.decay_error,
        kappa=evidence.kappa,
        claimed_exponent=1 / 15,
        neuron=worst,
        t=start,
    )


def fitted(evidence: Evidence) -> Margin | Vacuous:
    """‖D₊ᵗ‖ < λ^(ε/14) on [t₂, t₃]. [T, Lemma 4]"""
    if -evidence.kappa / 14 >= math.log(evidence.problem.dataset.norm_plus):
        return Vacuous("λ^(ε/14) ≥ ‖D₊‖, the value at the start")

    @Batched
    def size(state: State) -> FloatArray:
        return np.stack([log_dynamic_target(state, +1)], axis=-1)

    start, end = evidence.window(evidence.second_exit.t, evidence.third_exit.t)
    worst = evidence.timeline.largest(size, start, end, noise=evidence.error)
    return power_margin(
        worst.value,
        -evidence.kappa / 14,
        evidence.decay_error,
        kappa=evidence.kappa,
        claimed_exponent=1 / 14,
        t=worst.t,
    )


def idle(evidence: Evidence) -> Margin | Vacuous:
    """‖w_j‖ ≤ 3cλ^ε for j outside S₊₁ and S₋₁ on [0, t₃]. [T, Lemma 4]"""
    return largest_idle_norm(evidence, ~(evidence.key(1) | evidence.key(-1)), 3.0, evidence.third_exit.t)


def close(evidence: Evidence, corrected: bool) -> Margin:
    """‖θ(t₃) − θ*‖ ≤ λ^(ε/29), corrected: ≤ 2λ^(ε/29)/sqrt(2n‖D₋‖). [T, informal; erratum E4]

    The distance is gap/sqrt(2n‖D₋‖) to leading order, where the gap n‖D₋‖ − u₋ is λ^(ε/29) at t₃ by definition.
    """
    never = _never(evidence, "nats")
    if never is not None:
        return never
    data, t = evidence.problem.dataset, evidence.third_exit.t
    constant = math.log(2 / math.sqrt(2 * data.n * data.norm_minus)) if corrected else 0.0
    bound_log = constant - evidence.kappa / 29
    distance = log_distance(evidence, evidence.timeline.state(t), (1, -1))
    return power_margin(
        distance.log,
        bound_log,
        distance.uncertainty(bound_log),
        kappa=evidence.kappa,
        claimed_exponent=1 / 29,
        t=t,
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
