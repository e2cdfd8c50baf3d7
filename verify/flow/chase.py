"""Many Taylor steps in one compiled call: as long as nothing else is to be decided between them.

At moderate Λ dozens of pairs die while outputs already matter, and each of them ends a Taylor step; and it takes dozens
of steps until a label that is being fitted rests. This is the loop of :mod:`verify.flow.simulate` for those cases, in
machine floats only; the tests hold it against the loop it stands in for.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numba
import numpy as np

from verify.flow.classes import Carried, Classes, state_of
from verify.flow.crossing import places, values
from verify.flow.float64 import FLOAT64
from verify.flow.links import crowded, ordinary, parts_of, reach_of, shares_left, switch_off, whole
from verify.flow.polynomial import horner
from verify.flow.series import Law, Series

_grouped, _begun = FLOAT64.grouped, FLOAT64.begun
_extend, _first_crossing, _sizes = FLOAT64.extend, FLOAT64.first_crossing, FLOAT64.sizes

MOST, FEWEST = 256, 8
"""Steps in one call, for few neurons and for very many."""

KEPT = 2**22
"""So many coordinates at the begin of steps are kept in one call."""

STAGES = 8, 24, 4
"""A step is not expanded further than its end asks for: this is looked at from the first order on where a deactivation
is near, from the second on elsewhere, and every so many orders."""

MARGIN = 1.1
"""A step should reach this much further than the next deactivation is expected."""


class Record(NamedTuple):
    """Steps one after the other. The first axis of the arrays is the step; shapes as in :func:`chase`.

    - ``alpha``, ``z``, ``residual``: at the begin of each step, and once more at the end of the last.
    - ``unit``, ``length`` (in that unit), ``order``, ``truncation``, ``end`` (time) of each step.
    - ``neuron``, ``label``: the pair whose death ends the step, or −1.
    """

    alpha: Any
    z: Any
    residual: Any
    unit: Any
    length: Any
    order: Any
    truncation: Any
    end: Any
    neuron: Any
    label: Any

    def of(self, count: int) -> Record:
        """The first ``count`` steps."""
        states, rest = self[:3], self[3:]
        return Record(*(part[: count + 1] for part in states), *(part[:count] for part in rest))


@numba.njit(cache=True)
def chase(
    t: float,
    alpha: Any,
    z: Any,
    residual: Any,
    law: Law,
    log_scale: Any,
    excess: Any,
    y: Any,
    block: Any,
    n: int,
    size: int,
    tolerance: float,
    most: float,
    bernstein: Any,
) -> tuple[Any, Record]:
    """Follow a component through deactivations, and from step to step while it is being fitted.

    ``alpha`` (k,), ``z`` (k, b) and ``residual`` (b,) along the axes at time ``t``; ``law``: see
    :mod:`verify.flow.series`, its gain for the time unit 1; ``log_scale`` (k,): units of α and z, over λ;
    ``excess`` (k,): α² − |p|²; ``y`` (b,): labels. Steps of at most ``size`` terms and ``most`` units; those that
    machine floats cannot tell from no time at all are not followed by others. Returns how many steps there are, and
    their record, which may have room for more. At the end of the last step something must be decided outside.
    """
    k, b = z.shape
    rows = max(FEWEST, min(MOST, KEPT // (k * b + 1)))
    record = Record(
        np.empty((rows + 1, k)),
        np.empty((rows + 1, k, b)),
        np.empty((rows + 1, b)),
        np.empty(rows),
        np.empty(rows),
        np.empty(rows, np.int64),
        np.empty(rows),
        np.empty(rows),
        np.full(rows, -1),
        np.full(rows, -1),
    )
    turning = np.zeros(k, np.bool_)
    alpha, z, residual, channel, gain = alpha.copy(), z.copy(), residual.copy(), law.channel.copy(), law.gain.copy()
    here = Law(channel, gain, law.weight, law.lateral_weight, law.axes, law.framed, law.off_axis, law.lateral)
    part, classes = parts_of(channel), _grouped(channel, gain, log_scale, True)
    share = _shares(classes, log_scale)
    count: Any = np.int64(0)
    going = True
    while going:
        _restore(alpha, z, here, excess)
        _write(record, count, alpha, z, residual)
        unit = n / _fastest(alpha, z, residual, here)
        for j in range(k):
            gain[j] = law.gain[j] * unit
        moving, series = _begun(classes, here, alpha, z, residual, share, 2.0**-53, size)
        carried = Carried(classes, alpha, z)
        order, length, truncation = _expanded(series, moving, here, carried, block, tolerance, most)
        length, neuron, label = _first_crossing(series, moving, carried, turning, bernstein, order, length)
        before, t = t, t + unit * length
        record.unit[count], record.length[count], record.order[count] = unit, length, order
        record.truncation[count], record.end[count] = truncation, t
        record.neuron[count], record.label[count] = neuron, label
        _evaluate(series, classes, order, length, alpha, z, residual)
        count += 1
        going = count < rows
        if neuron >= 0:
            going = going and law.lateral[0] == 1.0
            going = going and not crowded(z, channel, law.axes, neuron, label, 16 * 2.0**-53)
            if going:
                part = _parts_without(channel, neuron, label)
                going = whole(part, block)
            if going:
                switch_off(z, channel, law.axes, block, neuron, label)
                classes = _grouped(channel, gain, log_scale, True)
                share = _shares(classes, log_scale)
        else:
            reach = reach_of(alpha, z, channel, law.weight, law.off_axis, law.lateral, y)
            shares = shares_left(series.r, order, length, y)
            going = going and t > before and ordinary(shares, reach, part, law.framed, block, tolerance)
    _write(record, count, alpha, z, residual)
    return count, record


@numba.njit(cache=True)
def _write(record: Record, row: int, alpha: Any, z: Any, residual: Any) -> None:
    """Enter a state."""
    for j in range(len(alpha)):
        record.alpha[row, j] = alpha[j]
        for i in range(len(residual)):
            record.z[row, j, i] = z[j, i]
    for i in range(len(residual)):
        record.residual[row, i] = residual[i]


@numba.njit(cache=True)
def _parts_without(channel: Any, neuron: int, label: int) -> Any:
    """The parts there will be when the pair is off."""
    kept = channel[neuron, label]
    channel[neuron, label] = -1
    part = parts_of(channel)
    channel[neuron, label] = kept
    return part


@numba.njit(cache=True)
def _expanded(
    series: Series, moving: Law, law: Law, carried: Carried, block: Any, tolerance: float, most: float
) -> tuple[int, float, float]:
    """Extend the series as far as the next deactivation needs: the order, the longest step, the last term there."""
    b, last = len(block), len(series.a) - 1
    wanted = MARGIN * _next_death(series, moving, law, carried)
    order = min(STAGES[1] if wanted > most else STAGES[0], last)
    done: Any = np.int64(0)
    while True:
        _extend(series, moving, done, order)
        largest = np.zeros((2 * series.a.shape[1] + b + 2, 5))
        _sizes(series, moving, block, order, largest)
        length, truncation = stride(largest, order, tolerance, most)
        if order == last or length >= wanted or length == most:
            return order, length, truncation
        done, order = order, min(order + STAGES[2], last)


@numba.njit(cache=True)
def _next_death(series: Series, moving: Law, law: Law, carried: Carried) -> float:
    """When, at the rates of the start, the first pair reaches zero, in time units of the step."""
    first, place = math.inf, places(series, moving, carried, 1, 0.0)
    for j in range(len(place)):
        for k in range(place.shape[1]):
            push = law.gain[j] * carried.alpha[j] * series.r[k, 0]
            if law.channel[j, k] >= 0 and push < 0.0:
                first = min(first, -place[j, k] / push)
    return first


@numba.njit(cache=True)
def stride(largest: Any, order: int, tolerance: float, most: float) -> tuple[float, float]:
    """Step length and relative size of the last term, from the sizes of :func:`verify.flow.crossing.sizes`.

    The last two terms of every row must stay below the tolerance times one of its first three.
    """
    length = most
    for row in range(largest.shape[0]):
        if not _short(largest[row], order, tolerance, length / 0.95):
            length = min(length, 0.95 * _reach(largest[row], order, tolerance))
    truncation = 0.0
    for row in range(largest.shape[0]):
        first = max(largest[row, 0], largest[row, 1] * length, largest[row, 2] * length * length)
        if first > 0.0:
            truncation = max(truncation, largest[row, 4] / first)
    return length, truncation * length**order


@numba.njit(cache=True)
def _short(row: Any, order: int, tolerance: float, length: float) -> bool:
    """Whether the last two terms of a row are small enough at the length."""
    for p in range(3):
        first = row[p] * tolerance
        power = length ** (order - 1 - p)
        if first > 0.0 and row[3] * power <= first and row[4] * power * length <= first:
            return True
    return bool(row[0] == 0.0 and row[1] == 0.0 and row[2] == 0.0)


@numba.njit(cache=True)
def _reach(row: Any, order: int, tolerance: float) -> float:
    """The longest step at which the last two terms of a row are small enough."""
    best = 0.0
    for p in range(3):
        if row[p] > 0.0:
            reach = math.inf
            for q in (3, 4):
                if row[q] > 0.0:
                    slack = math.log(tolerance) + math.log(row[p]) - math.log(row[q])
                    reach = min(reach, slack / (order + q - 4 - p))
            best = max(best, math.exp(min(reach, 700.0)))
    return best


@numba.njit(cache=True)
def _fastest(alpha: Any, z: Any, residual: Any, law: Law) -> float:
    """n times a bound of all rates of decay at the start, as in :mod:`verify.flow.step`."""
    k, b = z.shape
    mass, spread, growth = np.zeros(b), 0.0, 0.0
    for j in range(k):
        weight = abs(law.weight[j])
        for i in range(b):
            part = z[j, i] * law.lateral[0] if law.channel[j, i] >= b and law.off_axis[i] else z[j, i]
            spread += weight * part * part
            if law.channel[j, i] >= 0:
                mass[i] += weight * alpha[j] * alpha[j]
    for i in range(b):
        part = residual[i] * law.lateral[0] if law.off_axis[i] else residual[i]
        growth += part * part
    return float(max(max(mass) + spread, math.sqrt(growth)))


@numba.njit(cache=True)
def _restore(alpha: Any, z: Any, law: Law, excess: Any) -> None:
    """α from the conserved α² − |p|², in place, as at the start of a step in :mod:`verify.flow.step`."""
    k, b = z.shape
    for j in range(k):
        total = excess[j]
        for i in range(b):
            part = z[j, i] * law.lateral[0] if law.channel[j, i] >= b and law.off_axis[i] else z[j, i]
            total += part * part
        alpha[j] = math.sqrt(total)


@numba.njit(cache=True)
def _evaluate(series: Series, classes: Classes, order: int, x: float, alpha: Any, z: Any, residual: Any) -> None:
    """The neurons and the residual at x, in place."""
    b, alone = len(residual), len(classes.own)
    moved, along = values(series.a, order + 1, x), values(series.z, order + 1, x)
    u = np.empty(b + 1)
    for q in range(alone):
        j = classes.own[q]
        alpha[j] = moved[q]
        for i in range(b):
            if series.column[q, i] >= 0:
                z[j, i] = along[series.column[q, i]]
    for j in range(len(alpha)):
        c = classes.member[j]
        if c < 0:
            continue
        state_of(classes, alpha, z, j, u)
        base = alone + classes.first[-1] + classes.first[c]
        size = classes.first[c + 1] - classes.first[c]
        alpha[j] = 0.0
        for e in range(size):
            alpha[j] += u[e] * moved[base + e]
        for i in range(b):
            if classes.slot[c, i] > 0:
                z[j, i] = 0.0
                for e in range(size):
                    z[j, i] += u[e] * along[series.column[base + e, i]]
    for i in range(b):
        residual[i] = horner(series.r[b + i, : order + 1], x)


@numba.njit(cache=True)
def _shares(classes: Classes, log_scale: Any) -> Any:
    """(k,): the weight of each neuron over that of the leader of its class."""
    out = np.empty(len(log_scale))
    for j in range(len(out)):
        out[j] = math.exp(2 * (log_scale[j] - log_scale[classes.leader[j]]))
    return out
