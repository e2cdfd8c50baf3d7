"""Polynomials on an interval: values, sign changes, roots that cannot be missed.

The functions use indexing and ``+ - * /`` only: compiled code calls them on machine floats, Python on any number.
"""

from __future__ import annotations

from functools import cache
from math import comb
from typing import Any

import numpy as np
from numba.extending import register_jitable

from verify.flow.arithmetic import Array
from verify.notation import FloatArray


@cache
def bernstein_matrix(size: int) -> FloatArray:
    """Matrix (size, size) from power coefficients on [0, 1] to coefficients in the Bernstein basis."""
    last = size - 1
    return np.array([[comb(i, p) / comb(last, p) if p <= i else 0.0 for p in range(size)] for i in range(size)])


def powers_of(x: Any, size: int) -> Array:
    """(…, size): 1, x, x², … of a number or of an array of numbers."""
    if isinstance(x, float):
        return np.asarray(x ** np.arange(size))
    x = np.asarray(x)
    if x.dtype != object:
        return np.asarray(x[..., None] ** np.arange(size))
    powers = np.empty((*x.shape, size), dtype=object)
    powers[..., 0] = x * 0 + 1
    for i in range(1, size):
        powers[..., i] = powers[..., i - 1] * x
    return powers


@register_jitable
def horner(coefficients: Any, x: Any) -> Any:
    """The value at x."""
    total = coefficients[-1]
    for p in range(len(coefficients) - 2, -1, -1):
        total = total * x + coefficients[p]
    return total


@register_jitable
def slope(coefficients: Any, x: Any) -> Any:
    """The derivative at x."""
    last = len(coefficients) - 1
    total = coefficients[last] * last
    for p in range(last - 1, 0, -1):
        total = total * x + coefficients[p] * p
    return total


@register_jitable
def sign_changes(coefficients: Any, length: Any, bernstein: Any) -> int:
    """Sign changes of the Bernstein coefficients on [0, length]: at least as many as the polynomial has roots there.

    No change proves that there is no root, one change that there is exactly one.
    """
    size = len(coefficients)
    scaled = coefficients.copy()
    power = length * 0 + 1
    for p in range(size):
        scaled[p] = coefficients[p] * power
        power = power * length
    changes, before = 0, 0
    for i in range(size):
        total = scaled[0] * bernstein[i, 0]
        for p in range(1, i + 1):
            total += scaled[p] * bernstein[i, p]
        sign = 1 if total > 0 else (-1 if total < 0 else 0)
        if sign != 0:
            if before * sign < 0:
                changes += 1
            before = sign
    return changes


@register_jitable
def bracketed_root(coefficients: Any, upper: Any) -> Any:
    """The zero in [0, upper] of a polynomial that changes sign there once: Newton's method, kept in a bracket."""
    rising = horner(coefficients, upper) > 0
    low, high = upper * 0, upper
    x = upper / 2
    if coefficients[1] != 0:
        guess = -coefficients[0] / coefficients[1]
        if guess > 0 and guess < upper:
            x = guess
    for _ in range(200):
        value, steepness = horner(coefficients, x), slope(coefficients, x)
        if (value > 0) == rising:
            high = x
        else:
            low = x
        following = (low + high) / 2
        if steepness != 0:
            newton = x - value / steepness
            if newton >= low and newton <= high:
                following = newton
        if value == 0 or following in (x, low, high):
            return following
        x = following
    return x
