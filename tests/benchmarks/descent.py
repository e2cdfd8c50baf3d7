"""Gradient descent in NumPy, the paper's own way to follow the flow."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tests.benchmarks.standard import on_standard_basis
from verify.dataset import Dataset
from verify.initialisation import Initialisation
from verify.notation import FloatArray
from verify.problem import Problem

STEP = 1e-3
TWO_POINTS_SCALE = 6 * math.log(10) + math.log(60) / 2
"""Λ of the paper's example with two points: λ = 10⁻⁶/√60."""


def start_of(problem: Problem) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """The weights a (m,) and w (m, d) at the start, inputs and labels."""
    data, start = problem.dataset, problem.initialisation
    lam = math.exp(-start.minus_log_lambda)
    return start.signs * lam * start.norms, lam * start.directions, data.x, data.y


def descent(problem: Problem, end: float, dtype: Any = np.float64) -> tuple[FloatArray, FloatArray]:
    """ln|a_j| (m,) and residual (n,) after ``end``/``STEP`` steps on the loss 1/(2n) Σ r², in the weights (a, W)."""
    a, w, x, y = (part.astype(dtype) for part in start_of(problem))
    inputs, step = np.ascontiguousarray(x.T), dtype(STEP / len(y))
    for _ in range(round(end / STEP)):
        p = w @ inputs
        hidden = np.maximum(p, 0)
        push = step * (y - a @ hidden)
        a, w = a + hidden @ push, w + (a[:, None] * push * (p > 0)) @ x
    with np.errstate(divide="ignore"):
        return np.log(np.abs(a)), y - a @ np.maximum(w @ inputs, 0)


def two_points() -> Problem:
    """The example of Section 5, made orthonormal: x = (−0.5, 1), (2, 1), y = −1, 1, each label times its input's norm.

    The targets D₊ and D₋ are those of the paper, and so is the growth from the initialisation. m = 60.
    """
    x = np.array([[-0.5, 1.0], [2.0, 1.0]])
    norms = np.linalg.norm(x, axis=1)
    rng = np.random.default_rng(2)
    g, signs = rng.standard_normal((60, 2)), rng.choice([-1.0, 1.0], 60)
    data = Dataset(x / norms[:, None], np.array([-1.0, 1.0]) * norms)
    return on_standard_basis(Problem(data, Initialisation(g, signs, TWO_POINTS_SCALE)))
