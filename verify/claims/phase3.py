"""A step in the proof of phase 3: outputs stay above the negative labels, and S₊₁ stays dead on them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from verify import bars
from verify.batches import Batched
from verify.claim import Claim, Margin, slack_margin
from verify.claims.lemma7 import time_left
from verify.evidence import Evidence
from verify.flow.arithmetic import to_float
from verify.flow.state import State
from verify.hypotheses import TRAJECTORY, minus_neurons, plus_neurons
from verify.measures import log_sum
from verify.notation import FloatArray


def sign(evidence: Evidence) -> Margin:
    """h(x_k) ≥ y_k for y_k < 0 on [t₋₁, t₃], and S₊₁ dead on every y_k < 0 from t₊₁ on. [T, preliminaries of Lemma 11]

    The margin is the smaller of: the time left at t₊₁ since the last death, and the smallest share of a label in the
    residual r on the negative labels, (h(x_k) − y_k)/‖r‖ over |y_k|/‖y₋‖. That is 1 at the start, 0 where an output
    reaches its label, and of order one however small the residual has become; r_k is known to its error beside ‖r‖.
    """
    data = evidence.problem.dataset
    sizes = np.where(data.negative, np.abs(data.y), 1.0) / (data.n * data.norm_minus)

    @Batched
    def excess(state: State) -> FloatArray:
        logs = np.where(data.negative, to_float(state.log_residual), -np.inf)
        size = log_sum(2 * logs)[..., None] / 2
        shares = state.residual_sign * np.exp(logs - np.where(size > -np.inf, size, 0.0))
        return np.where(data.negative, shares / sizes, -np.inf)

    window = evidence.window(evidence.time_one, evidence.third_exit.t)
    noise = bars.log_norm(evidence, window[1])
    worst = evidence.timeline.largest(excess, *window, noise=noise)
    left = time_left(evidence, +1)
    if not left.value > -worst.value:
        return replace(left, note=left.note or "death in time")
    error = bars.log_residual(evidence, evidence.timeline.state(worst.t), -1) / float(sizes[worst.member])
    error += bars.located(worst, window, noise)
    return slack_margin(-worst.value, error, "relative", label=worst.member, t=worst.t, note="outputs above labels")


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
