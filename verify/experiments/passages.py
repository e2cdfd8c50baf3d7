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

from verify.experiments.modes import SLIDE, Modes
from verify.notation import FloatArray

DEGREE = 7
PAIR, LEAVES_OFF, LEAVES_ON, TURNS = 0, 1, 2, 3
SIDES = np.array([-1.0, 1.0, 0.0])
"""On which side of 0 a pair is that is OFF, ON, or slides."""


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
    """The polynomial with Bernstein coefficients (size, …) at θ: a mean with weights ≥ 0 of them."""
    top = len(coefficients) - 1
    weights = [comb(top, i) * theta**i * (1 - theta) ** (top - i) for i in range(top + 1)]
    return np.asarray(np.tensordot(weights, coefficients, 1))


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
    sides = np.concatenate([SIDES[modes.mode].ravel(), modes.sign])
    theta, i = _earliest(coefficients, sides, np.concatenate([np.repeat(slack, n), np.full(m, 1e-300)]), 2.0)
    first = (theta, PAIR, *divmod(i, n)) if i < m * n else (theta, TURNS, i - m * n, -1)
    if modes.count.any():
        first = _leaving(coefficients, modes, slide_slack, first)
    return first if first[0] <= 1 else None


def _leaving(coefficients: FloatArray, modes: Modes, slack: float, first: Event) -> Event:
    """The first event, or an earlier one of a sliding pair: s(f − leak r) or s(r − f) is 0, s = −sign(a_j)."""
    data = modes.data
    residual = _residual(coefficients, modes.slope * modes.feedback, data.y, _products())
    rows, cols = np.nonzero(modes.mode == SLIDE)
    rank = np.arange(len(rows)) - np.repeat(np.cumsum(modes.count) - modes.count, modes.count)
    pulls = residual @ modes.reply[rows, rank].T
    own, side = residual[:, cols], -modes.sign[rows]
    slacks = np.full(len(rows), slack)
    for kind, gap in ((LEAVES_OFF, pulls - data.leak * own), (LEAVES_ON, own - pulls)):
        theta, i = _earliest(gap, side, slacks, first[0])
        if theta < first[0]:
            first = theta, kind, int(rows[i]), int(cols[i])
    return first


@njit(cache=True, fastmath={"contract"})
def _residual(coefficients: FloatArray, slope: FloatArray, y: FloatArray, factors: FloatArray) -> FloatArray:
    """(15, n): Bernstein coefficients of the residual."""
    size, (m, n) = len(coefficients), slope.shape
    out = np.empty((2 * size - 1, n))
    out[:] = y
    for j in range(m):
        for i in range(size):
            weight = coefficients[i, m * n + j]
            for q in range(size):
                share, pairs, total = factors[i, q] * weight, coefficients[q, j * n : (j + 1) * n], out[i + q]
                for k in range(n):
                    total[k] -= share * slope[j, k] * pairs[k]
    return out


@njit(cache=True)
def _earliest(coefficients: FloatArray, sides: FloatArray, slacks: FloatArray, limit: float) -> tuple[float, int]:
    """Where the first of the polynomials side·c + slack (size, N) reaches 0, and which; ``limit`` if none is earlier.

    A side of 0 leaves a polynomial out.
    """
    size, count = coefficients.shape
    lowest, own = np.full(count, np.inf), np.empty(size)
    for i in range(size):
        for k in range(count):
            lowest[k] = min(lowest[k], sides[k] * coefficients[i, k])
    best, index = limit, 0
    for k in range(count):
        if lowest[k] < -slacks[k]:
            for i in range(size):
                own[i] = sides[k] * coefficients[i, k] + slacks[k]
            theta = _first_root(own, best)
            if theta < best:
                best, index = theta, k
    return best, index


@njit(cache=True)
def _first_root(coefficients: FloatArray, limit: float) -> float:
    """The first θ in [0, 1] where a polynomial in Bernstein form is no longer positive; 2 if none is below ``limit``.

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
        if low >= limit or points.min() > 0:
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
