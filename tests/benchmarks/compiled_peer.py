"""The pair of Dormand and Prince, orders 5 and 4, as a loop compiled by numba, without events.

A pair counts while its coordinate is positive; that it may not come back is lost inside a step.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from tests.benchmarks.logarithmic import start_of
from verify.notation import FloatArray
from verify.problem import Problem

NODES = np.zeros((7, 6))
NODES[1, :1] = [1 / 5]
NODES[2, :2] = [3 / 40, 9 / 40]
NODES[3, :3] = [44 / 45, -56 / 15, 32 / 9]
NODES[4, :4] = [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729]
NODES[5, :5] = [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656]
NODES[6, :6] = [35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84]
DIFFERENCE = np.array([71 / 57600, 0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40])
TOLERANCE = 1e-10


def dormand_prince(problem: Problem, end: float) -> tuple[FloatArray, FloatArray]:
    """ln|a_j| (m,) and residual (n,) at time ``end``."""
    start = start_of(problem)
    vector, active = start.vector, np.ones(len(start.q))
    _follow(vector, active, start.neuron, start.label, start.signs, start.y, end, NODES, DIFFERENCE, TOLERANCE)
    return vector[: len(start.signs)], start.residual(vector, active)


@numba.njit
def _slope(v: Any, active: Any, neuron: Any, label: Any, signs: Any, y: Any, out: Any) -> None:
    m, n = len(signs), len(y)
    residual = y.copy()
    for i in range(len(neuron)):
        if active[i] > 0 and v[m + i] > 0:
            residual[label[i]] -= signs[neuron[i]] * np.exp(2 * v[neuron[i]]) * v[m + i]
    out[:] = 0
    for i in range(len(neuron)):
        if active[i] > 0 and v[m + i] > 0:
            out[m + i] = signs[neuron[i]] * residual[label[i]] / n
            out[neuron[i]] += out[m + i] * v[m + i]
    for i in range(len(neuron)):
        if active[i] > 0 and v[m + i] > 0:
            out[m + i] -= v[m + i] * out[neuron[i]]


@numba.njit
def _follow(
    v: Any, active: Any, neuron: Any, label: Any, signs: Any, y: Any, end: float, nodes: Any, apart: Any, tol: float
) -> None:
    """Move ``v`` to the time ``end``, in place; pairs below zero after a step are switched off."""
    t, h, m = 0.0, 1e-3, len(signs)
    k = np.zeros((7, len(v)))
    _slope(v, active, neuron, label, signs, y, k[0])
    while t < end:
        h = min(h, end - t)
        for s in range(1, 7):
            there = v.copy()
            for r in range(s):
                there += h * nodes[s, r] * k[r]
            _slope(there, active, neuron, label, signs, y, k[s])
        error = 0.0
        for i in range(len(v)):
            miss = 0.0
            for s in range(7):
                miss += apart[s] * k[s, i]
            error = max(error, abs(h * miss) / (tol * (1 + abs(v[i]) if i >= m else tol)) * (1.0 if i >= m else tol))
        if error <= 1:
            t += h
            v[:] = there
            k[0] = k[6]
            for i in range(len(neuron)):
                if active[i] > 0 and v[m + i] <= 0:
                    active[i] = v[m + i] = 0.0
        h *= min(5.0, max(0.2, 0.9 * max(error, 1e-10) ** -0.2))
