"""Lemma 1: a_j² − ‖w_j‖² is conserved, and an output weight that dominates keeps its sign."""

from __future__ import annotations

import numpy as np

from verify.batches import Batched
from verify.claim import Claim, Margin, Vacuous, relative_margin
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
    """a_j² − ‖w_j‖² does not change with time, to ``TOLERANCE``. [T, Lemma 1]"""
    start = _imbalance(evidence)

    @Batched
    def drift(state: State) -> FloatArray:
        ratio = np.exp(np.asarray(2 * log_norm_excess(state), dtype=np.float64))
        growth = np.asarray(state.log_growth, dtype=np.float64)
        shrunk = start * np.exp(np.where(start == 0, 0.0, -2 * growth))
        return np.asarray(np.abs(1 - ratio - shrunk) / (1 + ratio))

    error = 4 * evidence.trajectory.local_error
    worst = evidence.timeline.largest(drift, 0.0, float(evidence.trajectory.t_end), noise=error)
    return relative_margin(worst.value, TOLERANCE, error, neuron=worst.member, t=worst.t)


def sign(evidence: Evidence) -> Margin | Vacuous:
    """s_j a_j > 0 at all times for every neuron with |a_j| ≥ ‖w_j‖ at the start. [T, Lemma 1]

    The margin is the smallest s_j a_j over the root of a_j² + ‖w_j‖²; it is 1/√2 for a balanced neuron.
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

    error = 4 * evidence.trajectory.local_error
    worst = evidence.timeline.largest(wrong_share, 0.0, float(evidence.trajectory.t_end), noise=error)
    return Margin(-worst.value, error, "relative", neuron=worst.member, t=worst.t)


CLAIMS = (
    Claim("L1.conserved", "Lemma 1", "T", "a_j(t)² − ‖w_j(t)‖² = a_j(0)² − ‖w_j(0)‖² for all t", conserved),
    Claim("L1.sign", "Lemma 1", "T", "sign a_j(t) = s_j for all t if |a_j(0)| ≥ ‖w_j(0)‖", sign),
)
