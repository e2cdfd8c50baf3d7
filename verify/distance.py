"""Distances to the limit objects, in logarithms and without cancellation where possible."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial

import numpy as np

from verify import bars
from verify.batches import Batched
from verify.evidence import Evidence
from verify.flow.arithmetic import Array, to_float
from verify.flow.state import State
from verify.measures import (
    key_set,
    log_axis_excess,
    log_gap,
    log_key_norm,
    log_outputs,
    log_sum,
    side_labels,
    target_norm,
)
from verify.notation import BoolArray, FloatArray
from verify.phases import Exit, fit_depth

BLURRED = 5e-4
"""Noise above this share of a distance is worth a better bound."""

Gap = Callable[[State, int], tuple[float, float]]
"""Sign and logarithm of n‖D‖ − u, all of it or what of it lasts."""


@dataclass(frozen=True)
class Blurred:
    """A positive number with an additive error that may exceed it: logarithms of both, and a relative error.

    Arrays (T,) for a state at many times; the uncertainty is that of one.
    """

    log: Array
    log_noise: Array
    relative: Array

    @property
    def upper(self) -> float:
        """Logarithm of the number and all of its additive error."""
        return float(np.logaddexp(self.log, self.log_noise))

    def uncertainty(self, bound_log: float) -> float:
        """Error bar of the logarithm on the side that matters: upwards where the number lies below the bound."""
        log, relative = float(self.log), float(self.relative)
        share = math.exp(min(float(self.log_noise) - log, 700.0))
        if log <= bound_log:
            return relative + math.log1p(share)
        return relative - math.log1p(-share) if share < 1 else math.inf


def log_distance(evidence: Evidence, state: State, sides: Sequence[int]) -> Blurred:
    """‖θ − θ°‖, where θ° is θ* restricted to the key sets of ``sides``, other neurons zero; no relative error yet. [D]

    For a key neuron, |a_j| = sqrt(u)·share: its distance splits into that of sqrt(u) from sqrt(n‖D‖), known from the
    gap without cancellation, that of the share from its limit, and the tilt 2|a_j|c_j(1 − cos). Shares are measured;
    where rounding of the shares would blur the distance, the bound on their drift is asked as well.
    """
    return _clearest(evidence, state, sides, log_gap)


def limit_distance(evidence: Evidence, sides: Sequence[int]) -> Blurred:
    """:func:`measured_distance` of θ^∞: at the end of the trajectory, of the gap only what does not decay. [D]

    That is minus the excess Σ a_j²(1 − cos) − ⟨ŷ, o⟩, which adds no more error than the tilts and norms it is made of.
    """
    last = float(evidence.trajectory.t_end)
    looked_at = evidence.timeline.look([evidence.time_plus, evidence.time_one, last])
    for side in sides:
        looked_at.log_misalignment(side)
    state = evidence.timeline.state(last)
    found, error = _clearest(evidence, state, sides, _lasting_gap), bars.log_norm(evidence, float(state.t))
    return replace(found, relative=error + bars.log_tilt(evidence, float(state.t)) / 2)


def _lasting_gap(state: State, side: int) -> tuple[float, float]:
    """Sign and logarithm of n‖D‖ − u once the residual has decayed."""
    sign, excess = log_axis_excess(state, side)
    return -sign, excess


def _clearest(evidence: Evidence, state: State, sides: Sequence[int], gap: Gap) -> Blurred:
    measured = _log_distance(evidence, state, sides, gap, drifting=False)
    clear = measured.log_noise < measured.log + math.log(BLURRED)
    if np.all(clear):
        return measured
    bounded = _log_distance(evidence, state, sides, gap, drifting=True)
    pairs = [(getattr(measured, name), getattr(bounded, name)) for name in ("log", "log_noise", "relative")]
    return Blurred(*(np.asarray(np.where(clear, one, other))[()] for one, other in pairs))


def _log_distance(evidence: Evidence, state: State, sides: Sequence[int], gap: Gap, drifting: bool) -> Blurred:
    logs: list[Array] = []
    noise: Array = -np.inf
    covered = np.zeros(evidence.problem.initialisation.m, dtype=bool)
    for side in sides:
        covered |= key_set(evidence.problem, side)
        mixing, share_noise = _log_mixing(evidence, state, side, drifting)
        radial = _log_radial(evidence, state, side, gap)
        logs += [radial[..., None], mixing[..., None], _log_tilts(evidence, state, side)]
        noise = np.maximum(noise, share_noise)
    logs.append(math.log(2) + 2 * to_float(state.log_norms[..., ~covered]))
    distance = log_sum(np.concatenate(logs, axis=-1)) / 2
    return Blurred(distance, noise, np.zeros(np.shape(distance)))


def measured_distance(evidence: Evidence, state: State, sides: Sequence[int], end: Exit | None = None) -> Blurred:
    """:func:`log_distance` with its relative error: that of the squared parts, each by its share, halved by the root.

    A gap enters squared, a tilt beside two norms, another neuron by the square of its norm; shares are in the noise.
    ``end``: the end of a phase at which the one state is taken; if the fit ended it the gap of the last side is known.
    """
    known = {sides[-1]: -fit_depth(evidence.problem, sides[-1])} if end is not None and bars.passed_by_fit(end) else {}

    def gap_of(state: State, side: int) -> tuple[Array, Array]:
        return (np.float64(1.0), np.float64(known[side])) if side in known else log_gap(state, side)

    found, norm = _clearest(evidence, state, sides, gap_of), 2 * bars.log_norm(evidence, float(state.t))
    tilt = norm + bars.log_tilt(evidence, float(state.t))
    parts, covered = [], np.zeros(evidence.problem.initialisation.m, dtype=bool)
    for side in sides:
        covered |= key_set(evidence.problem, side)
        late = 0.0 if end is None else bars.drift(evidence, end, sides[-1])
        gap = 0.0 if side in known else bars.log_gap(evidence, state, side) + late
        loose = norm if _loose(evidence, state, side) else 0.0
        parts.append((float(_log_radial(evidence, state, side, gap_of)), 2 * gap + loose))
        parts.append((float(log_sum(_log_tilts(evidence, state, side))), tilt))
    parts.append((math.log(2) + float(log_sum(2 * to_float(state.log_norms[..., ~covered]))), norm))
    relative = sum(math.exp(log - 2 * float(found.log)) * error for log, error in parts if log > -math.inf) / 2
    return replace(found, relative=relative)


def _loose(evidence: Evidence, state: State, side: int) -> Array:
    """Whether u is so small beside n‖D‖ that it is better known from the norms than from the gap."""
    return log_key_norm(state, side) < math.log(evidence.problem.dataset.n * target_norm(evidence.problem, side) / 2)


def _log_radial(evidence: Evidence, state: State, side: int, measure: Gap) -> Array:
    """ln of 2(sqrt(u) − sqrt(n‖D‖))², hidden and output weights together.

    Where u is not small it is taken from the gap as well, so that a gap that is known leaves nothing open.
    """
    limit = evidence.problem.dataset.n * target_norm(evidence.problem, side)
    sign, gap = (to_float(part) for part in measure(state, side))
    near = np.maximum(limit - sign * np.exp(gap), 0.0)
    u = np.where(_loose(evidence, state, side), np.exp(log_key_norm(state, side)), near)
    return math.log(2) + 2 * (gap - np.log(np.sqrt(u) + math.sqrt(limit)))


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
    seen = to_float(_log_change(state, key, evidence.selected_shares[key]))
    doubt = math.log(bars.share(evidence, side))
    if drifting:
        drift = log_share_drift(evidence, side)
        seen, doubt = (np.full(np.shape(seen), drift), drift) if drift < doubt else (seen, doubt)
    weight = math.log(2) + (log_u + math.log(limit)) / 2
    return np.asarray(weight + 2 * seen), np.asarray(weight / 2 + doubt)


def _log_change(state: State, key: BoolArray, limits: Array) -> Array:
    """ln of how far the shares of key neurons are from their limits, with all digits of the trajectory."""
    logs, arithmetic = state.log_norms[..., key], state.arithmetic
    sizes = arithmetic.exp(logs - logs.max(axis=-1, keepdims=True))
    change = sizes / arithmetic.sqrt((sizes * sizes).sum(axis=-1, keepdims=True)) - limits
    return arithmetic.log((change * change).sum(axis=-1)) / 2


@lru_cache(maxsize=16)
def log_share_drift(evidence: Evidence, side: int) -> float:
    """ln of a bound on |share_j(t) − limit share_j| once the key neurons are aligned. [D]

    The rates (ln|a_j|)′ = ⟨q_j, r⟩/n, q_j = w_j/‖w_j‖ on the labels, differ between key neurons by what is not along
    the target. Against the linearised flow, whose shares are the limits, that difference is off by at most
    (1/n)((1 − cos)‖h‖ + |off-axis of q||off-axis of r| + |q on cross labels|‖h‖) through the residual, and through the
    directions by at most twice their own contribution, times min(1, t‖h‖) before the outputs h matter. The bound is
    the integral of both, a sum of widths times the larger value at the ends; no share moves by more than 1.
    """
    nodes = evidence.trajectory.nodes
    times = np.unique(nodes[np.unique(np.round(nodes * evidence.trajectory.fastest * 4), return_index=True)[1]])
    values = evidence.timeline.values(Batched(partial(_log_drift_rate, evidence, side)), times, few=True)
    integral = log_sum(np.maximum(values[1:], values[:-1]) + np.log(np.diff(times)))
    return min(math.log(2) + float(integral), 0.0)


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
