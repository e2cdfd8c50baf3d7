"""Families of labels: each takes (rng, n) and returns labels of shape (n,).

No label is zero, the positive side is the heavier, and both signs occur unless n = 1 or the family
says otherwise.
"""

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from verify.errors import InvalidArgument
from verify.families.rounding import significant, significant_all
from verify.notation import FloatArray

LabelFamily = Callable[[np.random.Generator, int], FloatArray]


def gaussian_labels(rng: np.random.Generator, n: int) -> FloatArray:
    """Return labels of Gaussian size, at least 0.01."""
    return oriented_labels(mixed_signs(rng, n) * _sizes(rng, n))


def near_tie_labels(rng: np.random.Generator, n: int) -> FloatArray:
    """Return labels with sums of squares in the ratio 1 + delta, delta log-uniform in [1e-9, 0.1]; n >= 2."""
    _at_least_two(n, "near_tie")
    return near_tie(mixed_signs(rng, n) * _sizes(rng, n), 10.0 ** rng.uniform(-9, -1))


def wide_labels(rng: np.random.Generator, n: int) -> FloatArray:
    """Return labels spread log-uniformly over up to 12 orders of magnitude."""
    sizes = 10.0 ** -(rng.uniform(1, 12) * rng.uniform(size=n))
    return oriented_labels(mixed_signs(rng, n) * significant_all(sizes))


def lone_label(rng: np.random.Generator, n: int) -> FloatArray:
    """Return labels of which exactly one has its sign; n >= 2."""
    _at_least_two(n, "lone")
    signs = np.ones(n)
    signs[rng.integers(n)] = -1.0
    return oriented_labels(signs * _sizes(rng, n))


def equal_labels(rng: np.random.Generator, n: int) -> FloatArray:
    """Return labels of one size, more of them positive (all of them when n <= 2)."""
    count = int(rng.integers(n // 2 + 1, max(n, n // 2 + 2)))
    signs = np.where(rng.permutation(n) < count, 1.0, -1.0)
    return signs * significant(float(rng.uniform(0.1, 4)), 3)


def rational_labels(rng: np.random.Generator, n: int) -> FloatArray:
    """Return labels that are eighths up to 4."""
    return oriented_labels(mixed_signs(rng, n) * rng.integers(1, 33, n) / 8)


def mixed_signs(rng: np.random.Generator, n: int) -> FloatArray:
    """Return n random signs, at least one of each when n >= 2."""
    count = rng.integers(1, max(n, 2))
    return np.where(rng.permutation(n) < count, 1.0, -1.0)


def near_tie(y: FloatArray, delta: float) -> FloatArray:
    """Scale the positive labels so that their sum of squares is 1 + delta times that of the negative ones."""
    positive = y > 0
    scale = np.sqrt((1 + delta) * np.sum(y[~positive] ** 2) / np.sum(y[positive] ** 2))
    return np.where(positive, significant_all(y * scale, 13), y)


def untied_labels(y: FloatArray) -> FloatArray:
    """Return the labels, the first positive one doubled if the sums of squares tie exactly as decimals."""
    return y * np.where(np.arange(y.size) == np.argmax(y > 0), 2.0, 1.0) if _lead(y) == 0 else y


def oriented_labels(y: FloatArray) -> FloatArray:
    """Return untied labels, all flipped if the negative side is the heavier.

    >>> oriented_labels(np.array([1.0, -3.0])), oriented_labels(np.array([1.0, -1.0]))
    (array([-1.,  3.]), array([ 2., -1.]))
    """
    untied = untied_labels(y)
    return untied if _lead(untied) > 0 else -untied


def _lead(y: FloatArray) -> Fraction:
    squares = [Fraction(repr(label)) ** 2 * (1 if label > 0 else -1) for label in y.tolist()]
    return sum(squares, Fraction(0))


def _sizes(rng: np.random.Generator, n: int) -> FloatArray:
    return significant_all(np.maximum(np.abs(rng.standard_normal(n)), 0.01))


def _at_least_two(n: int, name: str) -> None:
    if n < 2:
        raise InvalidArgument(f"labels = {name!r} has labels of both signs and needs n >= 2; got n = {n}")


LABELS: dict[str, LabelFamily] = {
    "rational": rational_labels,
    "equal": equal_labels,
    "lone": lone_label,
    "gaussian": gaussian_labels,
    "near_tie": near_tie_labels,
    "wide": wide_labels,
}
