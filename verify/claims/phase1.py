"""Steps in the proof of phase 1: residuals keep the labels' signs, and the cross terms f decrease to zero."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from verify.batches import Batched
from verify.claim import Claim, Margin, Vacuous
from verify.claims.lemma7 import early_time, last_death
from verify.evidence import Evidence
from verify.flow.state import State
from verify.hypotheses import TRAJECTORY, minus_neurons, negative_labels, plus_neurons
from verify.measures import log_outputs, side_labels, target_norm
from verify.notation import FloatArray


def sign(evidence: Evidence) -> Margin:
    """sign r_k = sign y_k and |h(x_k)| ≤ 4mc²λ^(2(1−rε)) for t ≤ t₋₁. [T, proof of Lemma 8, first step]

    The margin is the smaller of the two distances in nats: from the bound, and from |y_k|.
    """
    problem = evidence.problem
    start, data = problem.initialisation, problem.dataset
    exponent = 2 * (1 / problem.epsilon - data.ratio)
    bound_log = math.log(4 * start.m * start.c**2) - exponent * evidence.kappa
    limits = np.minimum(bound_log, np.log(np.abs(data.y)))

    @Batched
    def closeness(state: State) -> FloatArray:
        return np.asarray(log_outputs(state)[1] - limits)

    worst = evidence.timeline.largest(closeness, 0.0, evidence.time_one, noise=evidence.error)
    quantity_log = worst.value + float(limits[worst.member])
    return Margin(
        value=-worst.value,
        uncertainty=8 * evidence.error,
        scale="nats",
        quantity_log=quantity_log,
        bound_log=float(limits[worst.member]),
        exponent=quantity_log / -evidence.kappa,
        claimed_exponent=exponent,
        label=worst.member,
        t=worst.t,
    )


def monotone(evidence: Evidence, side: int) -> Margin | Vacuous:
    """f(t) = ∓Σ (y_k/n)⟨w_j/‖w_j‖, x_k⟩ over active labels of the other sign decreases to 0 before t±₁. [T, third step]

    The margin is the smaller of: the slowest decrease −f′ while f > 0, over the square of the other target's norm,
    and the time left between the last death and t±₁, over t±₁.
    """
    last, neuron, label = last_death(evidence, side)
    if last == 0.0:
        return Vacuous("no neuron of the key set is ever active on a label of the other sign")
    if last == math.inf:
        return Margin(-math.inf, 0.0, "relative", neuron=neuron, label=label, note="f never reaches 0")
    end = early_time(evidence, side)
    left = (end - last) / end
    scale = target_norm(evidence.problem, -side) ** 2
    worst = evidence.timeline.largest(
        Batched(partial(_rise, evidence, side)), 0.0, min(last, end), noise=evidence.error * scale
    )
    error = 16 * evidence.trajectory.local_error
    if left <= -worst.value / scale:
        return Margin(left, error, "relative", neuron=neuron, label=label, t=last, note="time left")
    return Margin(-worst.value / scale, error, "relative", neuron=worst.member, t=worst.t, note="slowest decrease")


def _rise(evidence: Evidence, side: int, state: State) -> FloatArray:
    """(m,): f′ for key neurons with f > 0, minus infinity for others."""
    problem = evidence.problem
    other, n = side_labels(problem, -side), problem.dataset.n
    moving = np.asarray(state.moving, dtype=np.float64)
    residual = np.asarray(state.residual, dtype=np.float64)[..., None, :]
    growth = (moving * residual).sum(axis=-1, keepdims=True)
    turning = (residual / n - moving * growth / n) * np.where(state.active, 1.0, 0.0)
    weights = np.where(other, -side * problem.dataset.y / n, 0.0)
    signs = problem.initialisation.signs
    concerned = evidence.key(side) & (state.active & other).any(axis=-1)
    return np.where(concerned, signs * (turning @ weights), -np.inf)


CLAIMS = (
    Claim(
        "P1.sign",
        "proof of Lemma 8, first step",
        "T",
        "sign r_k = sign y_k and |h(x_k)| ≤ 4mc²λ^(2(1−rε)) for t ≤ t₋₁",
        sign,
        (*TRAJECTORY, negative_labels),
    ),
    Claim(
        "P1.monotone",
        "proof of Lemma 7, third step",
        "T",
        "f(t) = −Σ_{active y_k<0} (y_k/n)⟨w_j/‖w_j‖, x_k⟩ decreases to 0 before t₊₁, j ∈ S₊₁",
        partial(monotone, side=1),
        (*TRAJECTORY, plus_neurons, negative_labels),
    ),
    Claim(
        "P1.monotone-",
        "proof of Lemma 8, third step",
        "T",
        "f(t) = Σ_{active y_k>0} (y_k/n)⟨w_j/‖w_j‖, x_k⟩ decreases to 0 before t₋₁, j ∈ S₋₁",
        partial(monotone, side=-1),
        (*TRAJECTORY, minus_neurons),
    ),
)
