"""Polynomials on an interval: values, sign changes, roots that cannot be missed.

The functions use indexing and ``+ - * /`` only: compiled code calls them on machine floats, Python on any number.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from operator import mul
from typing import Any

import numpy as np
from numba.extending import overload

from verify.flow.arithmetic import Array
from verify.flow.compiled import SUMS, compilable
from verify.flow.room import vector
from verify.notation import FloatArray


@cache
def bernstein_matrix(size: int) -> FloatArray:
    """Matrix (size, size) from power coefficients on [0, 1] to coefficients in the Bernstein basis.

    Its entries are C(i, p)/C(size − 1, p).
    """
    matrix = np.zeros((size, size))
    matrix[:, 0] = 1.0
    index = np.arange(size)
    for p in range(1, size):
        matrix[:, p] = matrix[:, p - 1] * np.maximum(index - p + 1, 0) / (size - p)
    return matrix


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


INNER_PRODUCTS: dict[type, Callable[[list[Any], list[Any]], Any]] = {}
"""The fastest sum of products that a type of number has, where it is not that of its operators."""


def convolve(left: Any, right: Any, k: int, out: Any) -> None:
    """Σ left_p right_{k−p} over p = 0 … k into ``out``, one coefficient of the product of each pair of columns."""
    for q in range(len(out)):
        x, y = left[: k + 1, q].tolist(), right[k::-1, q].tolist()
        out[q] = inner_product(x, y)


def inner_product(left: list[Any], right: list[Any]) -> Any:
    """The sum of the products of two lists of equal length, as fast as their type of number allows."""
    return INNER_PRODUCTS.get(type(left[0]), _inner_product)(left, right)


def _inner_product(left: list[Any], right: list[Any]) -> Any:
    return sum(map(mul, left, right))


@overload(convolve, jit_options={"fastmath": SUMS["fastmath"]})
def _compiled_convolve(left: Any, right: Any, k: int, out: Any) -> Any:
    def loop(left: Any, right: Any, k: int, out: Any) -> None:
        """Four terms at a time: what is read of ``out`` and written there costs as much as a product."""
        count, p = len(out), 0
        for q in range(count):
            out[q] = 0.0
        while p + 3 <= k:
            for q in range(count):
                here = left[p, q] * right[k - p, q] + left[p + 1, q] * right[k - p - 1, q]
                there = left[p + 2, q] * right[k - p - 2, q] + left[p + 3, q] * right[k - p - 3, q]
                out[q] += here + there
            p += 4
        while p <= k:
            for q in range(count):
                out[q] += left[p, q] * right[k - p, q]
            p += 1

    return loop


def values_at(series: Array, powers: Array) -> Array:
    """Series (…, size) at one argument, given its powers (size,), or at many (T, size), which become the first axis."""
    if powers.ndim == 1:
        return series @ powers
    return (powers @ series.reshape(-1, series.shape[-1]).T).reshape(len(powers), *series.shape[:-1])


@compilable
def horner(coefficients: Any, x: Any) -> Any:
    """The value at x."""
    total = coefficients[-1]
    for p in range(len(coefficients) - 2, -1, -1):
        total = total * x + coefficients[p]
    return total


@compilable
def slope(coefficients: Any, x: Any) -> Any:
    """The derivative at x."""
    last = len(coefficients) - 1
    total = coefficients[last] * last
    for p in range(last - 1, 0, -1):
        total = total * x + coefficients[p] * p
    return total


UNSURE = 1e-11
"""Bernstein coefficients smaller than this share of the largest term are summed again with all digits."""


def sign_changes(coefficients: Any, length: Any, bernstein: Any) -> int:
    """Sign changes of the Bernstein coefficients on [0, length]: at least as many as the polynomial has roots there.

    No change proves that there is no root, one change that there is exactly one. The matrix may be that of a higher
    degree. With many digits most signs are certain in machine floats already.
    """
    scaled = coefficients * powers_of(length, len(coefficients))
    if abs(scaled[0]) > sum(abs(scaled[1:])):
        return 0
    top = max(abs(scaled))
    if top == 0:
        return 0
    signs = bernstein[:, : len(scaled)] @ np.asarray(scaled / top, dtype=np.float64)
    for i in np.flatnonzero(np.abs(signs) <= UNSURE):
        exact = np.dot(scaled[: i + 1], bernstein[i, : min(i + 1, len(scaled))])
        signs[i] = int(exact > 0) - int(exact < 0)
    signs = np.sign(signs[signs != 0])
    return int((signs[1:] != signs[:-1]).sum())


@overload(sign_changes)
def _compiled_sign_changes(coefficients: Any, length: Any, bernstein: Any) -> Any:
    def loop(coefficients: Any, length: Any, bernstein: Any) -> int:
        size = len(coefficients)
        scaled = vector(size, coefficients.dtype)
        power, rest = 1.0, 0.0
        for p in range(size):
            scaled[p] = coefficients[p] * power
            power = power * length
            if p > 0:
                rest += abs(scaled[p])
        if abs(scaled[0]) > rest:
            return 0
        changes, before = 0, 0
        for i in range(len(bernstein)):
            total = 0.0
            for p in range(min(i + 1, size)):
                total += scaled[p] * bernstein[i, p]
            sign = 1 if total > 0 else (-1 if total < 0 else 0)
            if sign != 0:
                if before * sign < 0:
                    changes += 1
                before = sign
        return changes

    return loop


@compilable
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
