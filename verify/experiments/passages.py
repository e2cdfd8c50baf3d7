"""The first event on a step, from Bernstein coefficients: a polynomial whose coefficients are all positive is positive.

On a step of DOP853 the state is a polynomial of degree 7 in the fraction θ of the step, so the residual is one of
degree 14, and so are the pulls of sliding pairs. Between the ends of the step nothing is sampled: a crossing of the
dense output cannot be missed.
"""

from __future__ import annotations

from functools import cache
from math import comb

import numpy as np
from numba import njit
from scipy.integrate._ivp.rk import Dop853DenseOutput

from verify.experiments.modes import ON, SLIDE, Modes
from verify.notation import FloatArray, IntArray

DEGREE = 7
PAIR, LEAVES_OFF, LEAVES_ON, TURNS = 0, 1, 2, 3


@cache
def _basis() -> FloatArray:
    """(8, 7): Bernstein coefficients of θ, θ(1−θ), θ²(1−θ), θ²(1−θ)², …, the basis of DOP853's dense output."""
    matrix = np.zeros((DEGREE + 1, DEGREE))
    for column in range(DEGREE):
        up, down = column // 2 + 1, (column + 1) // 2
        for extra in range(DEGREE - up - down + 1):
            matrix[up + extra, column] = comb(DEGREE - up - down, extra) / comb(DEGREE, up + extra)
    return matrix


@cache
def _products() -> FloatArray:
    """(8, 8): factors of the product of two Bernstein polynomials of degree 7."""
    row = [comb(DEGREE, i) for i in range(DEGREE + 1)]
    return np.array([[row[i] * row[q] / comb(2 * DEGREE, i + q) for q in range(8)] for i in range(8)])


def bernstein_of(step: Dop853DenseOutput) -> FloatArray:
    """(8, N): coefficients of the dense output of one step."""
    return np.asarray(step.y_old + _basis() @ step.F)


def value(coefficients: FloatArray, theta: float) -> FloatArray:
    """The polynomial with Bernstein coefficients (size, …) at θ, by de Casteljau's scheme."""
    points = coefficients
    while len(points) > 1:
        points = (1 - theta) * points[:-1] + theta * points[1:]
    return np.asarray(points[0])


def head(coefficients: FloatArray, theta: float) -> FloatArray:
    """Bernstein coefficients (size, …) of the same polynomial on [0, θ]."""
    points, out = coefficients, np.empty_like(coefficients)
    for i in range(len(coefficients)):
        out[i] = points[0]
        points = (1 - theta) * points[:-1] + theta * points[1:]
    return out


Event = tuple[float, int, int, int]
"""θ, kind, neuron, label."""


def first_event(coefficients: FloatArray, modes: Modes, slack: FloatArray, slide_slack: float) -> Event | None:
    """The earliest event on a step, or None; ``coefficients`` (8, mn + m).

    ``slack`` (m,), ``slide_slack``: how far a pair may be on the wrong side of 0, and the pull of a sliding one beyond
    its range, before that is an event: what the integrator cannot resolve must not be taken for one.
    Kinds: a pair reaches 0; the slope of a sliding pair reaches leak, or 1; an output weight reaches 0.
    """
    m, n = modes.mode.shape
    pairs, outputs = coefficients[:, : m * n].reshape(DEGREE + 1, m, n), coefficients[:, m * n :]
    best = _first_pair(pairs, modes.mode, slack)
    events = [(best[0], PAIR, best[1], best[2])] if best[0] <= 1 else []
    events += [(theta, TURNS, int(j), -1) for j, theta in _below(outputs * modes.sign + 1e-300)]
    if modes.count.any():
        events += _leaving(pairs, outputs, modes, slide_slack)
    return min(events, default=None)


