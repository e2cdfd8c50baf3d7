"""A quantity over a sweep of Λ: the fitted slope of its logarithm, with a confidence interval."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import stats

from verify.evidence import Evidence
from verify.notation import FloatArray
from verify.problem import Problem


@dataclass(frozen=True)
class Slope:
    """Least-squares slope of y over x with the half-width of its 95 % confidence interval, and the points."""

    value: float
    half_width: float
    x: FloatArray
    y: FloatArray


def fit_slope(x: FloatArray, y: FloatArray) -> Slope:
    """The line through at least three points (Student's t interval)."""
    line = stats.linregress(x, y)
    quantile = float(stats.t.ppf(0.975, len(x) - 2))
    return Slope(float(line.slope), quantile * float(line.stderr), np.asarray(x), np.asarray(y))


def sweep(
    problem: Problem, scales: FloatArray, quantity: Callable[[Evidence], tuple[float, float]], resolution: float = 0.1
) -> Slope | None:
    """Slope of ``quantity`` (a logarithm and its uncertainty) over Λ, on the scales where it is resolved.

    None when fewer than three scales remain.
    """
    points, evidence = [], Evidence(problem)
    for scale in scales:
        value, error = quantity(evidence.at_scale(float(scale)))
        if np.isfinite(value) and error < resolution:
            points.append((float(scale), value))
    if len(points) < 3:
        return None
    x, y = np.array(points).T
    return fit_slope(x, y)
