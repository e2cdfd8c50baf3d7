"""A quantity over a sweep of Λ: the fitted slope of its logarithm, with a confidence interval."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import stats

from verify.evidence import Evidence
from verify.notation import FloatArray

CLEAR = 10.0
"""A margin of so many times its error bar needs no further scale of a sweep."""


@dataclass(frozen=True)
class Slope:
    """Least-squares slope of y over x, its error bar, and the points.

    ``half_width``: that of the 95 % confidence interval, which sees how far the points are off a line, and what the
    error bars of the points may do to the slope in the worst case.
    """

    value: float
    half_width: float
    x: FloatArray
    y: FloatArray


def fit_slope(x: FloatArray, y: FloatArray, errors: FloatArray | float = 0.0) -> Slope:
    """The line through at least three points with error bars ``errors`` (Student's t interval).

    The deviations from the line are formed themselves: from 1 − r², as usual, a perfect line would have the width
    1e-8 or 0, as rounding has it.
    """
    centred, freedom = x - x.mean(), len(x) - 2
    levers = centred / (centred**2).sum()
    slope = float((levers * (y - y.mean())).sum())
    deviations = y - y.mean() - slope * centred
    spread = math.sqrt(float((deviations**2).sum()) / freedom * float((levers**2).sum()))
    points = float((np.abs(levers) * errors).sum())
    return Slope(slope, float(stats.t.ppf(0.975, freedom)) * spread + points, np.asarray(x), np.asarray(y))


def sweep(
    evidence: Evidence,
    scales: FloatArray,
    quantity: Callable[[Evidence], tuple[float, float]],
    resolution: float = 0.1,
    enough: Callable[[Slope], bool] | None = None,
) -> Slope | None:
    """Slope of ``quantity`` (a logarithm and its uncertainty) over Λ, on the scales where it is resolved.

    From the largest scale down, until a slope is ``enough`` if that is given. None when fewer than three are resolved.
    """
    points: list[tuple[float, float, float]] = []
    slope = None
    for scale in scales[::-1].tolist():
        value, error = quantity(evidence.at_scale(scale))
        if np.isfinite(value) and error < resolution:
            points.insert(0, (scale, value, error))
            slope = fit_slope(*np.array(points).T) if len(points) >= 3 else None
        if slope is not None and enough is not None and enough(slope):
            break
    return slope
