"""Between two compiled steps: whether one may follow the other at once, and what a deactivation leaves behind."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from verify.flow.compiled import compilable
from verify.flow.polynomial import horner
from verify.flow.room import copied, filled, vector

EVEN = (0.01, 0.5)
"""Where a label of a block has less than the first share of its residual left, all must have less than the second."""


@compilable
def whole(part: Any, block: Any) -> bool:
    """Whether labels of the same block are in the same part, so that the frames of the parts are those of the whole."""
    for k in range(len(part)):
        for other in range(k):
            if block[k] == block[other] and part[k] != part[other]:
                return False
    return True


@compilable
def _at_labels(z: Any, channel: Any, axes: Any, neuron: int) -> Any:
    """(n,): the coordinates of one neuron at the labels."""
    n = z.shape[1]
    out = copied(z[neuron])
    for k in range(n):
        if channel[neuron, k] >= n:
            total = 0.0
            for i in range(n):
                if channel[neuron, i] >= n:
                    total += axes[i, k] * z[neuron, i]
            out[k] = total
    return out


@compilable
def switch_off(z: Any, channel: Any, axes: Any, block: Any, neuron: int, label: int) -> None:
    """Switch a pair off, in place; a block of the neuron that was along the axes returns to the labels."""
    n = z.shape[1]
    if channel[neuron, label] >= n:
        natural = _at_labels(z, channel, axes, neuron)
        for k in range(n):
            if channel[neuron, k] >= n and block[k] == block[label]:
                z[neuron, k] = natural[k]
                channel[neuron, k] = k
    z[neuron, label] = 0.0
    channel[neuron, label] = -1


@compilable
def crowded(z: Any, channel: Any, axes: Any, neuron: int, label: int, noise: float) -> bool:
    """Whether another pair is at zero, to rounding, together with the one that died."""
    for j in range(z.shape[0]):
        natural = _at_labels(z, channel, axes, j)
        for k in range(z.shape[1]):
            if channel[j, k] >= 0 and natural[k] <= noise and not (j == neuron and k == label):
                return True
    return False


@compilable
def ordinary(shares: Any, reach: Any, part: Any, framed: Any, block: Any, tolerance: float) -> bool:
    """Whether nothing but the next step can follow: no plateau begins, and no block comes to be fitted unevenly.

    ``shares`` (b,): what is left of the labels. ``reach`` (b,): bounds of the outputs, in units of the labels; a label
    that is not fitted and whose bound is above the tolerance is neither waiting nor at rest. Every ``part`` (b,) must
    have such a label.
    """
    least, most = filled(2, shares.dtype, math.inf), filled(2, shares.dtype, 0.0)
    moving = filled(len(part), np.bool_, False)
    for k in range(len(shares)):
        moving[part[k]] |= shares[k] > tolerance and reach[k] > tolerance / math.e
        if framed[k]:
            least[block[k]] = min(least[block[k]], shares[k])
            most[block[k]] = max(most[block[k]], shares[k])
    for b in range(2):
        if least[b] < EVEN[0] and most[b] >= EVEN[1]:
            return False
    still = 0
    for k in range(len(part)):
        still += 0 if moving[part[k]] else 1
    return still == 0


@compilable
def shares_left(r: Any, order: int, x: float, y: Any) -> Any:
    """(b,): |r_k/y_k| at the argument x of the series r (2b, N+1), up to the order."""
    out = vector(len(y), y.dtype)
    for k in range(len(y)):
        out[k] = abs(horner(r[k, : order + 1], x) / y[k])
    return out


@compilable
def reach_of(alpha: Any, z: Any, channel: Any, weight: Any, off_axis: Any, lateral: Any, y: Any) -> Any:
    """(b,): Σ over active neurons of (a_j² + |p_j|²)/2, which bounds the output, over |y_k|."""
    b = z.shape[1]
    out = filled(b, y.dtype, 0.0)
    for j in range(z.shape[0]):
        size = alpha[j] * alpha[j]
        for i in range(b):
            part = z[j, i] * lateral if channel[j, i] >= b and off_axis[i] else z[j, i]
            size += part * part
        for k in range(b):
            if channel[j, k] >= 0:
                out[k] += abs(weight[j]) * size / 2 / abs(y[k])
    return out
