"""Distances to the limit objects and lengths of paths, in logarithms and without cancellation where possible."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from verify.evidence import Evidence
from verify.flow.state import State
from verify.measures import key_set, log_gap, log_key_norm, log_outputs, log_sum, side_labels, target_norm
from verify.notation import FloatArray
from verify.windows import Timeline

BLURRED = 1e-3
"""Noise above this share of a distance is worth a better bound."""


@dataclass(frozen=True)
class Blurred:
    """A positive number with an additive error that may exceed it: logarithms of both, and a relative error."""

    log: float
    log_noise: float
    relative: float

    def uncertainty(self, bound_log: float) -> float:
        """Error bar of the logarithm on the side that matters: upwards where the number lies below the bound."""
        share = math.exp(min(self.log_noise - self.log, 700.0))
        if self.log <= bound_log:
            return self.relative + math.log1p(share)
        return self.relative - math.log1p(-share) if share < 1 else math.inf


def log_distance(evidence: Evidence, state: State, sides: Sequence[int]) -> Blurred:
    """‖θ − θ°‖, where θ° is θ* restricted to the key sets of ``sides``, other neurons zero. [D]

    For a key neuron, |a_j| = sqrt(u)·share: its distance splits into that of sqrt(u) from sqrt(n‖D‖), known from the
    gap without cancellation, that of the share from its limit, and the tilt 2|a_j|c_j(1 − cos). Shares are measured;
    where rounding of the shares would blur the distance, the bound on their drift is asked as well.
    """
    measured = _log_distance(evidence, state, sides, drifting=False)
    if measured.log_noise - measured.log < math.log(BLURRED):
        return measured
    return _log_distance(evidence, state, sides, drifting=True)


def _log_distance(evidence: Evidence, state: State, sides: Sequence[int], drifting: bool) -> Blurred:
    logs, noise = [], -math.inf
    covered = np.zeros(evidence.problem.initialisation.m, dtype=bool)
    for side in sides:
        covered |= key_set(evidence.problem, side)
        mixing, share_noise = _log_mixing(evidence, state, side, drifting)
        logs += [_log_radial(evidence, state, side), mixing, *_log_tilts(evidence, state, side)]
        noise = max(noise, share_noise)
    logs += [math.log(2) + 2 * float(x) for x in state.log_norms[~covered]]
    distance = log_sum(np.array(logs)) / 2
    return Blurred(distance, noise, 16 * evidence.error * (1 + abs(distance)))


def _log_radial(evidence: Evidence, state: State, side: int) -> float:
    """ln of 2(sqrt(u) − sqrt(n‖D‖))², hidden and output weights together."""
    limit = evidence.problem.dataset.n * target_norm(evidence.problem, side)
    roots = math.exp(log_key_norm(state, side) / 2) + math.sqrt(limit)
    return math.log(2) + 2 * (log_gap(state, side)[1] - math.log(roots))


def _log_tilts(evidence: Evidence, state: State, side: int) -> list[float]:
    """ln of 2|a_j|c_j(1 − cos∠(w_j, D)) for every neuron of the key set."""
    key = key_set(evidence.problem, side)
    tilts = np.asarray(state.log_misalignment(side)[key] + state.log_norms[key], dtype=np.float64)
    with np.errstate(divide="ignore"):
        return list(math.log(2) + tilts + np.log(evidence.selected_sizes[key]))


def _log_mixing(evidence: Evidence, state: State, side: int, drifting: bool) -> tuple[float, float]:
    """ln of 2 sqrt(u n‖D‖) Σ (share_j − limit share_j)², and ln of the noise it leaves in the distance.

    The bound on the drift takes the place of a difference that is lost in rounding; one neuron has no share.
    """
    key = key_set(evidence.problem, side)
    if key.sum() == 1:
        return -math.inf, -math.inf
    limit = evidence.problem.dataset.n * target_norm(evidence.problem, side)
    log_u = log_key_norm(state, side)
    shares = np.exp(np.asarray(state.log_norms[key], dtype=np.float64) - log_u / 2)
    change = float(np.linalg.norm(shares - evidence.selected_sizes[key] / math.sqrt(limit)))
    seen = math.log(change) if change > 0 else -math.inf
    doubt = math.log(8 * evidence.error)
    if drifting:
        drift = log_share_drift(evidence, side)
        seen, doubt = (drift, drift) if drift < doubt else (seen, doubt)
    weight = math.log(2) + (log_u + math.log(limit)) / 2
    return weight + 2 * seen, weight / 2 + doubt


@lru_cache(maxsize=16)
def log_share_drift(evidence: Evidence, side: int) -> float:
    """ln of a bound on |share_j(t) − limit share_j| once the key neurons are aligned. [D]

    The rates (ln|a_j|)′ = ⟨q_j, r⟩/n, q_j = w_j/‖w_j‖ on the labels, differ between key neurons by what is not along
    the target. Against the linearised flow, whose shares are the limits, that difference is off by at most
    (1/n)((1 − cos)‖h‖ + |off-axis of q||off-axis of r| + |q on cross labels|‖h‖) through the residual, and through the
    directions by at most twice their own contribution, times min(1, t‖h‖) before the outputs h matter. The bound is
    the integral of both, a sum of widths times the larger value at the ends.
    """
    timeline = evidence.timeline
    nodes = evidence.trajectory.nodes
    times = np.unique(nodes[np.unique(np.round(nodes * evidence.trajectory.fastest * 4), return_index=True)[1]])
    values = np.array([_log_drift_rate(evidence, timeline.state(float(t)), side) for t in times])
    integral = log_sum(np.maximum(values[1:], values[:-1]) + np.log(np.diff(times)))
    return math.log(2) + integral if integral < 0 else 0.0


def _log_drift_rate(evidence: Evidence, state: State, side: int) -> float:
    key, column, data = key_set(evidence.problem, side), 0 if side > 0 else 1, evidence.problem.dataset
    cross = side_labels(evidence.problem, -side)
    crossed = np.where(state.active, state.directions, 0)[np.ix_(key, cross)]
    log_tilt = float(np.asarray(state.log_misalignment(side)[key], dtype=np.float64).max())
    log_cross = log_sum(2 * state.arithmetic.magnitude(crossed).ravel()) / 2
    log_outside = float(np.asarray(state.log_off_axis[key, column], dtype=np.float64).max())
    log_h = log_sum(2 * log_outputs(state)[1]) / 2
    log_y = math.log(float(np.linalg.norm(data.y)))
    begun = min(0.0, log_h + math.log(1 + float(state.t)))
    parts = [
        log_tilt + log_h,
        log_cross + log_h,
        log_outside + float(state.log_residual_off_axis[column]),
        math.log(2) + begun + log_tilt + log_y,
        math.log(2) + begun + log_cross + log_y,
    ]
    return log_sum(np.array(parts)) - math.log(data.n)


def log_path_length(timeline: Timeline, start: float, end: float) -> FloatArray:
    """(m,): ln of an upper bound of ∫‖w_j′‖dt over [start, end], w_j′ = a_j D_j.

    A sum of widths times the larger of the speeds at both ends, on all samples and on times that grow
    geometrically from the start, where a speed that decays exponentially needs them.
    """
    data = timeline.trajectory.problem.dataset
    first = 0.25 / max(data.norm_plus, data.norm_minus)
    graded = start + first * (2.0 ** np.arange(60) - 1)
    times = np.union1d(timeline.samples(start, end), graded[graded < end])
    speeds = np.array([log_speeds(timeline.state(float(t))) for t in times])
    if len(times) < 2:
        return np.full(speeds.shape[1], -np.inf)
    pieces = np.maximum(speeds[1:], speeds[:-1]) + np.log(np.diff(times))[:, None]
    return np.array([log_sum(column) for column in pieces.T])


def log_speeds(state: State) -> FloatArray:
    """(m,): ln‖w_j′‖ = ln(|a_j| ‖r_A‖/n)."""
    sizes = np.where(state.active, 2 * np.asarray(state.log_residual, dtype=np.float64), -np.inf)
    felt = np.array([log_sum(row) for row in sizes]) / 2
    return np.asarray(state.log_norms, dtype=np.float64) + felt - math.log(state.problem.dataset.n)
