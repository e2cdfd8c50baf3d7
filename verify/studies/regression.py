"""Ordinary least squares with several variables: coefficients with 95 % intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import stats

from verify.errors import InvalidArgument
from verify.notation import FloatArray


@dataclass(frozen=True)
class Fit:
    """y = Σ coefficients · columns: estimates, half widths of their 95 % intervals, and the share R² explained."""

    names: tuple[str, ...]
    values: FloatArray
    half_widths: FloatArray
    explained: float

    def text(self, name: str) -> str:
        """Such as ``0.52 ± 0.04``."""
        i = self.names.index(name)
        return f"{self.values[i]:.3g} ± {self.half_widths[i]:.2g}"


def fit(columns: dict[str, FloatArray], y: FloatArray) -> Fit:
    """Least squares with a constant, named "constant", before the columns (Student's t intervals).

    Raises InvalidArgument where there are too few points, or columns that are multiples of each other.

    >>> x = np.arange(6.0)
    >>> fit({"x": x}, 1 + 2 * x + np.array([0.1, -0.1, 0, 0, -0.1, 0.1])).text("x")
    '2 ± 0.066'
    """
    design = np.column_stack([np.ones(len(y)), *columns.values()])
    freedom = len(y) - design.shape[1]
    if freedom < 1 or np.linalg.matrix_rank(design) < design.shape[1]:
        raise InvalidArgument(f"{len(y)} points do not determine the slopes in {', '.join(columns)}; take more sizes")
    values, *_ = np.linalg.lstsq(design, y)
    rest = y - design @ values
    spread = float(rest @ rest)
    variances = np.diag(np.linalg.inv(design.T @ design)) * spread / freedom
    total = float(((y - y.mean()) ** 2).sum())
    explained = 1 - spread / total if total > 0 else math.nan
    half = float(stats.t.ppf(0.975, freedom)) * np.sqrt(variances)
    return Fit(("constant", *columns), np.asarray(values, dtype=np.float64), half, explained)
