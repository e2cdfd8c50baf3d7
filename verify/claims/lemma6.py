"""Lemma 6: a coordinate that is negative never moves again."""

from __future__ import annotations

import numpy as np

from verify.batches import Batched
from verify.claim import UNIT, Claim, Margin, Vacuous, relative_margin
from verify.evidence import Evidence
from verify.notation import BoolArray, FloatArray

TOLERANCE = 1e-9
"""Relative change of a frozen coordinate that counts as none."""

SMALLEST = -600.0
"""Coordinates below e to this power of |a_j| are not compared: their neighbours in float64 are too coarse."""

READINGS = 4
"""Roundings between two readings of ln(|p_jk|/λ), in units of ln(|p_jk|/|a_j|): an exponential and a logarithm each."""

NOISE = 1e-12
"""A coordinate that was not negative at the start counts as negative from this fraction of |a_j| on."""


def frozen(evidence: Evidence) -> Margin | Vacuous:
    """p_jk(t) < 0 implies p_jk(t') = p_jk(t) for all t' ≥ t, to ``TOLERANCE`` of itself. [R, Lemma 6]

    A coordinate is compared at every sampled time with its value when it was first seen negative. The error bar is the
    rounding of the smallest coordinate compared, which is stored as p_jk/|a_j|.
    """
    timeline = evidence.timeline
    times = timeline.samples(0.0, float(evidence.trajectory.t_end))
    directions = timeline.values(Batched(lambda states: states.directions), times)
    growth = timeline.values(Batched(lambda states: states.log_growth), times)[..., None]
    below = directions < -NOISE
    below[0] = directions[0] < 0
    if not below.any():
        return Vacuous("no coordinate is ever negative")
    change, deepest = _changes(directions, growth, below)
    worst = 0.0
    witness: tuple[int | None, int | None, float] = (None, None, float(times[0]))
    for i, largest in enumerate(change.max(axis=(1, 2))):
        if largest > worst * (1 + 1e-6):
            j, k = np.unravel_index(int(change[i].argmax()), change[i].shape)
            worst, witness = float(largest), (int(j), int(k), float(times[i]))
    error = READINGS * UNIT * deepest
    return relative_margin(worst, TOLERANCE, error, neuron=witness[0], label=witness[1], t=witness[2])


def _changes(directions: FloatArray, growth: FloatArray, below: BoolArray) -> tuple[FloatArray, float]:
    """(T, m, n): relative change of p_jk since it was first ``below`` 0; 1 where it is negative no longer.

    ``growth`` (T, m, 1) is ln(|a_j|/λ). Coordinates too small to be compared do not count. With it
    the largest −ln(|p_jk|/|a_j|) of those compared, at least 1.
    """
    with np.errstate(divide="ignore"):
        now = np.log(np.abs(directions)) + growth
    first = below.argmax(axis=0)
    known = np.take_along_axis(now, first[None], axis=0)
    since = (np.arange(len(now))[:, None, None] > first) & below.any(axis=0)
    compared = since & (known > SMALLEST + growth)
    step = np.where(compared, now, 0.0) - np.where(compared, known, 0.0)
    moved = np.abs(np.expm1(np.clip(step, -50.0, 1.0)))
    depth = np.where(compared & (directions < 0), growth - now, 1.0)
    return np.where(compared, np.where(directions < 0, moved, 1.0), 0.0), float(depth.max(initial=1.0))


CLAIMS = (
    Claim("L6.frozen", "Lemma 6", "R", "⟨w_j(t), x_k⟩ < 0 implies ⟨w_j(t'), x_k⟩ = ⟨w_j(t), x_k⟩ for t' ≥ t", frozen),
)
