"""Lemma 2: by t₁ = −ε ln λ/‖D₋‖ the key neurons are aligned and every norm is still small."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from verify import bars
from verify.batches import Batched
from verify.claim import Claim, Margin, Vacuous, power_margin
from verify.evidence import Evidence
from verify.flow.state import State
from verify.hypotheses import TRAJECTORY, minus_neurons, negative_labels, plus_neurons
from verify.notation import FloatArray


def align(evidence: Evidence, side: int) -> Margin | Vacuous:
    """1 − cos∠(w_j, ±D±) ≤ 2λ^ε at t₁ for every j in S±₁. [T, Lemma 2]"""
    return aligned_at(evidence, side, evidence.time_one)


def aligned_at(evidence: Evidence, side: int, t: float) -> Margin | Vacuous:
    """The margin of 1 − cos∠(w_j, ±D±) ≤ 2λ^ε at time ``t`` over the key set of the side."""
    kappa = evidence.kappa
    bound_log = math.log(2) - kappa
    if bound_log >= 0:
        return Vacuous("2λ^ε ≥ 1, and a neuron of the cone cannot be further than that from its target")
    tilt = np.asarray(evidence.timeline.state(t).log_misalignment(side), dtype=np.float64)
    tilt = np.where(evidence.key(side), tilt, -np.inf)
    worst = int(np.argmax(tilt))
    error = bars.log_tilt(evidence, t)
    return power_margin(float(tilt[worst]), bound_log, error, kappa=kappa, claimed_exponent=1.0, neuron=worst, t=t)


def norm(evidence: Evidence) -> Margin:
    """‖w_j‖ ≤ 2cλ^(1−rε) for every j, at and up to t₁. [T, Lemma 2]"""
    problem = evidence.problem
    scale, ratio = problem.initialisation.minus_log_lambda, problem.dataset.ratio
    worst, error = bars.largest(evidence, Batched(_growth), (0.0, evidence.time_one), bars.growth)
    exponent = 1 / problem.epsilon - ratio
    return power_margin(
        worst.value - scale,
        math.log(2 * problem.initialisation.c) - exponent * evidence.kappa,
        error,
        kappa=evidence.kappa,
        claimed_exponent=exponent,
        neuron=worst.member,
        t=worst.t,
    )


def _growth(state: State) -> FloatArray:
    return np.asarray(state.log_growth, dtype=np.float64)


CLAIMS = (
    Claim(
        "L2.align+",
        "Lemma 2",
        "T",
        "⟨w_j/‖w_j‖, D₊⟩ ≥ (1 − 2λ^ε)‖D₊‖ at t₁ for j ∈ S₊₁",
        partial(align, side=+1),
        (*TRAJECTORY, negative_labels, plus_neurons),
    ),
    Claim(
        "L2.align-",
        "Lemma 2",
        "T",
        "⟨w_j/‖w_j‖, −D₋⟩ ≥ (1 − 2λ^ε)‖D₋‖ at t₁ for j ∈ S₋₁",
        partial(align, side=-1),
        (*TRAJECTORY, minus_neurons),
    ),
    Claim(
        "L2.norm",
        "Lemma 2",
        "T",
        "‖w_j‖ ≤ 2cλ^(1−rε) for all j, at and up to t₁",
        norm,
        (*TRAJECTORY, negative_labels),
    ),
)
