"""Lemma 6: a coordinate that is negative never moves again."""

from __future__ import annotations

import numpy as np

from verify.claim import Claim, Margin, Vacuous, relative_margin
from verify.evidence import Evidence
from verify.flow.state import State
from verify.notation import BoolArray, FloatArray

TOLERANCE = 1e-9
"""Relative change of a frozen coordinate that counts as none."""

SMALLEST = -600.0
"""Coordinates below e to this power of |a_j| are not compared: their neighbours in float64 are too coarse."""


def _coordinates(state: State) -> tuple[BoolArray, FloatArray]:
    """(m, n): which p_jk are negative, and ln(|p_jk|/λ)."""
    directions = np.asarray(state.directions, dtype=np.float64)
    with np.errstate(divide="ignore"):
        sizes = np.log(np.abs(directions))
    growth = np.asarray(state.log_growth, dtype=np.float64)[:, None]
    return (directions < 0) & (sizes > SMALLEST), np.where(sizes > SMALLEST, sizes + growth, np.nan)


def frozen(evidence: Evidence) -> Margin | Vacuous:
    """p_jk(t) < 0 implies p_jk(t') = p_jk(t) for all t' ≥ t, to ``TOLERANCE`` of itself. [R, Lemma 6]

    Compared from each sampled time to the next, and with the start.
    """
    times = evidence.timeline.samples(0.0, float(evidence.trajectory.t_end))
    negative, before = _coordinates(evidence.timeline.state(times[0]))
    worst, ever = 0.0, bool(negative.any())
    witness: tuple[int | None, int | None, float] = (None, None, float(times[0]))
    for t in times[1:]:
        still, now = _coordinates(evidence.timeline.state(t))
        compared = negative & ~np.isnan(now)
        ever |= bool(still.any())
        moved = np.abs(np.expm1(np.where(compared, np.minimum(now - before, 1.0), 0.0)))
        change = np.where(compared, np.where(still, moved, 1.0), 0.0)
        if change.size and change.max() > worst:
            j, k = np.unravel_index(int(change.argmax()), change.shape)
            worst, witness = float(change.max()), (int(j), int(k), float(t))
        negative, before = still | (negative & np.isnan(now)), np.where(np.isnan(now), before, now)
    if not ever:
        return Vacuous("no coordinate is ever negative")
    error = 8 * evidence.trajectory.arithmetic.epsilon * abs(SMALLEST)
    return relative_margin(worst, TOLERANCE, error, neuron=witness[0], label=witness[1], t=witness[2])


CLAIMS = (
    Claim("L6.frozen", "Lemma 6", "R", "⟨w_j(t), x_k⟩ < 0 implies ⟨w_j(t'), x_k⟩ = ⟨w_j(t), x_k⟩ for t' ≥ t", frozen),
)
