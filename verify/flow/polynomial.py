"""Polynomials on an interval: values, sign changes, roots that cannot be missed."""

from __future__ import annotations

from functools import cache
from math import comb
from typing import Any

import numpy as np

from verify.flow.arithmetic import Array
from verify.flow.boost import to_float
from verify.notation import FloatArray


def isolate_roots(series: Array, length: float) -> tuple[float, dict[int, Any]]:
    """A length on which every polynomial changes sign at most once, and where each of those does.

    The coefficients in the Bernstein basis change sign at least as often as the polynomial itself.
    """
    largest = abs(series).max(axis=1)
    scaled = to_float(series / np.where(largest > 0, largest, largest + 1)[:, None])
    order = np.arange(series.shape[1])
    for _ in range(60):
        signs = np.sign((scaled * length**order) @ _bernstein(series.shape[1]).T)
        changes = (signs[:, 1:] * signs[:, :-1] < 0).sum(axis=1)
        if (changes <= 1).all():
            return length, {int(i): bracketed_root(series[i], length) for i in np.flatnonzero(changes == 1)}
        length = length / 2
    return length, {}


@cache
def _bernstein(size: int) -> FloatArray:
    """Matrix from power to Bernstein coefficients on [0, 1]."""
    last = size - 1
    return np.array([[comb(i, p) / comb(last, p) if p <= i else 0.0 for p in range(size)] for i in range(size)])


def bracketed_root(series: Array, upper: Any) -> Any:
    """The zero in [0, upper] of a polynomial that changes sign there once: Newton's method, kept in a bracket."""
    coefficients = series.tolist()
    slopes = [i * c for i, c in enumerate(coefficients)][1:]
    rising = _horner(coefficients, upper) > 0
    low, high = upper * 0, upper
    x = first_guess(coefficients, upper)
    for _ in range(200):
        value, slope = _horner(coefficients, x), _horner(slopes, x)
        if (value > 0) == rising:
            high = x
        else:
            low = x
        following = x - value / slope if slope != 0 else (low + high) / 2
        if not low <= following <= high:
            following = (low + high) / 2
        if value == 0 or following in (x, low, high):
            return following
        x = following
    return x


def first_guess(series: Any, upper: Any) -> Any:
    """Where the tangent at 0 vanishes, or the middle."""
    if series[1] == 0:
        return upper / 2
    guess = -series[0] / series[1]
    return guess if 0 < guess < upper else upper / 2


def _horner(coefficients: list[Any], x: Any) -> Any:
    total = coefficients[-1]
    for coefficient in coefficients[-2::-1]:
        total = total * x + coefficient
    return total


def powers_of(x: Any, size: int) -> Array:
    if isinstance(x, float):
        return np.asarray(x ** np.arange(size))
    powers = np.empty(size, dtype=object)
    powers[0] = x * 0 + 1
    for i in range(1, size):
        powers[i] = powers[i - 1] * x
    return powers
