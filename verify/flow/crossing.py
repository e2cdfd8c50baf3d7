"""Deactivations within a Taylor step: which pair reaches zero first, and when. [D, section 2.2]

Like :mod:`verify.flow.series`, one body for every arithmetic, compiled for machine floats.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from verify.flow.classes import Carried
from verify.flow.compiled import compilable
from verify.flow.polynomial import bracketed_root, horner, sign_changes
from verify.flow.room import copied, vector, zeros
from verify.flow.series import Law, Series


@compilable
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
    suspects = _suspects(series, law, carried, turning, size, bends, length)
    neuron, label = -1, -1
    for j in range(len(suspects)):
        for k in range(len(bends)):
            if not suspects[j, k]:
                continue
            bend = _bend(_column(a, size, j), bernstein, length) if turning[j] else length * 2
            path = path_of(series, law, carried, size, j, k)
            upper, found = length, horner(path, length) <= 0
            for time in (bend, bends[k]):
                if time < upper and horner(path, time) <= 0:
                    upper = time
                    found = True
            if found:
                length = bracketed_root(path, upper)
                neuron, label = j, k
    return length, neuron, label


@compilable
def _suspects(series: Series, law: Law, carried: Carried, turning: Any, size: int, bends: Any, length: Any) -> Any:
    """(k, b): active pairs that are not positive at the end or at the label's bend, and all of turning neurons.

    In a class every α is positive, so that its coordinates rise while the residual has the sign of its gain.
    """
    classes, column, b = carried.classes, series.column, len(bends)
    out = zeros(len(carried.alpha), b, np.bool_)
    alone, extra = len(classes.own), classes.first[-1]
    for time in range(b + 1):
        x = length if time == b else bends[time]
        if x > length or (time < b and x == length):
            continue
        places = at_labels(series, law, size, x)
        for row in range(alone):
            j = classes.own[row]
            for k in range(b):
                if column[row, k] >= 0 and time in (k, b) and (turning[j] or places[column[row, k]] <= 0):
                    out[j, k] = True
        for c in range(len(classes.head)):
            base = alone + extra + classes.first[c]
            for k in range(b):
                falls = bends[k] < length or law.gain[base] * series.r[k, 0] < 0
                if classes.slot[c, k] > 0 and falls and time in (k, b):
                    _suspect_members(classes.member, classes.slot[c], carried, column[base:, k], places, c, k, out)
    return out


@compilable
def _suspect_members(
    member: Any, slot: Any, carried: Carried, column: Any, places: Any, c: int, k: int, out: Any
) -> None:
    """Mark the neurons of class c whose coordinate at label k is not positive."""
    for j in range(len(member)):
        if member[j] == c:
            total = carried.alpha[j] * places[column[0]]
            for i in range(len(slot)):
                if slot[i] > 0:
                    total += carried.z[j, i] * places[column[slot[i]]]
            out[j, k] = out[j, k] or total <= 0


@compilable
def _resolved(a: Any, r: Any, size: int, turning: Any, bernstein: Any, length: Any) -> bool:
    most = 0
    for k in range(len(r) // 2):
        most = max(most, sign_changes(r[k, :size], length, bernstein))
    for j in range(len(turning)):
        if turning[j]:
            most = max(most, sign_changes(_column(a, size, j), length, bernstein))
    return most <= 1


@compilable
def _bends(r: Any, size: int, bernstein: Any, length: Any) -> Any:
    """(b,): when each label's residual changes sign; later than ``length`` where it does not."""
    b = len(r) // 2
    bends = vector(b, r.dtype)
    for k in range(b):
        bends[k] = _bend(r[k, :size], bernstein, length)
    return bends


@compilable
def _bend(path: Any, bernstein: Any, length: Any) -> Any:
    """When a path that changes sign at most once within the length does; later than the length when it does not."""
    return bracketed_root(path, length) if sign_changes(path, length, bernstein) == 1 else length * 2


@compilable
def _column(rows: Any, size: int, j: int) -> Any:
    """(size,): one column, on its own."""
    out = vector(size, rows.dtype)
    for p in range(size):
        out[p] = rows[p, j]
    return out


@compilable
def values(rows: Any, size: int, x: Any) -> Any:
    """Sums of the first ``size`` rows times powers of x, column by column."""
    total = copied(rows[size - 1])
    for p in range(size - 2, -1, -1):
        for q in range(len(total)):
            total[q] = total[q] * x + rows[p, q]
    return total


@compilable
def at_labels(series: Series, law: Law, size: int, x: Any) -> Any:
    """(P,): all columns at x, each at its label."""
    along = values(series.z, size, x)
    out = copied(along)
    channel, coordinate, neuron, column = series.channel, series.coordinate, series.neuron, series.column
    axes, off_axis, lateral, b = law.axes, law.off_axis, law.lateral, len(law.framed)
    for q in range(len(along)):
        if channel[q] >= b:
            out[q] = _turned(channel, column[neuron[q]], axes[:, coordinate[q]], off_axis, lateral, along)
    return out


@compilable
def _turned(channel: Any, columns: Any, axis: Any, off_axis: Any, lateral: Any, along: Any) -> Any:
    """A neuron's coordinate at a label, from those along the axes of which ``axis`` (b,) is the label's part."""
    total, b = lateral * 0, len(axis)
    for i in range(b):
        if columns[i] >= 0 and channel[columns[i]] >= b:
            part = axis[i] * along[columns[i]]
            total += part * lateral if off_axis[i] else part
    return total


@compilable
def path_of(series: Series, law: Law, carried: Carried, size: int, j: int, k: int) -> Any:
    """(size,): coefficients of p_jk of an active pair."""
    classes, c = carried.classes, carried.classes.member[j]
    if c < 0:
        return _path(series, law, size, classes.row[j], k)
    base = len(classes.own) + classes.first[-1] + classes.first[c]
    out = _path(series, law, size, base, k)
    for p in range(size):
        out[p] = carried.alpha[j] * out[p]
    for i in range(len(classes.slot[c])):
        if classes.slot[c, i] > 0:
            part = _path(series, law, size, base + classes.slot[c, i], k)
            for p in range(size):
                out[p] += carried.z[j, i] * part[p]
    return out


@compilable
def _path(series: Series, law: Law, size: int, row: int, k: int) -> Any:
    """(size,): coefficients of the coordinate at label k of what moves in a row."""
    q = series.column[row, k]
    out = _column(series.z, size, q)
    if series.channel[q] >= len(law.framed):
        for p in range(size):
            out[p] = _turned(series.channel, series.column[row], law.axes[:, k], law.off_axis, law.lateral, series.z[p])
    return out


@compilable
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
