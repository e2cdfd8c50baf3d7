"""Lemma 3: phase 2 ends in time, because the positive labels are fitted, with S₊₁ still aligned."""

from __future__ import annotations

import math

import numpy as np

from verify.claim import Claim, Margin, Vacuous, power_margin, relative_margin
from verify.evidence import Evidence
from verify.flow.state import State
from verify.hypotheses import TRAJECTORY, plus_neurons
from verify.measures import target_norm
from verify.notation import FloatArray
from verify.phases import second_phase_levels


def time(evidence: Evidence) -> Margin:
    """t₂ ≤ −(1 + 3ε) ln λ/‖D₊‖. [T, Lemma 3]"""
    problem, end = evidence.problem, evidence.second_exit
    bound = (1 + 3 * problem.epsilon) * problem.initialisation.minus_log_lambda / problem.dataset.norm_plus
    if end.condition is None:
        return Margin(-math.inf, 0.0, "relative", note="phase 2 does not end before the flow rests")
    return relative_margin(end.t, bound, evidence.time_uncertainty(end), t=end.t, note=f"ended by {end.condition}")


def exit(evidence: Evidence) -> Margin:
    """Phase 2 ends with u₊ = n‖D₊‖ − λ^(ε/5), not with a norm or a tilt. [T, Lemma 3]

    The margin is the distance, in nats, from the nearest of the other two conditions when the fit is reached; when
    one of them comes first it is minus what the fit still misses.
    """
    end = evidence.second_exit
    if end.condition is None:
        return Margin(-math.inf, 0.0, "nats", note="phase 2 does not end before the flow rests")
    levels = second_phase_levels(evidence.timeline.state(end.t))
    value = -max(levels["norm"], levels["tilt"]) if end.condition == "fit" else levels["fit"]
    error = 8 * evidence.error * (1 + abs(value))
    return Margin(value, error, "nats", t=end.t, note=f"ended by {end.condition}")


def align(evidence: Evidence) -> Margin | Vacuous:
    """⟨w_j/‖w_j‖, D₊⟩ ≥ ‖D₊‖ − λ^(ε/2) for j in S₊₁ on [t₊₁, t₂]. [T, Lemma 3]"""
    kappa, norm = evidence.kappa, target_norm(evidence.problem, +1)
    if -kappa / 2 >= np.log(norm):
        return Vacuous("λ^(ε/2) ≥ ‖D₊‖, and a neuron of the cone cannot be further than that from D₊")
    key = evidence.key(+1)

    def tilt(state: State) -> FloatArray:
        return np.where(key, np.asarray(state.log_misalignment(+1), dtype=np.float64), -np.inf)

    end = min(evidence.second_exit.t, float(evidence.trajectory.t_end))
    worst = evidence.timeline.largest(tilt, evidence.time_plus, end, noise=evidence.error)
    return power_margin(
        worst.value + math.log(norm),
        -kappa / 2,
        8 * evidence.error,
        kappa=kappa,
        claimed_exponent=0.5,
        neuron=worst.member,
        t=worst.t,
    )


_HYPOTHESES = (*TRAJECTORY, plus_neurons)

CLAIMS = (
    Claim("L3.time", "Lemma 3", "T", "t₂ ≤ −(1 + 3ε) ln λ/‖D₊‖", time, _HYPOTHESES),
    Claim("L3.exit", "Lemma 3", "T", "u₊(t₂) = n‖D₊‖ − λ^(ε/5) is what ends phase 2", exit, _HYPOTHESES),
    Claim(
        "L3.align",
        "Lemma 3",
        "T",
        "⟨w_j/‖w_j‖, D₊⟩ ≥ ‖D₊‖ − λ^(ε/2) for j ∈ S₊₁ on [t₊₁, t₂]",
        align,
        _HYPOTHESES,
    ),
)
