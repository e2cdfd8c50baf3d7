"""The F₁ norm of a minimal interpolator by linear programming over many directions."""

import numpy as np
from scipy.optimize import linprog

from verify.experiments.regression import Regression


def least_f1(data: Regression, directions: np.ndarray) -> float:
    """min Σ|c_i| with Σ_i c_i σ(⟨u_i, x_k⟩) = y_k over unit vectors u_i: never below the true minimum."""
    features = data.activated(directions @ data.x.T)
    both = np.vstack([features, -features])
    return float(linprog(np.ones(len(both)), A_eq=both.T, b_eq=data.y, method="highs").fun)


def sphere(d: int, count: int) -> np.ndarray:
    """Unit vectors: all round the circle for d = 2, at random otherwise."""
    if d == 2:
        angles = np.linspace(0, 2 * np.pi, count, endpoint=False)
        return np.stack([np.cos(angles), np.sin(angles)], axis=1)
    rows = np.random.default_rng(0).normal(size=(count, d))
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)
