"""Deactivations within a Taylor step: which pair reaches zero first, and when. [D, section 2.2]

Like :mod:`verify.flow.series`, one body for every arithmetic, compiled for machine floats.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import register_jitable

from verify.flow.polynomial import bracketed_root, horner, sign_changes
from verify.flow.series import Law, Series


def first_crossing(
    series: Series, law: Law, turning: Any, bernstein: Any, order: int, length: Any
) -> tuple[Any, int, int]:
    """The first pair that reaches zero within ``length``: the time, the neuron, the label; or the length, −1, −1.

    Since p_jk' = a_j r_k/n, a coordinate is monotone between sign changes of r_k and a_j. The length is halved until
    each of these provably changes sign at most once; then it suffices to look at those times and at the end, and no
    crossing can hide. The length that comes back is never longer than the one given.

    - ``series``, ``law``: see :mod:`verify.flow.series`; terms up to ``order`` count.
    - ``turning`` (k,): neurons whose a_j could change sign. ``bernstein``: the matrix of :mod:`.polynomial`.
    """
    a, r, size = series.a, series.r, order + 1
    for _ in range(60):
        if _resolved(a, r, size, turning, bernstein, length):
            break
        length = length / 2
    label_bends = _bends(r, size, bernstein, length)
    lowest = _lowest(series, law, size, label_bends, length)
    best = -1
    for q in range(len(lowest)):
        j, k = series.neuron[q], series.coordinate[q]
        if not (lowest[q] <= 0 or turning[j]):
            continue
        bend = length * 2
        if turning[j] and sign_changes(a[:size, j], length, bernstein) == 1:
            bend = bracketed_root(a[:size, j], length)
        own = at_label(series, law, size, q)
        upper, found = length, horner(own, length) <= 0
        for time in (bend, label_bends[k]):
            if time < upper and horner(own, time) <= 0:
                upper = time
                found = True
        if found:
            length = bracketed_root(own, upper)
            best = q
    if best < 0:
        return length, -1, -1
    return length, series.neuron[best], series.coordinate[best]


@register_jitable
def _resolved(a: Any, r: Any, size: int, turning: Any, bernstein: Any, length: Any) -> bool:
    most = 0
    for k in range(len(r) // 2):
        most = max(most, sign_changes(r[k, :size], length, bernstein))
    for j in range(len(turning)):
        if turning[j]:
            most = max(most, sign_changes(a[:size, j], length, bernstein))
    return most <= 1


@register_jitable
def _bends(r: Any, size: int, bernstein: Any, length: Any) -> Any:
    """(b,): when each label's residual changes sign; later than ``length`` where it does not."""
    b = len(r) // 2
    bends = np.empty(b, r.dtype)
    for k in range(b):
        bends[k] = length * 2
        if sign_changes(r[k, :size], length, bernstein) == 1:
            bends[k] = bracketed_root(r[k, :size], length)
    return bends


@register_jitable
def _lowest(series: Series, law: Law, size: int, bends: Any, length: Any) -> Any:
    """(P,): the smaller of the values at the end and, where there is one within, at the label's bend."""
    out = coordinates(series, law, size, length)
    for k in range(len(bends)):
        if bends[k] < length:
            there = coordinates(series, law, size, bends[k])
            for q in range(len(out)):
                if series.coordinate[q] == k and there[q] < out[q]:
                    out[q] = there[q]
    return out


@register_jitable
def values(rows: Any, size: int, x: Any) -> Any:
    """Sums of the first ``size`` rows times powers of x, column by column."""
    total = rows[size - 1].copy()
    for p in range(size - 2, -1, -1):
        for q in range(len(total)):
            total[q] = total[q] * x + rows[p, q]
    return total


@register_jitable
def coordinates(series: Series, law: Law, size: int, x: Any) -> Any:
    """(P,): p_jk of every active pair at x."""
    along = values(series.z, size, x)
    out, b = along.copy(), len(law.framed)
    for q in range(len(out)):
        if series.channel[q] >= b:
            out[q] = _turned(series, law, along, q)
    return out


@register_jitable
def at_label(series: Series, law: Law, size: int, q: int) -> Any:
    """(size,): coefficients of p_jk for the pair of column q."""
    own = series.z[:size, q].copy()
    if series.channel[q] >= len(law.framed):
        for p in range(size):
            own[p] = _turned(series, law, series.z[p], q)
    return own


@register_jitable
def _turned(series: Series, law: Law, row: Any, q: int) -> Any:
    """From a neuron's values along the axes, the one at the label of column q."""
    b, k, j = len(law.framed), series.coordinate[q], series.neuron[q]
    total = row[q] * 0
    first = q
    while first > 0 and series.neuron[first - 1] == j:
        first -= 1
    while first < len(row) and series.neuron[first] == j:
        if series.channel[first] >= b:
            i = series.coordinate[first]
            part = law.axes[i, k] * row[first]
            total += part * law.lateral[0] if law.off_axis[i] else part
        first += 1
    return total


def sizes(series: Series, law: Law, block: Any, order: int, out: Any) -> None:
    """Largest coefficients of orders 0, 1, 2, ``order`` − 1 and ``order`` for all that has an accuracy of its own.

    Rows of ``out`` (2k + b + 2, 5), given as zeros: neurons, their off-axis parts, residuals on the axes, residuals
    off the axes of the positive and of the negative block.
    """
    a, z, r, b = series.a, series.z, series.r, len(block)
    k = a.shape[1]
    for column in range(5):
        p = column if column < 3 else order + column - 4
        for j in range(k):
            out[j, column] = abs(a[p, j])
        for q in range(z.shape[1]):
            j, i = series.neuron[q], series.coordinate[q]
            row = k + j if series.channel[q] >= b and law.off_axis[i] else j
            out[row, column] = max(out[row, column], abs(z[p, q]))
        for i in range(b):
            row = 2 * k + b + block[i] if law.off_axis[i] else 2 * k + i
            out[row, column] = max(out[row, column], abs(r[b + i, p]))
