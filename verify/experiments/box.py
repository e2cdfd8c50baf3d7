"""A small convex quadratic over a box: which variables end at which side."""

from __future__ import annotations

import numpy as np
from scipy.linalg import cholesky, solve_triangular
from scipy.optimize import lsq_linear

from verify.errors import SimulationFailed
from verify.notation import FloatArray, IntArray

PIVOTS = 3
"""Exchanges, in units of the number of variables, before the general solver is asked."""


def box_minimum(matrix: FloatArray, linear: FloatArray, low: FloatArray, high: FloatArray) -> IntArray:
    """Where min ½ fᵀ M f + bᵀ f over low ≤ f ≤ high has its f: −1 at low, 1 at high, 0 between; M positive definite.

    ``matrix`` (K, K), the others (K,). Exchanges one variable at a time, and leaves what does not end soon to scipy's
    bounded-variable least squares. Starts where f is smallest,
    and stays there in a tie. Raises SimulationFailed for a matrix that is singular.

    >>> box_minimum(np.eye(2), np.array([-0.5, 3.0]), np.zeros(2), np.ones(2))
    array([ 0, -1])
    """
    side = np.where(np.abs(low) <= np.abs(high), -1, 1)
    for _ in range(PIVOTS * len(linear) + 3):
        free = side == 0
        f = np.where(side < 0, low, high)
        if free.any():
            rest = linear[free] + matrix[np.ix_(free, ~free)] @ f[~free]
            f[free] = np.linalg.solve(matrix[np.ix_(free, free)], -rest)
        beyond = np.maximum(np.maximum(low - f, f - high), 0.0)
        if beyond.any():
            worst = int(beyond.argmax())
            side[worst] = -1 if f[worst] < low[worst] else 1
            continue
        pull = np.where(free, 0.0, side * (matrix @ f + linear))
        if not (pull > 0).any():
            return side
        side[int(pull.argmax())] = 0
    return _general(matrix, linear, low, high)


def _general(matrix: FloatArray, linear: FloatArray, low: FloatArray, high: FloatArray) -> IntArray:
    try:
        root = cholesky(matrix)
    except np.linalg.LinAlgError:
        raise SimulationFailed("a neuron slides along linearly dependent inputs: not unique") from None
    found = lsq_linear(root, -solve_triangular(root, linear, trans="T"), (low, high), method="bvls")
    return np.asarray(found.active_mask, dtype=np.int64)
