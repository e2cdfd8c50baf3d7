"""Families of directions: each takes (rng, m, d) and returns one row a neuron, shape (width, d).

The rows are free; `with_key_sets` and `with_coordinates` then make Assumption 3 hold by construction.
"""

from collections.abc import Callable

import numpy as np

from verify.notation import BoolArray, FloatArray

DirectionFamily = Callable[[np.random.Generator, int, int], FloatArray]

#: No |<g_j, x_k>| is below this fraction of ||g_j||, so that rounding to six digits cannot change a sign.
SMALLEST_COORDINATE = 1e-3


def gaussian_directions(rng: np.random.Generator, m: int, d: int) -> FloatArray:
    """Return N(0, I_d) rows, the paper's initialisation."""
    return rng.standard_normal((m, d))


def tight_directions(rng: np.random.Generator, m: int, d: int) -> FloatArray:
    """Return Gaussian directions with norms in [1, 1.001]."""
    return unit_rows(gaussian_directions(rng, m, d)) * rng.uniform(1, 1.001, (m, 1))


def wide_directions(rng: np.random.Generator, m: int, d: int) -> FloatArray:
    """Return Gaussian directions with norms log-uniform in [0.01, 100]."""
    return unit_rows(gaussian_directions(rng, m, d)) * 10.0 ** rng.uniform(-2, 2, (m, 1))


def heavy_directions(rng: np.random.Generator, m: int, d: int) -> FloatArray:
    """Return Gaussian directions of a wide network: 8 m to 32 m neurons."""
    return gaussian_directions(rng, int(rng.integers(8 * m, 32 * m, endpoint=True)), d)


def lattice_directions(rng: np.random.Generator, m: int, d: int) -> FloatArray:
    """Return directions whose entries are nonzero sixteenths up to 4."""
    sixteenths: FloatArray = rng.integers(1, 65, (m, d)) * rng.choice([-1.0, 1.0], (m, d)) / 16
    return sixteenths


def with_coordinates(free: FloatArray, p: FloatArray, x: FloatArray) -> FloatArray:
    """Return the rows of `free` with coordinates p on the inputs: free (m, d), p (m, n), x (n, d).

    >>> with_coordinates(np.array([[5.0, 0.25]]), np.array([[-1.0]]), np.eye(1, 2))
    array([[-1.  ,  0.25]])
    """
    return free + (p - free @ x.T) @ x


def rounded_rows(rows: FloatArray) -> FloatArray:
    """Return the rows rounded to six digits of their largest entry, so that their JSON is short."""
    places = 5 - np.floor(np.log10(np.abs(rows).max(axis=1))).astype(int)
    rounded = [[round(v, k) for v in row] for row, k in zip(rows.tolist(), places.tolist(), strict=True)]
    return np.array(rounded) + 0.0


def with_key_sets(p: FloatArray, norms: FloatArray, positive: BoolArray, pair: tuple[int, int]) -> FloatArray:
    """Return coordinates (m, n) with pair[0] active on all positive labels, pair[1] on all negative ones.

    No |p_jk| stays below SMALLEST_COORDINATE * norms[j]; all else is kept.
    """
    sizes = np.maximum(np.abs(p), SMALLEST_COORDINATE * norms[:, None])
    active = np.zeros(p.shape, dtype=bool)
    active[pair[0]], active[pair[1]] = positive, ~positive
    return np.where((p > 0) | active, sizes, -sizes)


def unit_rows(rows: FloatArray) -> FloatArray:
    """Return the rows divided by their norms."""
    unit: FloatArray = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit


DIRECTIONS: dict[str, DirectionFamily] = {
    "lattice": lattice_directions,
    "gaussian": gaussian_directions,
    "tight": tight_directions,
    "wide": wide_directions,
    "heavy": heavy_directions,
}
