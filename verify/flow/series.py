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
    count = 0
    for j in range(k):
        for i in range(b):
            count += 1 if law.channel[j, i] >= 0 else 0
    series = Series(
        np.empty((size, k), a.dtype),
        np.empty((2 * b, size), a.dtype),
        np.empty(count, np.int64),
        np.empty(count, np.int64),
        np.empty(count, np.int64),
        np.empty((size, count), a.dtype),
        np.empty((size, count), a.dtype),
        np.empty((size, count), a.dtype),
        np.empty(count, a.dtype),
        np.empty(count, a.dtype),
        np.empty(count, a.dtype),
        np.empty(count, a.dtype),
    )
    for i in range(b):
        series.r[i, 0] = residual[i]
        series.r[b + i, 0] = residual[i]
    _to_labels(series, law, 0)
    q = 0
    for j in range(k):
        series.a[0, j] = a[j]
        for i in range(b):
            if law.channel[j, i] >= 0:
                _enter(series, law, q, j, i, z[j, i])
                q += 1
    return series


@register_jitable
def _enter(series: Series, law: Law, q: int, j: int, i: int, z: Any) -> None:
    """Column q: neuron j, coordinate i, where it starts at z."""
    c = law.channel[j, i]
    series.neuron[q], series.coordinate[q], series.channel[q] = j, i, c
    series.alpha[0, q], series.z[0, q], series.drive[0, q] = series.a[0, j], z, series.r[c, 0]
    series.gain[q], series.weight[q], series.lateral_weight[q] = law.gain[j], law.weight[j], law.lateral_weight[j]
    sideways = c >= len(law.framed) and law.off_axis[i]
    series.pull[q] = law.gain[j] * law.lateral[0] * law.lateral[0] if sideways else law.gain[j]


def extend(series: Series, law: Law, begin: int, end: int) -> None:
    """Fill in the Taylor coefficients of order ``begin`` + 1 … ``end`` of one component, in place. [D, section 2.8]

    The equations, with ``s`` the sign of a neuron, are ``a' = gain Σ_i z_i ρ_i``, ``z_i' = gain a ρ_i``, where ρ_i is
    the residual in the coordinate that z_i uses, and ``residual = target − Σ_j weight_j a_j z_j``. Coefficients of the
    residual of order ≥ 1 come from products alone, so that it keeps its relative accuracy however small it is.
    """
    a, r, alpha, z, drive = series.a, series.r, series.alpha, series.z, series.drive
    neuron, channel, gain, pull = series.neuron, series.channel, series.gain, series.pull
    count, k = len(neuron), a.shape[1]
    pushed, pulled = np.zeros(count, a.dtype), np.zeros(count, a.dtype)
    for p in range(begin, end):
        convolve(alpha, drive, p, pushed)
        convolve(z, drive, p, pulled)
        for j in range(k):
            a[p + 1, j] = a[0, j] * 0
        for q in range(count):
            z[p + 1, q] = gain[q] * pushed[q] / (p + 1)
            a[p + 1, neuron[q]] += pull[q] * pulled[q] / (p + 1)
        for q in range(count):
            alpha[p + 1, q] = a[p + 1, neuron[q]]
        convolve(alpha, z, p + 1, pushed)
        _respond(series, law, pushed, p + 1)
        for q in range(count):
            drive[p + 1, q] = r[channel[q], p + 1]


@register_jitable
def _respond(series: Series, law: Law, products: Any, p: int) -> None:
    """Order p of the residual, from that of the products a_j z_ji."""
    r, b = series.r, len(law.framed)
    outputs, sideways = np.zeros(2 * b, r.dtype), np.zeros(b, r.dtype)
    for q in range(len(products)):
        c = series.channel[q]
        outputs[c] += series.weight[q] * products[q]
        if c < b:
            sideways[c] += series.lateral_weight[q] * products[q]
    for i in range(b):
        total = outputs[b + i]
        if not law.framed[i]:
            total = total + outputs[i]
        for k in range(b):
            if law.framed[i] and law.framed[k]:
                total += law.axes[i, k] * (sideways[k] if law.off_axis[i] else outputs[k])
        r[b + i, p] = -total
        r[i, p] = -total
    _to_labels(series, law, p)


@register_jitable
def _to_labels(series: Series, law: Law, p: int) -> None:
    """Order p of the residual at framed labels, from that along the axes."""
    r, b = series.r, len(law.framed)
    for i in range(b):
        if law.framed[i]:
            total = r[i, p] * 0
            for k in range(b):
                if law.framed[k]:
                    part = law.axes[k, i] * r[b + k, p]
                    total += part * law.lateral[0] if law.off_axis[k] else part
            r[i, p] = total
