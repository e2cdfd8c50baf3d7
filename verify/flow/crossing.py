"""Deactivations within a Taylor step: which pair reaches zero first, and when. [D, section 2.2]

Like :mod:`verify.flow.series`, one body for every arithmetic, compiled for machine floats.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import register_jitable

from verify.flow.classes import Carried, state_of
from verify.flow.polynomial import bracketed_root, horner, sign_changes
from verify.flow.series import Law, Series


def first_crossing(
    series: Series, law: Law, carried: Carried, turning: Any, bernstein: Any, order: int, length: Any
) -> tuple[Any, int, int]:
    """The first pair that reaches zero within ``length``: the time, the neuron, the label; or the length, −1, −1.

    Since p_jk' = a_j r_k/n, a coordinate is monotone between sign changes of r_k and a_j. The length is halved until
    each of these provably changes sign at most once; then it suffices to look at those times and at the end, and no
    crossing can hide. The length that comes back is never longer than the one given.

    - ``series``, ``law``: of what moves; terms up to ``order`` count. ``carried``: the neurons.
    - ``turning`` (k,): neurons whose a_j could change sign; where there are any, every neuron moves itself.
      ``bernstein``: the matrix of :mod:`.polynomial`.
    """
    a, r, size = series.a, series.r, order + 1
    for _ in range(60):
        if _resolved(a, r, size, turning, bernstein, length):
            break
        length = length / 2
    bends = _bends(r, size, bernstein, length)
    lowest = _lowest(series, law, carried, size, bends, length)
    neuron, label = -1, -1
    for j in range(len(lowest)):
        for k in range(len(bends)):
            if not (lowest[j, k] <= 0 or (turning[j] and series.column[j, k] >= 0)):
                continue
            bend = length * 2
            if turning[j] and sign_changes(a[:size, j], length, bernstein) == 1:
                bend = bracketed_root(a[:size, j], length)
            own = at_label(series, law, carried, size, j, k)
            upper, found = length, horner(own, length) <= 0
            for time in (bend, bends[k]):
                if time < upper and horner(own, time) <= 0:
                    upper = time
                    found = True
            if found:
                length = bracketed_root(own, upper)
                neuron, label = j, k
    return length, neuron, label


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
def _lowest(series: Series, law: Law, carried: Carried, size: int, bends: Any, length: Any) -> Any:
    """(k, b): the smaller of p_jk at the end and, where there is one within, at the label's bend; 1 where it is off."""
    out = places(series, law, carried, size, length)
    for k in range(len(bends)):
        if bends[k] < length:
            there = places(series, law, carried, size, bends[k])
            for j in range(len(out)):
                if there[j, k] < out[j, k]:
                    out[j, k] = there[j, k]
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
def places(series: Series, law: Law, carried: Carried, size: int, x: Any) -> Any:
    """(k, b): p_jk of every active pair at x, 1 where the pair is off."""
    along = values(series.z, size, x)
    at_labels = np.empty(len(along), along.dtype)
    for q in range(len(along)):
        at_labels[q] = _turned(series, law, along, q)
    classes, alone, b = carried.classes, len(carried.classes.own), len(law.framed)
    k = len(carried.alpha)
    out, u = np.empty((k, b), along.dtype), np.empty(b + 1, along.dtype)
    for q in range(alone):
        for i in range(b):
            column = series.column[q, i]
            out[classes.own[q], i] = at_labels[column] if column >= 0 else x * 0 + 1
    for j in range(k):
        c = classes.member[j]
        if c >= 0:
            state_of(classes, carried.alpha, carried.z, j, u)
            base = alone + classes.first[-1] + classes.first[c]
            for i in range(b):
                out[j, i] = x * 0 + 1
                if classes.slot[c, i] > 0:
                    total = u[0] * at_labels[series.column[base, i]]
                    for e in range(1, classes.first[c + 1] - classes.first[c]):
                        total += u[e] * at_labels[series.column[base + e, i]]
                    out[j, i] = total
    return out


@register_jitable
def at_label(series: Series, law: Law, carried: Carried, size: int, j: int, k: int) -> Any:
    """(size,): coefficients of p_jk, an active pair."""
    classes = carried.classes
    alone, b, c = len(classes.own), len(law.framed), classes.member[j]
    out, u = np.empty(size, series.z.dtype), np.empty(b + 1, series.z.dtype)
    if c < 0:
        row = 0
        while classes.own[row] != j:
            row += 1
        for p in range(size):
            out[p] = _turned(series, law, series.z[p], series.column[row, k])
        return out
    state_of(classes, carried.alpha, carried.z, j, u)
    base = alone + classes.first[-1] + classes.first[c]
    for p in range(size):
        out[p] = u[0] * _turned(series, law, series.z[p], series.column[base, k])
        for e in range(1, classes.first[c + 1] - classes.first[c]):
            out[p] += u[e] * _turned(series, law, series.z[p], series.column[base + e, k])
    return out


@register_jitable
def _turned(series: Series, law: Law, row: Any, q: int) -> Any:
    """The coordinate at the label of column q, from the values of all columns."""
    b, k, j = len(law.framed), series.coordinate[q], series.neuron[q]
    if series.channel[q] < b:
        return row[q]
    total = row[q] * 0
    for i in range(b):
        column = series.column[j, i]
        if column >= 0 and series.channel[column] >= b:
            part = law.axes[i, k] * row[column]
            total += part * law.lateral[0] if law.off_axis[i] else part
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
