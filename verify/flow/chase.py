"""Many Taylor steps in one compiled call: as long as nothing else is to be decided between them.

At moderate Λ dozens of pairs die while outputs already matter, and each of them ends a Taylor step; and it takes dozens
of steps until a label that is being fitted rests. This is the loop of :mod:`verify.flow.simulate` for those cases, in
machine floats only; the tests hold it against the loop it stands in for.
"""

from __future__ import annotations

import math
from typing import Any

import numba
import numpy as np

from verify.flow.float64 import FLOAT64
from verify.flow.polynomial import horner

_extend, _first_crossing, _sizes = FLOAT64.extend, FLOAT64.first_crossing, FLOAT64.sizes

MOST = 64
"""Steps in one call."""

NEAR = 1e-6
"""A label whose output is above this share of it, and which does not rest, keeps a plateau from beginning."""

EVEN = (0.01, 0.5)
"""Where a label of a block has less than the first share of its residual left, all must have less than the second."""


@numba.njit(cache=True)
def stride(largest: Any, orders: Any, log_tolerance: float, most: float) -> tuple[float, float]:
    """Step length and relative size of the last term, from the sizes of :func:`verify.flow.crossing.sizes`.

    The last two terms of every row must stay below the tolerance times one of its first three.
    """
    longest = math.inf
    for row in range(largest.shape[0]):
        best = -math.inf
        for p in range(3):
            if largest[row, p] == 0.0:
                continue
            reach = math.inf
            for q in (3, 4):
                if largest[row, q] > 0.0:
                    slack = log_tolerance + math.log(largest[row, p]) - math.log(largest[row, q])
                    reach = min(reach, slack / (orders[q] - orders[p]))
            best = max(best, reach)
        if best > -math.inf:
            longest = min(longest, best)
    length = min(0.95 * math.exp(min(longest, 700.0)), most)
    truncation = 0.0
    for row in range(largest.shape[0]):
        first = 0.0
        for p in range(3):
            first = max(first, largest[row, p] * length ** orders[p])
        if first > 0.0 and largest[row, 4] > 0.0:
            truncation = max(truncation, largest[row, 4] / first * length ** orders[4])
    return length, truncation


@numba.njit(cache=True)
def _bridged(channel: Any, neuron: int, label: int) -> bool:
    """Whether another neuron joins the label to one that the neuron keeps."""
    for other in range(channel.shape[0]):
        if other == neuron or channel[other, label] < 0:
            continue
        for k in range(channel.shape[1]):
            if k != label and channel[neuron, k] >= 0 and channel[other, k] >= 0:
                return True
    return False


@numba.njit(cache=True)
def _at_labels(z: Any, channel: Any, axes: Any, neuron: int) -> Any:
    """(n,): the coordinates of one neuron at the labels."""
    n = z.shape[1]
    out = z[neuron].copy()
    for k in range(n):
        if channel[neuron, k] >= n:
            total = 0.0
            for i in range(n):
                if channel[neuron, i] >= n:
                    total += axes[i, k] * z[neuron, i]
            out[k] = total
    return out


@numba.njit(cache=True)
def _switch_off(z: Any, channel: Any, axes: Any, block: Any, neuron: int, label: int) -> None:
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


@numba.njit(cache=True)
def _crowded(z: Any, channel: Any, axes: Any, neuron: int, label: int, noise: float) -> bool:
    """Whether another pair is at zero, to rounding, together with the one that died."""
    for j in range(z.shape[0]):
        natural = _at_labels(z, channel, axes, j)
        for k in range(z.shape[1]):
            if channel[j, k] >= 0 and natural[k] <= noise and not (j == neuron and k == label):
                return True
    return False


