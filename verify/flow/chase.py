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
from verify.flow.links import bridged, crowded, ordinary, reach_of, shares_left, switch_off
from verify.flow.polynomial import horner

_extend, _first_crossing, _sizes = FLOAT64.extend, FLOAT64.first_crossing, FLOAT64.sizes

MOST = 64
"""Steps in one call."""

KEPT = 2**20
"""Coefficients of all steps are kept when they are no more than so many; else those of the last step."""


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
    excess: Any,
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
    labels, ``excess`` (k,): α² − |p|². Steps that machine floats cannot tell from no time at all are not followed by
    others. Returns, for each step: its start (alpha (k,), z (k, b) and residual (b,) in rows), unit, length,
    truncation, and the pair that ends it (−1 for none). The last step is one at whose end something must be decided
    outside. Coefficients a, z, r come last, those of all steps or of the last alone (see ``KEPT``).
    """
    k, b = z.shape
    alphas, zs, residuals = np.zeros((MOST, k)), np.zeros((MOST, k, b)), np.zeros((MOST, b))
    numbers, pairs = np.zeros((MOST, 3)), np.full((MOST, 2), -1, np.int64)
    kept = MOST if k * b * size * MOST <= KEPT else 1
    all_a, all_z, all_r = np.empty((kept, k, size)), np.empty((kept, k, b, size)), np.empty((kept, 2 * b, size))
    orders = np.array([0, 1, 2, size - 2, size - 1])
    turning = np.zeros(k, np.bool_)
    largest = np.zeros((2 * k + b + 2, 5))
    alpha, z, residual, channel = alpha.copy(), z.copy(), residual.copy(), channel.copy()
    count = 0
    while True:
        _restore(alpha, z, channel, off_axis, lateral, excess)
        alphas[count], zs[count], residuals[count] = alpha, z, residual
        place = min(count, kept - 1)
        a, zz, r = all_a[place], all_z[place], all_r[place]
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
        if count == MOST or (neuron >= 0 and (lateral[0] != 1.0 or not bridged(channel, neuron, label))):
            break
        _evaluate(a, zz, r, length, alpha, z, residual)
        before, t = t, t + unit * length
        if neuron < 0:
            reach = reach_of(alpha, z, channel, weight, off_axis, lateral, y)
            if t > before and ordinary(shares_left(r, length, y), reach, framed, block, tolerance):
                continue
            break
        if crowded(z, channel, axes, neuron, label, 16 * 2.0**-53):
            break
        switch_off(z, channel, axes, block, neuron, label)
    kept = min(count, kept)
    return (
        alphas[:count],
        zs[:count],
        residuals[:count],
        numbers[:count],
        pairs[:count],
        all_a[:kept],
        all_z[:kept],
        all_r[:kept],
    )


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
def _restore(alpha: Any, z: Any, channel: Any, off_axis: Any, lateral: Any, excess: Any) -> None:
    """α from the conserved α² − |p|², in place, as at the start of a step in :mod:`verify.flow.step`."""
    for j in range(z.shape[0]):
        total = excess[j]
        for i in range(z.shape[1]):
            part = z[j, i] * lateral[0] if channel[j, i] >= z.shape[1] and off_axis[i] else z[j, i]
            total += part * part
        alpha[j] = math.sqrt(total)


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
    b = len(residual)
    for j in range(len(alpha)):
        alpha[j] = horner(a[j], x)
        for i in range(b):
            out[j, i] = horner(z[j, i], x)
    for i in range(b):
        residual[i] = horner(r[b + i], x)
