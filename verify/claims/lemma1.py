"""Lemma 1: a_j² − ‖w_j‖² is conserved, and an output weight that dominates keeps its sign."""

from __future__ import annotations

import numpy as np

from verify import bars
from verify.batches import Batched
from verify.claim import Claim, Margin, Vacuous, relative_margin, slack_margin
from verify.evidence import Evidence
from verify.flow.state import State
from verify.measures import log_norm_excess
from verify.notation import FloatArray

TOLERANCE = 1e-9
"""Drift, relative to a_j² + ‖w_j‖², that counts as none."""


def _imbalance(evidence: Evidence) -> FloatArray:
    """(m,): (a_j² − ‖w_j‖²)/λ² at the start."""
    start = evidence.problem.initialisation
    if start.output_scale is None:
        return np.zeros(start.m)
    return (start.output_scale - start.norms) * (start.output_scale + start.norms)


def conserved(evidence: Evidence) -> Margin:
    """a_j² − ‖w_j‖² does not change with time, to ``TOLERANCE``. [T, Lemma 1]

    The error bar is the trajectory's own of that difference, what its steps neglect of it and rounding.
    """
    start = _imbalance(evidence)

    @Batched
    def drift(state: State) -> FloatArray:
        ratio = np.exp(np.asarray(2 * log_norm_excess(state), dtype=np.float64))
        growth = np.asarray(state.log_growth, dtype=np.float64)
        shrunk = start * np.exp(np.where(start == 0, 0.0, -2 * growth))
        return np.asarray(np.abs(1 - ratio - shrunk) / (1 + ratio))

    error = float(evidence.trajectory.estimate.balance)
    worst, error = bars.largest(evidence, drift, (0.0, float(evidence.trajectory.t_end)), lambda *_: error)
    return relative_margin(worst.value, TOLERANCE, error, neuron=worst.member, t=worst.t)


def sign(evidence: Evidence) -> Margin | Vacuous:
    """s_j a_j > 0 at all times for every neuron with |a_j| ≥ ‖w_j‖ at the start. [T, Lemma 1]

    The margin is the smallest s_j a_j over the root of a_j² + ‖w_j‖²; it is 1/√2 for a balanced neuron. It is off by
    less than a fifth of what a_j² − ‖w_j‖² is beside a_j², and where that is not 0 by the growth of a_j² as well.
    """
    dominant = _imbalance(evidence) >= 0
    if not dominant.any():
        return Vacuous("no neuron has |a_j| ≥ ‖w_j‖ at the start")
    signs = evidence.problem.initialisation.signs

    @Batched
    def wrong_share(state: State) -> FloatArray:
        ratio = np.exp(np.asarray(2 * log_norm_excess(state), dtype=np.float64))
        share = signs * np.asarray(state.signs, dtype=np.float64) / np.sqrt(1 + ratio)
        return np.where(dominant, -share, -np.inf)

    estimate = evidence.trajectory.estimate
    balanced = evidence.problem.initialisation.is_balanced
    error = float(estimate.balance) / 5 + (0.0 if balanced else float(estimate.motion()))
    worst, error = bars.largest(evidence, wrong_share, (0.0, float(evidence.trajectory.t_end)), lambda *_: error)
    return slack_margin(-worst.value, error, "relative", neuron=worst.member, t=worst.t)


CLAIMS = (
    Claim("L1.conserved", "Lemma 1", "T", "a_j(t)² − ‖w_j(t)‖² = a_j(0)² − ‖w_j(0)‖² for all t", conserved),
    Claim("L1.sign", "Lemma 1", "T", "sign a_j(t) = s_j for all t if |a_j(0)| ≥ ‖w_j(0)‖", sign),
)