@numba.njit(cache=True)
def chase(
    t: float,
    alpha: Any,
    z: Any,
    residual: Any,
    channel: Any,
    signs: Any,
    weight: Any,
    lateral_weight: Any,
    lateral: Any,
    y: Any,
    axes: Any,
    framed: Any,
    off_axis: Any,
    block: Any,
    n: int,
    size: int,
    tolerance: float,
    most: float,
    bernstein: Any,
) -> tuple[Any, Any, Any, Any, Any, Any, Any, Any]:
    """Follow a component through deactivations that do not split it, and from step to step while it is being fitted.

    Arguments as in :func:`verify.flow.series.extend`; ``residual`` (b,) along the axes at time ``t``, ``y`` (b,) the
    labels. Steps that machine floats cannot tell from no time at all are not followed by others. Returns,
    for each step: its start (alpha (k,), z (k, b) and residual (b,) in rows), unit, length, truncation, and the pair
    that ends it (−1 for none). The last step is one at whose end something must be decided outside; its coefficients
    a, z, r come last.
    """
    k, b = z.shape
    alphas, zs, residuals = np.zeros((MOST, k)), np.zeros((MOST, k, b)), np.zeros((MOST, b))
    numbers, pairs = np.zeros((MOST, 3)), np.full((MOST, 2), -1, np.int64)
    a, zz, r = np.zeros((k, size)), np.zeros((k, b, size)), np.zeros((2 * b, size))
    orders = np.array([0, 1, 2, size - 2, size - 1])
    turning = np.zeros(k, np.bool_)
    largest = np.zeros((2 * k + b + 2, 5))
    alpha, z, residual, channel = alpha.copy(), z.copy(), residual.copy(), channel.copy()
    count = 0
    while True:
        alphas[count], zs[count], residuals[count] = alpha, z, residual
        _fill(a, zz, r, alpha, z, residual, axes, framed, off_axis, lateral)
        unit = 1.0 / (_fastest(a, zz, r, channel, weight, off_axis, lateral) / n)
        gain, mass, sideways = signs * (unit / n), signs * weight, signs * lateral_weight
        _extend(a, zz, r, channel, gain, mass, sideways, axes, framed, off_axis, lateral)
        largest[:] = 0.0
        _sizes(a, zz, r, orders, channel, off_axis, block, largest)
        length, truncation = stride(largest, orders, math.log(tolerance), most)
        length, neuron, label = _first_crossing(a, zz, r, channel, turning, axes, off_axis, lateral, bernstein, length)
        numbers[count, 0], numbers[count, 1], numbers[count, 2] = unit, length, truncation
        pairs[count, 0], pairs[count, 1] = neuron, label
        count += 1
        if count == MOST or (neuron >= 0 and (lateral[0] != 1.0 or not _bridged(channel, neuron, label))):
            break
        _evaluate(a, zz, r, length, alpha, z, residual)
        before, t = t, t + unit * length
        if neuron < 0:
            if t > before and _ordinary(r, length, y, framed, block, tolerance):
                continue
            break
        if _crowded(z, channel, axes, neuron, label, 16 * 2.0**-53):
            break
        _switch_off(z, channel, axes, block, neuron, label)
    return alphas[:count], zs[:count], residuals[:count], numbers[:count], pairs[:count], a, zz, r


@numba.njit(cache=True)
def _ordinary(r: Any, length: float, y: Any, framed: Any, block: Any, tolerance: float) -> bool:
    """Whether nothing but the next step can follow: no plateau begins, and no block comes to be fitted unevenly."""
    least, most = np.full(2, np.inf), np.zeros(2)
    moving = False
    for k in range(len(y)):
        share = horner(r[k], length) / y[k]
        moving = moving or (abs(share) > tolerance and abs(share - 1.0) > NEAR)
        if framed[k]:
            least[block[k]] = min(least[block[k]], abs(share))
            most[block[k]] = max(most[block[k]], abs(share))
    for b in range(2):
        if least[b] < EVEN[0] and most[b] >= EVEN[1]:
            return False
    return moving


@numba.njit(cache=True)
def _fastest(a: Any, z: Any, r: Any, channel: Any, weight: Any, off_axis: Any, lateral: Any) -> float:
    """n times a rate that bounds growth and decay at the start, as in :mod:`verify.flow.step`."""
    b = z.shape[1]
    mass, spread, growth = np.zeros(b), 0.0, 0.0
    for j in range(z.shape[0]):
        for i in range(b):
            part = z[j, i, 0] * lateral[0] if channel[j, i] >= b and off_axis[i] else z[j, i, 0]
            spread += weight[j] * part * part
            if channel[j, i] >= 0:
                mass[i] += weight[j] * a[j, 0] * a[j, 0]
    for i in range(b):
        growth += abs(r[b + i, 0] * lateral[0] if off_axis[i] else r[b + i, 0])
    return float(mass.max() + spread + growth)


@numba.njit(cache=True)
def _fill(
    a: Any, z: Any, r: Any, alpha: Any, start: Any, residual: Any, axes: Any, framed: Any, off_axis: Any, lateral: Any
) -> None:
    """Coefficients of order 0."""
    b = len(residual)
    a[:, 0] = alpha
    z[:, :, :] = 0.0
    z[:, :, 0] = start
    for i in range(b):
        r[b + i, 0] = residual[i]
        r[i, 0] = residual[i]
    for i in range(b):
        if framed[i]:
            total = 0.0
            for q in range(b):
                if framed[q]:
                    total += axes[q, i] * (residual[q] * lateral[0] if off_axis[q] else residual[q])
            r[i, 0] = total


@numba.njit(cache=True)
def _evaluate(a: Any, z: Any, r: Any, x: float, alpha: Any, out: Any, residual: Any) -> None:
    """The polynomials at x."""
    size, b = a.shape[1], len(residual)
    powers = np.ones(size)
    for p in range(1, size):
        powers[p] = powers[p - 1] * x
    for j in range(len(alpha)):
        alpha[j] = (a[j] * powers).sum()
        for i in range(b):
            out[j, i] = (z[j, i] * powers).sum()
    for i in range(b):
        residual[i] = (r[b + i] * powers).sum()
