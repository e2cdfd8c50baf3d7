"""Distances to the limit objects and lengths of paths, in logarithms and without cancellation where possible."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np

from verify.batches import Batched
from verify.evidence import Evidence
from verify.flow.arithmetic import Array
from verify.flow.boost import to_float
from verify.flow.state import State
from verify.measures import key_set, log_gap, log_key_norm, log_outputs, log_sum, side_labels, target_norm
from verify.notation import FloatArray
from verify.windows import Timeline

BLURRED = 1e-3
"""Noise above this share of a distance is worth a better bound."""


@dataclass(frozen=True)
class Blurred:
    """A positive number with an additive error that may exceed it: logarithms of both, and a relative error.

    Arrays (T,) for a state at many times; the uncertainty is that of one.
    """

    log: Array
    log_noise: Array
    relative: Array

    def uncertainty(self, bound_log: float) -> float:
        """Error bar of the logarithm on the side that matters: upwards where the number lies below the bound."""
        log, relative = float(self.log), float(self.relative)
        share = math.exp(min(float(self.log_noise) - log, 700.0))
        if log <= bound_log:
            return relative + math.log1p(share)
        return relative - math.log1p(-share) if share < 1 else math.inf


def log_distance(evidence: Evidence, state: State, sides: Sequence[int]) -> Blurred:
    """‖θ − θ°‖, where θ° is θ* restricted to the key sets of ``sides``, other neurons zero. [D]

    For a key neuron, |a_j| = sqrt(u)·share: its distance splits into that of sqrt(u) from sqrt(n‖D‖), known from the
    gap without cancellation, that of the share from its limit, and the tilt 2|a_j|c_j(1 − cos). Shares are measured;
    where rounding of the shares would blur the distance, the bound on their drift is asked as well.
    """
    measured = _log_distance(evidence, state, sides, drifting=False)
    clear = measured.log_noise < measured.log + math.log(BLURRED)
    if np.all(clear):
        return measured
    bounded = _log_distance(evidence, state, sides, drifting=True)
    pairs = [(getattr(measured, name), getattr(bounded, name)) for name in ("log", "log_noise", "relative")]
    return Blurred(*(np.asarray(np.where(clear, one, other))[()] for one, other in pairs))


def _log_distance(evidence: Evidence, state: State, sides: Sequence[int], drifting: bool) -> Blurred:
    logs: list[Array] = []
    noise: Array = -np.inf
    covered = np.zeros(evidence.problem.initialisation.m, dtype=bool)
    for side in sides:
        covered |= key_set(evidence.problem, side)
        mixing, share_noise = _log_mixing(evidence, state, side, drifting)
        logs += [_log_radial(evidence, state, side)[..., None], mixing[..., None], _log_tilts(evidence, state, side)]
        noise = np.maximum(noise, share_noise)
    logs.append(math.log(2) + 2 * to_float(state.log_norms[..., ~covered]))
    distance = log_sum(np.concatenate(logs, axis=-1)) / 2
    return Blurred(distance, noise, 16 * evidence.error * (1 + abs(distance)))


def _log_radial(evidence: Evidence, state: State, side: int) -> Array:
    """ln of 2(sqrt(u) − sqrt(n‖D‖))², hidden and output weights together."""
    limit = evidence.problem.dataset.n * target_norm(evidence.problem, side)
    roots = np.exp(log_key_norm(state, side) / 2) + math.sqrt(limit)
    return math.log(2) + 2 * (log_gap(state, side)[1] - np.log(roots))


def _log_tilts(evidence: Evidence, state: State, side: int) -> Array:
    """ln of 2|a_j|c_j(1 − cos∠(w_j, D)) for every neuron of the key set."""
    key = key_set(evidence.problem, side)
    tilts = to_float(state.log_misalignment(side)[..., key] + state.log_norms[..., key])
    with np.errstate(divide="ignore"):
        return math.log(2) + tilts + np.log(evidence.selected_sizes[key])


def _log_mixing(evidence: Evidence, state: State, side: int, drifting: bool) -> tuple[FloatArray, FloatArray]:
    """ln of 2 sqrt(u n‖D‖) Σ (share_j − limit share_j)², and ln of the noise it leaves in the distance.

    The bound on the drift takes the place of a difference that is lost in rounding; one neuron has no share.
    """
    key = key_set(evidence.problem, side)
    if key.sum() == 1:
        nothing = np.full(np.shape(state.t), -np.inf)
        return nothing, nothing
    limit = evidence.problem.dataset.n * target_norm(evidence.problem, side)
    log_u = np.asarray(log_key_norm(state, side))
    shares = np.exp(to_float(state.log_norms[..., key]) - log_u[..., None] / 2)
    change = np.linalg.norm(shares - evidence.selected_sizes[key] / math.sqrt(limit), axis=-1)
    with np.errstate(divide="ignore"):
        seen = np.log(change)
    doubt = math.log(8 * evidence.error)
    if drifting:
        drift = log_share_drift(evidence, side)
        seen, doubt = (np.full(np.shape(seen), drift), drift) if drift < doubt else (seen, doubt)
    weight = math.log(2) + (log_u + math.log(limit)) / 2
    return np.asarray(weight + 2 * seen), np.asarray(weight / 2 + doubt)


@lru_cache(maxsize=16)
def log_share_drift(evidence: Evidence, side: int) -> float:
    """ln of a bound on |share_j(t) − limit share_j| once the key neurons are aligned. [D]

    The rates (ln|a_j|)′ = ⟨q_j, r⟩/n, q_j = w_j/‖w_j‖ on the labels, differ between key neurons by what is not along
    the target. Against the linearised flow, whose shares are the limits, that difference is off by at most
    (1/n)((1 − cos)‖h‖ + |off-axis of q||off-axis of r| + |q on cross labels|‖h‖) through the residual, and through the
    directions by at most twice their own contribution, times min(1, t‖h‖) before the outputs h matter. The bound is
    the integral of both, a sum of widths times the larger value at the ends.
    """
    nodes = evidence.trajectory.nodes
    times = np.unique(nodes[np.unique(np.round(nodes * evidence.trajectory.fastest * 4), return_index=True)[1]])
    values = evidence.timeline.values(Batched(partial(_log_drift_rate, evidence, side)), times, few=True)
    integral = log_sum(np.maximum(values[1:], values[:-1]) + np.log(np.diff(times)))
    return math.log(2) + float(integral) if integral < 0 else 0.0


def _log_drift_rate(evidence: Evidence, side: int, state: State) -> Array:
    key, axis, data = key_set(evidence.problem, side), state.axis(side), evidence.problem.dataset
    crossed = state.moving[..., key, :][..., side_labels(evidence.problem, -side)]
    log_tilt = to_float(state.log_misalignment(side)[..., key]).max(axis=-1)
    log_cross = log_sum(2 * state.arithmetic.magnitude(crossed).reshape(*np.shape(state.t), -1)) / 2
    log_outside = to_float(axis.log_off[..., key]).max(axis=-1)
    log_h = log_sum(2 * log_outputs(state)[1]) / 2
    log_y = math.log(float(np.linalg.norm(data.y)))
    begun = np.minimum(0.0, log_h + np.log(1 + to_float(state.t)))
    parts = [
        log_tilt + log_h,
        log_cross + log_h,
        log_outside + to_float(axis.log_across),
        math.log(2) + begun + log_tilt + log_y,
        math.log(2) + begun + log_cross + log_y,
    ]
    return log_sum(np.stack(parts, axis=-1)) - math.log(data.n)


def log_path_length(timeline: Timeline, start: float, end: float) -> FloatArray:
    """(m,): ln of an upper bound of ∫‖w_j′‖dt over [start, end], w_j′ = a_j D_j.

    A sum of widths times the larger of the speeds at both ends, on all samples and on times that grow
    geometrically from the start, where a speed that decays exponentially needs them.
    """
    data = timeline.trajectory.problem.dataset
    first = 0.25 / max(data.norm_plus, data.norm_minus)
    graded = start + first * (2.0 ** np.arange(60) - 1)
    times = np.union1d(timeline.samples(start, end), graded[graded < end])
    speeds = timeline.values(Batched(log_speeds), times)
    if len(times) < 2:
        return np.full(speeds.shape[1], -np.inf)
    pieces = np.maximum(speeds[1:], speeds[:-1]) + np.log(np.diff(times))[:, None]
    return np.asarray(log_sum(pieces.T))


def log_speeds(state: State) -> Array:
    """(m,): ln‖w_j′‖ = ln(|a_j| ‖r_A‖/n)."""
    sizes = np.where(state.active, 2 * to_float(state.log_residual)[..., None, :], -np.inf)
    return to_float(state.log_norms) + log_sum(sizes) / 2 - math.log(state.problem.dataset.n)
