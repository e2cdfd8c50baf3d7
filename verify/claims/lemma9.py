"""Lemma 9: key neurons do not collapse during the alignment phase."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from verify import bars
from verify.batches import Batched
from verify.claim import Claim, Margin, power_margin
from verify.claims.lemma7 import early_time
from verify.evidence import Evidence
from verify.flow.state import State
from verify.hypotheses import TRAJECTORY, minus_neurons, plus_neurons
from verify.notation import FloatArray


def lower(evidence: Evidence, side: int) -> Margin:
    """‖w_j‖ > ½c̲λ^(1+ε) on [0, t₊₁] for S₊₁; ‖w_j‖ > ½c̲λ^(1+rε) on [0, t₋₁] for S₋₁. [T, Lemma 9]"""
    problem = evidence.problem
    key, scale = evidence.key(side), problem.initialisation.minus_log_lambda
    rate = 1.0 if side > 0 else problem.dataset.ratio

    @Batched
    def shrinkage(state: State) -> FloatArray:
        return np.where(key, -np.asarray(state.log_growth, dtype=np.float64), -np.inf)

    worst, error = bars.largest(evidence, shrinkage, (0.0, early_time(evidence, side)), bars.growth)
    exponent = 1 / problem.epsilon + rate
    return power_margin(
        -worst.value - scale,
        math.log(problem.initialisation.c_low / 2) - exponent * evidence.kappa,
        error,
        kappa=evidence.kappa,
        claimed_exponent=exponent,
        lower=True,
        neuron=worst.member,
        t=worst.t,
    )


CLAIMS = (
    Claim(
        "L9.lower+",
        "Lemma 9",
        "T",
        "‖w_j‖ > ½c̲λ^(1+ε) for j ∈ S₊₁ on [0, t₊₁]",
        partial(lower, side=1),
        (*TRAJECTORY, plus_neurons),
    ),
    Claim(
        "L9.lower-",
        "Lemma 9",
        "T",
        "‖w_j‖ > ½c̲λ^(1+rε) for j ∈ S₋₁ on [0, t₋₁]",
        partial(lower, side=-1),
        (*TRAJECTORY, minus_neurons),
    ),
)
