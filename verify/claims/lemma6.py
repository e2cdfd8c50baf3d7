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

NOISE = 1e-12
"""A coordinate that was not negative at the start counts as negative from this fraction of |a_j| on."""


def _coordinates(state: State) -> tuple[BoolArray, FloatArray, FloatArray]:
    """(m, n): which p_jk are negative, ln(|p_jk|/λ), and below which value of that float64 cannot tell p_jk from 0."""
    directions = np.asarray(state.directions, dtype=np.float64)
    growth = np.asarray(state.log_growth, dtype=np.float64)[:, None]
    with np.errstate(divide="ignore"):
        sizes = np.log(np.abs(directions)) + growth
    return directions < 0, sizes, np.broadcast_to(SMALLEST + growth, sizes.shape)


def frozen(evidence: Evidence) -> Margin | Vacuous:
    """p_jk(t) < 0 implies p_jk(t') = p_jk(t) for all t' ≥ t, to ``TOLERANCE`` of itself. [R, Lemma 6]

    A coordinate is compared at every sampled time with its value when it was first seen negative.
    """
    times = evidence.timeline.samples(0.0, float(evidence.trajectory.t_end))
    negative, known, _ = _coordinates(evidence.timeline.state(times[0]))
    worst, ever = 0.0, bool(negative.any())
    witness: tuple[int | None, int | None, float] = (None, None, float(times[0]))
    for t in times[1:]:
        state = evidence.timeline.state(t)
        still, now, floor = _coordinates(state)
        below = np.asarray(state.directions, dtype=np.float64) < -NOISE
        compared = negative & (known > floor)
        step = np.where(compared, now, 0.0) - np.where(compared, known, 0.0)
        moved = np.abs(np.expm1(np.clip(step, -50.0, 1.0)))
        change = np.where(compared, np.where(still, moved, 1.0), 0.0)
        if change.size and change.max() > worst * (1 + 1e-6):
            j, k = np.unravel_index(int(change.argmax()), change.shape)
            worst, witness = float(change.max()), (int(j), int(k), float(t))
        fresh = below & ~negative
        ever |= bool(below.any())
        negative, known = negative | fresh, np.where(fresh, now, known)
    if not ever:
        return Vacuous("no coordinate is ever negative")
    error = 8 * evidence.trajectory.arithmetic.epsilon * abs(SMALLEST)
    return relative_margin(worst, TOLERANCE, error, neuron=witness[0], label=witness[1], t=witness[2])


CLAIMS = (
    Claim("L6.frozen", "Lemma 6", "R", "⟨w_j(t), x_k⟩ < 0 implies ⟨w_j(t'), x_k⟩ = ⟨w_j(t), x_k⟩ for t' ≥ t", frozen),
)
