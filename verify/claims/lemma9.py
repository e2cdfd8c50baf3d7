"""Lemma 9: key neurons do not collapse during the alignment phase."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from verify.batches import Batched
from verify.claim import Claim, Margin
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

    worst = evidence.timeline.largest(shrinkage, 0.0, early_time(evidence, side), noise=evidence.error)
    smallest_log = -worst.value - scale
    bound_log = math.log(problem.initialisation.c_low / 2) - (1 / problem.epsilon + rate) * evidence.kappa
    return Margin(
        value=smallest_log - bound_log,
        uncertainty=4 * evidence.error,
        scale="nats",
        quantity_log=smallest_log,
        bound_log=bound_log,
        exponent=-smallest_log / evidence.kappa,
        claimed_exponent=1 / problem.epsilon + rate,
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
