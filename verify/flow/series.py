"""The Taylor recursion of the flow, one body for every arithmetic.

Only indexing, ``+ - * /`` and :func:`.polynomial.convolve` are used: compiled by numba it is the float64 kernel, as
it stands it runs on object arrays of any multiprecision type.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba.extending import register_jitable

from verify.flow.polynomial import convolve


class Law(NamedTuple):
    """What a component's series obey, besides their first coefficients. Shapes: k neurons, b labels.

    - ``channel`` (k, b): the row of the residual that drives a coordinate, or −1 where the pair is off.
    - ``gain`` (k,): s_j·(time unit)/n. ``weight`` (k,): s_j (λe^ℓ)².
    - ``axes`` (b, b): the label frame, one row an axis. ``framed`` (b,): whether a label belongs to the frame;
      ``off_axis`` (b,): whether the coordinate is off its target.
    - ``lateral`` (1,): the unit of the off-axis coordinates of z and r, so that they never underflow;
      ``lateral_weight`` (k,): weight/lateral.
    """

    channel: Any
    gain: Any
    weight: Any
    lateral_weight: Any
    axes: Any
    framed: Any
    off_axis: Any
    lateral: Any


class Series(NamedTuple):
    """Taylor coefficients, one order a row, one active pair a column: all columns are worked on at once.

    - ``a`` (N+1, k): neurons. ``r`` (2b, N+1): the residual at the labels, then along the axes.
    - ``neuron``, ``coordinate``, ``channel`` (P,): who a column is, and what drives it.
    - ``alpha``, ``z``, ``drive`` (N+1, P): the column's neuron, coordinate and residual.
    - ``gain``, ``weight``, ``lateral_weight`` (P,): of its neuron. ``pull`` (P,): what its products count in a'.
    """

    a: Any
    r: Any
    neuron: Any
    coordinate: Any
    channel: Any
    alpha: Any
    z: Any
    drive: Any
    gain: Any
    weight: Any
    lateral_weight: Any
    pull: Any


@register_jitable
def started(law: Law, a: Any, z: Any, residual: Any, size: int) -> Series:
    """Series of ``size`` terms, only the first of which is known: a (k,), z (k, b), residual (b,) along the axes."""
    k, b = z.shape
    neuron, coordinate = np.nonzero(law.channel >= 0)
    count = len(neuron)
    series = Series(
        np.empty((size, k), a.dtype),
        np.empty((2 * b, size), a.dtype),
        neuron,
        coordinate,
        np.empty(count, np.int64),
        np.empty((size, count), a.dtype),
        np.empty((size, count), a.dtype),
        np.empty((size, count), a.dtype),
        law.gain[neuron],
        law.weight[neuron],
        law.lateral_weight[neuron],
        law.gain[neuron],
    )
    series.a[0] = a
    series.r[b:, 0] = residual
    series.r[:b, 0] = residual
    _to_labels(series, law, 0)
    for q in range(count):
        j, i = neuron[q], coordinate[q]
        c = law.channel[j, i]
        series.channel[q] = c
        series.alpha[0, q], series.z[0, q], series.drive[0, q] = a[j], z[j, i], series.r[c, 0]
        if c >= b and law.off_axis[i]:
            series.pull[q] = series.pull[q] * law.lateral[0] * law.lateral[0]
    return series


def extend(series: Series, law: Law, begin: int, end: int) -> None:
    """Fill in the Taylor coefficients of order ``begin`` + 1 … ``end`` of one component, in place. [D, section 2.8]

    The equations, with ``s`` the sign of a neuron, are ``a' = gain Σ_i z_i ρ_i``, ``z_i' = gain a ρ_i``, where ρ_i is
    the residual in the coordinate that z_i uses, and ``residual = target − Σ_j weight_j a_j z_j``. Coefficients of the
    residual of order ≥ 1 come from products alone, so that it keeps its relative accuracy however small it is.
    """
    a, r, alpha, z, drive, pull = series.a, series.r, series.alpha, series.z, series.drive, series.pull
    neuron, channel, gain = series.neuron, series.channel, series.gain
    count = len(neuron)
    pushed, pulled = gain * 0, gain * 0
    for k in range(begin, end):
        convolve(alpha, drive, k, pushed)
        convolve(z, drive, k, pulled)
        a[k + 1] = a[0] * 0
        for q in range(count):
            z[k + 1, q] = gain[q] * pushed[q] / (k + 1)
            a[k + 1, neuron[q]] += pull[q] * pulled[q] / (k + 1)
        for q in range(count):
            alpha[k + 1, q] = a[k + 1, neuron[q]]
        convolve(alpha, z, k + 1, pushed)
        _respond(series, law, pushed, k + 1)
        for q in range(count):
            drive[k + 1, q] = r[channel[q], k + 1]


@register_jitable
def _respond(series: Series, law: Law, products: Any, k: int) -> None:
    """Order k of the residual, from that of the products a_j z_ji."""
    r, b = series.r, len(law.framed)
    outputs, sideways = r[:, 0] * 0, r[:b, 0] * 0
    for q in range(len(products)):
        c = series.channel[q]
        outputs[c] += series.weight[q] * products[q]
        if c < b:
            sideways[c] += series.lateral_weight[q] * products[q]
    for i in range(b):
        total = outputs[b + i]
        if not law.framed[i]:
            total = total + outputs[i]
        for p in range(b):
            if law.framed[i] and law.framed[p]:
                total += law.axes[i, p] * (sideways[p] if law.off_axis[i] else outputs[p])
        r[b + i, k] = -total
        r[i, k] = -total
    _to_labels(series, law, k)


@register_jitable
def _to_labels(series: Series, law: Law, k: int) -> None:
    """Order k of the residual at framed labels, from that along the axes."""
    r, b = series.r, len(law.framed)
    for i in range(b):
        if law.framed[i]:
            total = r[i, k] * 0
            for p in range(b):
                if law.framed[p]:
                    part = law.axes[p, i] * r[b + p, k]
                    total += part * law.lateral[0] if law.off_axis[p] else part
            r[i, k] = total
