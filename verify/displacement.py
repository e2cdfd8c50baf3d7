"""Lengths of paths of neurons, in logarithms: integrals of their velocities, which do not cancel."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from verify.batches import Batched
from verify.flow.arithmetic import Array, to_float
from verify.flow.state import State
from verify.measures import log_sum
from verify.notation import BoolArray, FloatArray
from verify.windows import Timeline

SETTLED = 60.0
"""After so long, in units of the fastest rate's inverse, a residual that decays is below rounding of what it was."""

ORDERS = (12, 10)
"""Points of the two Gauss quadratures on a piece; the second only serves to see the error of the first."""

LARGEST = 300.0
"""Cap on exponents of speeds beside those at the start, where the quadrature no longer means anything."""


def log_displacement(timeline: Timeline, who: BoolArray, start: float, end: float) -> tuple[FloatArray, FloatArray]:
    """(m,): ln‖w_j(end) − w_j(start)‖ of the neurons ``who``, minus infinity of others, and its quadrature error. [D]

    The displacement is ∫w_j′, w_jk′ = a_j r_k/n on active labels, which does not cancel where a neuron hardly moves.
    Gauss quadrature on pieces that double from the start, where a decaying residual needs them, and end at
    deactivations; its error is the difference of two orders, and beyond ``SETTLED`` the larger speed at the ends.
    """
    trajectory = timeline.trajectory
    size = float(np.where(who, log_speeds(timeline.state(start)), -np.inf).max(initial=-np.inf))
    if end <= start or size == -np.inf:
        return np.full(len(who), -np.inf), np.zeros(len(who))
    settled = min(end, start + SETTLED / trajectory.fastest)
    graded = start + (2.0 ** np.arange(40) - 1) / (2 * trajectory.fastest)
    breaks = np.union1d(graded, trajectory.deactivations["t"].to_numpy(dtype=np.float64))
    edges = np.concatenate([[start], breaks[(breaks > start) & (breaks < settled)], [settled]])
    fine, coarse = (_integral(timeline, edges, order, size) for order in ORDERS)
    last = np.maximum(*(log_speeds(timeline.state(t)) for t in (settled, end))) - size
    tail = np.exp(np.minimum(last, LARGEST)) * (end - settled)
    moved, doubt = np.linalg.norm(fine, axis=1), np.linalg.norm(fine - coarse, axis=1) + tail
    with np.errstate(divide="ignore", invalid="ignore"):
        error = -np.log1p(-np.minimum(doubt / moved, 1.0))
        return np.where(who, np.log(moved) + size, -np.inf), np.where(who & (moved > 0), error, 0.0)


def _integral(timeline: Timeline, edges: FloatArray, order: int, size: float) -> FloatArray:
    """(m, n): the displacement between the edges, over e^size, by Gauss quadrature of an order on each piece."""
    points, weights = np.polynomial.legendre.leggauss(order)
    halves = np.diff(edges) / 2
    times = edges[:-1, None] + halves[:, None] * (1 + points)
    speeds = timeline.values(Batched(partial(_velocity, size)), times.ravel(), few=True)
    return np.tensordot((halves[:, None] * weights).ravel(), speeds, axes=1)


def _velocity(size: float, state: State) -> FloatArray:
    """(m, n): a_j r_k/n of active pairs over e^size."""
    shift = size + math.log(state.problem.dataset.n)
    logs = to_float(state.log_norms)[..., None] + to_float(state.log_residual)[..., None, :] - shift
    signs = to_float(state.signs)[..., None] * to_float(state.residual_sign)[..., None, :]
    return np.where(state.active, signs * np.exp(np.minimum(logs, LARGEST)), 0.0)


def log_speeds(state: State) -> Array:
    """(m,): ln‖w_j′‖ = ln(|a_j| ‖r_A‖/n)."""
    sizes = np.where(state.active, 2 * to_float(state.log_residual)[..., None, :], -np.inf)
    return to_float(state.log_norms) + log_sum(sizes) / 2 - math.log(state.problem.dataset.n)
