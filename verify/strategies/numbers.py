"""The numbers that all strategies are built from: integers of two digits and what they are mapped to.

Hypothesis mixes larger constants, read from whatever source files are loaded, into its draws. With small
integers only, a seed gives the same examples in every session.
"""

from statistics import NormalDist

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from verify.families.rounding import significant
from verify.notation import FloatArray

Sizes = tuple[int, int]
Range = tuple[float, float]

PERCENT = st.integers(0, 99)
SIGNS = st.sampled_from([1.0, -1.0])
GAUSSIAN_QUANTILES = [significant(NormalDist().inv_cdf((k + 0.5) / 100)) for k in range(100)]


def generators() -> SearchStrategy[np.random.Generator]:
    """Seeded numpy Generators, for the families that have no simpler description."""
    return st.tuples(PERCENT, PERCENT, PERCENT).map(np.random.default_rng)


def sixteenths() -> SearchStrategy[float]:
    """Nonzero sixteenths in [-4, 4]; 1 is the simplest."""
    return st.integers(-64, 63).map(_sixteenth)


def _sixteenth(k: int) -> float:
    size = ((k if k >= 0 else -1 - k) + 15) % 64 + 1
    return size / 16 if k >= 0 else -size / 16


def gaussians() -> SearchStrategy[float]:
    """The hundred quantiles of N(0, 1) at the middles of equal parts; none is zero."""
    return PERCENT.map(GAUSSIAN_QUANTILES.__getitem__)


def vector(elements: SearchStrategy[float], size: int) -> SearchStrategy[FloatArray]:
    """Arrays (size,) of the elements."""
    return st.lists(elements, min_size=size, max_size=size).map(lambda values: np.array(values, dtype=np.float64))


def matrix(elements: SearchStrategy[float], rows: int, columns: int) -> SearchStrategy[FloatArray]:
    """Arrays (rows, columns) of the elements."""
    return vector(elements, rows * columns).map(lambda flat: flat.reshape(rows, columns))
