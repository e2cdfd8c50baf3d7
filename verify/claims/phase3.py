"""A step in the proof of phase 3: outputs stay above the negative labels, and S₊₁ stays dead on them."""

from __future__ import annotations

import math

import numpy as np

from verify.batches import Batched
from verify.claim import Claim, Margin
from verify.claims.lemma7 import last_death
from verify.evidence import Evidence
from verify.flow.state import State
from verify.hypotheses import TRAJECTORY, minus_neurons, plus_neurons
from verify.notation import FloatArray


def sign(evidence: Evidence) -> Margin:
    """h(x_k) ≥ y_k for y_k < 0 on [t₋₁, t₃], and S₊₁ dead on every y_k < 0 from t₊₁ on. [T, preliminaries of Lemma 11]

    The margin is the smaller of: the smallest (h(x_k) − y_k)/|y_k| (or the smallest float64 where it underflows), and
    the time left at t₊₁ since the last death.
    """
    data = evidence.problem.dataset
    last, neuron, label = last_death(evidence, +1)
    left = (evidence.time_plus - last) / evidence.time_plus
    start, end = evidence.window(evidence.time_one, evidence.third_exit.t)

    @Batched
    def below(state: State) -> FloatArray:
        """−ln of (h(x_k) − y_k)/|y_k|, larger the nearer an output is to its label; infinite beyond it."""
        logs = np.log(np.abs(data.y)) - np.asarray(state.log_residual, dtype=np.float64)
        return np.where(data.negative, np.where(state.residual_sign < 0, logs, np.inf), -np.inf)

    worst = evidence.timeline.largest(below, start, end)
    depth = math.exp(-worst.value) if worst.value < math.inf else -1.0
    if left <= depth or last == math.inf:
        return Margin(left, 8 * evidence.error, "relative", neuron=neuron, label=label, t=last, note="death in time")
    value = depth if depth < 0 else max(depth, 5e-324)
    error = min(evidence.decay_error, 0.5) * abs(depth)
    return Margin(value, error, "relative", label=worst.member, t=worst.t, note="outputs above labels")


CLAIMS = (
    Claim(
        "P3.sign",
        "Lemma 11, preliminaries",
        "T",
        "h(x_k) ≥ y_k for y_k < 0 on [t₋₁, t₃]; S₊₁ is inactive on every y_k < 0 from t₊₁ on",
        sign,
        (*TRAJECTORY, plus_neurons, minus_neurons),
    ),
)
