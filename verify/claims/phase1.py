"""Steps in the proof of phase 1: residuals keep the labels' signs, and the cross terms f decrease to zero."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

import numpy as np

from verify import bars
from verify.batches import Batched
from verify.claim import Claim, Margin, Vacuous, power_margin, slack_margin
from verify.claims.lemma7 import early_time, last_death, time_left
from verify.evidence import Evidence
from verify.flow.state import State
from verify.hypotheses import TRAJECTORY, minus_neurons, negative_labels, plus_neurons
from verify.measures import log_outputs, side_labels, target_norm
from verify.notation import FloatArray


def sign(evidence: Evidence) -> Margin:
    """sign r_k = sign y_k and |h(x_k)| ≤ 4mc²λ^(2(1−rε)) for t ≤ t₋₁. [T, proof of Lemma 8, first step]

    The margin is the smaller of two distances in nats: of |h| from the bound, and from |y_k| where h has its sign.
    """
    problem = evidence.problem
    start, data = problem.initialisation, problem.dataset
    exponent = 2 * (1 / problem.epsilon - data.ratio)
    bound_log = math.log(4 * start.m) + 2 * math.log(start.c) - exponent * evidence.kappa

    def limits(signs: FloatArray) -> FloatArray:
        return np.minimum(bound_log, np.where(signs == np.sign(data.y), np.log(np.abs(data.y)), np.inf))

    @Batched
    def closeness(state: State) -> FloatArray:
        signs, logs = log_outputs(state)
        return np.asarray(logs - limits(signs))

    window, noise = (0.0, evidence.time_one), bars.log_norm(evidence, evidence.time_one)
    worst = evidence.timeline.largest(closeness, *window, noise=noise)
    state = evidence.timeline.state(worst.t)
    error = bars.log_output(evidence, state, worst.member)
    limit = float(limits(log_outputs(state)[0])[worst.member])
    return power_margin(
        worst.value + limit,
        limit,
        error + bars.located(worst, window, noise),
        kappa=evidence.kappa,
        claimed_exponent=exponent,
        label=worst.member,
        t=worst.t,
    )


def monotone(evidence: Evidence, side: int) -> Margin | Vacuous:
    """f(t) = ∓Σ (y_k/n)⟨w_j/‖w_j‖, x_k⟩ over active labels of the other sign decreases to 0 before t±₁. [T, third step]

    The margin is the smaller of: the slowest decrease −f′ while f > 0, over the square of the other target's norm,
    and the time left between the last death and t±₁, over t±₁. In f′ = ∓⟨y/n, s(r − q⟨q, r⟩)/n⟩ over active labels the
    directions q occur twice and the residual r once, of which ‖r‖/n is at most ‖D₊‖ + ‖D₋‖.
    """
    last = last_death(evidence, side)[0]
    if last == 0.0:
        return Vacuous("no neuron of the key set is ever active on a label of the other sign")
    left, other = time_left(evidence, side), target_norm(evidence.problem, -side)
    end = min(last, early_time(evidence, side))
    noise = bars.growth(evidence, end)
    worst = evidence.timeline.largest(Batched(partial(_rise, evidence, side)), 0.0, end, noise=noise * other**2)
    if not left.value > -worst.value / other**2:
        return replace(left, note=left.note or "time left")
    sizes = (other + target_norm(evidence.problem, side)) / other
    error = 3 * bars.growth(evidence, worst.t) * sizes + bars.located(worst, (0.0, end), noise)
    value = -worst.value / other**2
    return slack_margin(value, error, "relative", neuron=worst.member, t=worst.t, note="slowest decrease")


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
