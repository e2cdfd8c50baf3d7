"""The Taylor recursion of the flow, one body for every arithmetic.

Only indexing, ``+ - * /`` and :func:`.polynomial.convolve` are used: compiled by numba it is the float64 kernel, as
it stands it runs on object arrays of any multiprecision type.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from verify.flow.compiled import compilable, compilable_sums
from verify.flow.polynomial import convolve
from verify.flow.room import filled, matrix, vector


class Law(NamedTuple):
    """What a component's series obey, besides their first coefficients. Shapes: k neurons, b labels.

    - ``channel`` (k, b): the row of the residual that drives a coordinate, or −1 where the pair is off.
    - ``gain`` (k,): s_j·(time unit)/n. ``weight`` (k,): s_j (λe^ℓ)².
    - ``axes`` (b, b): the label frame, one row an axis. ``framed`` (b,): whether a label belongs to the frame;
      ``off_axis`` (b,): whether the coordinate is off its target.
    - ``lateral``: the unit of the off-axis coordinates of z and r, so that they never underflow;
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

    - ``a`` (N+1, k): neurons. ``r`` (2b, N+1): the residual at the labels, then along the axes. ``first`` (2b + 1,):
      where the columns begin that each of its rows drives.
    - ``neuron``, ``coordinate``, ``channel`` (P,): who a column is, and what drives it.
    - ``column`` (k, b): the column of a pair, −1 where it is off.
    - ``alpha``, ``z``, ``drive`` (N+1, P): the column's neuron, coordinate and residual.
    - ``gain``, ``weight``, ``lateral_weight`` (P,): of its neuron. ``pull`` (P,): what its products count in a'.
    """

    a: Any
    r: Any
    first: Any
    neuron: Any
    coordinate: Any
    channel: Any
    column: Any
    alpha: Any
    z: Any
    drive: Any
    gain: Any
    weight: Any
    lateral_weight: Any
    pull: Any


@compilable
def started(law: Law, a: Any, z: Any, residual: Any, size: int) -> Series:
    """Series of ``size`` terms, only the first of which is known: a (k,), z (k, b), residual (b,) along the axes."""
    k, b = z.shape
    count = 0
    for j in range(k):
        for i in range(b):
            count += 1 if law.channel[j, i] >= 0 else 0
    series = Series(
        matrix(size, k, a.dtype),
        matrix(2 * b, size, a.dtype),
        filled(2 * b + 1, np.int64, 0),
        vector(count, np.int64),
        vector(count, np.int64),
        vector(count, np.int64),
        matrix(k, b, np.int64),
        matrix(size, count, a.dtype),
        matrix(size, count, a.dtype),
        matrix(size, count, a.dtype),
        vector(count, a.dtype),
        vector(count, a.dtype),
        vector(count, a.dtype),
        vector(count, a.dtype),
    )
    for i in range(b):
        series.r[i, 0] = residual[i]
        series.r[b + i, 0] = residual[i]
    _to_labels(series.r, law.axes, law.framed, law.off_axis, law.lateral, 0)
    for j in range(k):
        series.a[0, j] = a[j]
        for i in range(b):
            series.column[j, i] = -1
    q = 0
    for c in range(2 * b):
        i = c % b
        for j in range(k):
            if law.channel[j, i] == c:
                series.neuron[q], series.coordinate[q], series.channel[q], series.column[j, i] = j, i, c, q
                q += 1
        series.first[c + 1] = q
    for q in range(count):
        j, i, c = series.neuron[q], series.coordinate[q], series.channel[q]
        series.alpha[0, q], series.z[0, q], series.drive[0, q] = a[j], z[j, i], series.r[c, 0]
        series.gain[q], series.weight[q], series.lateral_weight[q] = law.gain[j], law.weight[j], law.lateral_weight[j]
        sideways = c >= b and law.off_axis[i]
        series.pull[q] = law.gain[j] * law.lateral * law.lateral if sideways else law.gain[j]
    return series


@compilable_sums
def extend(series: Series, law: Law, begin: int, end: int) -> None:
    """Fill in the Taylor coefficients of order ``begin`` + 1 … ``end`` of one component, in place. [D, section 2.8]

    The equations, with ``s`` the sign of a neuron, are ``a' = gain Σ_i z_i ρ_i``, ``z_i' = gain a ρ_i``, where ρ_i is
    the residual in the coordinate that z_i uses, and ``residual = target − Σ_j weight_j a_j z_j``. Coefficients of the
    residual of order ≥ 1 come from products alone, so that it keeps its relative accuracy however small it is.
    """
    a, r, alpha, z, drive = series.a, series.r, series.alpha, series.z, series.drive
    first, neuron, gain, pull = series.first, series.neuron, series.gain, series.pull
    weight, lateral_weight = series.weight, series.lateral_weight
    count, k, b = len(neuron), a.shape[1], len(law.framed)
    pushed, pulled = vector(count, a.dtype), vector(count, a.dtype)
    outputs, sideways = vector(2 * b, a.dtype), vector(b, a.dtype)
    zero = gain[0] * 0 if count > 0 else 0
    for p in range(begin, end):
        convolve(alpha, drive, p, pushed)
        convolve(z, drive, p, pulled)
        for q in range(count):
            z[p + 1, q] = gain[q] * pushed[q] / (p + 1)
            pulled[q] = pull[q] * pulled[q] / (p + 1)
        for j in range(k):
            a[p + 1, j] = zero
        for q in range(count):
            a[p + 1, neuron[q]] += pulled[q]
        for q in range(count):
            alpha[p + 1, q] = a[p + 1, neuron[q]]
        convolve(alpha, z, p + 1, pushed)
        for c in range(2 * b):
            total = zero
            for q in range(first[c], first[c + 1]):
                total += weight[q] * pushed[q]
            outputs[c] = total
        for c in range(b):
            total = zero
            for q in range(first[c], first[c + 1] if law.framed[c] else first[c]):
                total += lateral_weight[q] * pushed[q]
            sideways[c] = total
        _respond(r, law.axes, law.framed, law.off_axis, law.lateral, outputs, sideways, p + 1)
        for c in range(2 * b):
            for q in range(first[c], first[c + 1]):
                drive[p + 1, q] = r[c, p + 1]


@compilable
def _respond(r: Any, axes: Any, framed: Any, off_axis: Any, lateral: Any, outputs: Any, sideways: Any, p: int) -> None:
    """Order p of the residual, from that of the outputs in each channel (2b,), and of partial ones sideways (b,)."""
    b = len(framed)
    for i in range(b):
        total = outputs[b + i]
        if framed[i]:
            for k in range(b):
                if framed[k]:
                    total += axes[i, k] * (sideways[k] if off_axis[i] else outputs[k])
        else:
            total = total + outputs[i]
        r[b + i, p] = -total
        r[i, p] = -total
    _to_labels(r, axes, framed, off_axis, lateral, p)


@compilable
def _to_labels(r: Any, axes: Any, framed: Any, off_axis: Any, lateral: Any, p: int) -> None:
    """Order p of the residual at framed labels, from that along the axes."""
    b = len(framed)
    for i in range(b):
        if framed[i]:
            total = r[i, p] * 0
            for k in range(b):
                if framed[k]:
                    part = axes[k, i] * r[b + k, p]
                    total += part * lateral if off_axis[k] else part
            r[i, p] = total