def _below(coefficients: FloatArray) -> list[tuple[int, float]]:
    """Index and first root of the polynomials (size, N), positive at 0, that do not stay positive."""
    suspects = np.flatnonzero(coefficients.min(axis=0) < 0)
    roots = [(int(i), _first_root(np.ascontiguousarray(coefficients[:, i]))) for i in suspects]
    return [(i, root) for i, root in roots if root <= 1]


def _leaving(pairs: FloatArray, outputs: FloatArray, modes: Modes, slack: float) -> list[Event]:
    """Events of sliding pairs: with σ = −sign(a_j), σ(f − leak r) or σ(r − f) reaches 0."""
    data = modes.data
    residual = _residual(pairs, outputs, modes.slope * modes.feedback, data.y, _products())
    rows, cols = np.nonzero(modes.mode == SLIDE)
    rank = np.concatenate([np.arange(c) for c in modes.count]).astype(np.int64)
    pulls = residual @ modes.reply[rows, rank].T
    own, side = residual[:, cols], -modes.sign[rows]
    events = []
    for kind, gap in ((LEAVES_OFF, pulls - data.leak * own), (LEAVES_ON, own - pulls)):
        events += [(theta, kind, int(rows[i]), int(cols[i])) for i, theta in _below(side * gap + slack)]
    return events


@njit(cache=True)
def _residual(
    pairs: FloatArray, outputs: FloatArray, slope: FloatArray, y: FloatArray, factors: FloatArray
) -> FloatArray:
    """(15, n): Bernstein coefficients of the residual."""
    size, m, n = pairs.shape
    out = np.empty((2 * size - 1, n))
    out[:] = y
    for j in range(m):
        for k in range(n):
            if slope[j, k] == 0:
                continue
            for i in range(size):
                left = slope[j, k] * outputs[i, j]
                for q in range(size):
                    out[i + q, k] -= factors[i, q] * left * pairs[q, j, k]
    return out


@njit(cache=True)
def _first_pair(pairs: FloatArray, mode: IntArray, slack: FloatArray) -> tuple[float, int, int]:
    """θ, neuron and label of the first pair to reach the other side of 0; θ = 2 where there is none."""
    size, m, n = pairs.shape
    best, neuron, label = 2.0, -1, -1
    own, lowest = np.empty(size), np.empty(n)
    for j in range(m):
        lowest[:] = np.inf
        for i in range(size):
            for k in range(n):
                lowest[k] = min(lowest[k], pairs[i, j, k] if mode[j, k] == ON else -pairs[i, j, k])
        for k in range(n):
            if mode[j, k] == SLIDE or lowest[k] >= -slack[j]:
                continue
            side = 1.0 if mode[j, k] == ON else -1.0
            for i in range(size):
                own[i] = side * pairs[i, j, k] + slack[j]
            theta = _first_root(own)
            if theta < best:
                best, neuron, label = theta, j, k
    return best, neuron, label


@njit(cache=True)
def _first_root(coefficients: FloatArray) -> float:
    """The first θ in [0, 1] where a polynomial in Bernstein form is no longer positive; 2 where it stays so.

    Halves are searched from the left; one whose coefficients are all positive holds no root. What is left of width
    2⁻⁵⁰ counts as a root.
    """
    size = len(coefficients)
    if coefficients[0] <= 0:
        return 0.0
    stack = np.empty((64, size))
    ends = np.empty((64, 2))
    stack[0], ends[0, 0], ends[0, 1] = coefficients, 0.0, 1.0
    top = 0
    while top >= 0:
        low, high = ends[top]
        points = stack[top].copy()
        top -= 1
        if points.min() > 0:
            continue
        if points[0] <= 0 or high - low < 2.0**-50:
            return float(low)
        middle = (low + high) / 2
        left = np.empty(size)
        for i in range(size):
            left[i] = points[0]
            for q in range(size - 1 - i):
                points[q] = (points[q] + points[q + 1]) / 2
        top += 1
        stack[top], ends[top, 0], ends[top, 1] = points, middle, high
        top += 1
        stack[top], ends[top, 0], ends[top, 1] = left, low, middle
    return 2.0
