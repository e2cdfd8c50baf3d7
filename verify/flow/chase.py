"""Many Taylor steps in one compiled call: as long as nothing else is to be decided between them.

At moderate Λ dozens of pairs die while outputs already matter, and each of them ends a Taylor step; and it takes dozens
of steps until a label that is being fitted rests. This is the loop of :mod:`verify.flow.simulate` for those cases, in
machine floats only; the tests hold it against the loop it stands in for.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from verify.flow.activity import parts_of
from verify.flow.classes import Carried
from verify.flow.compiled import compilable, compiled
from verify.flow.crossing import at_labels, first_crossing, sizes, values
from verify.flow.links import crowded, ordinary, reach_of, shares_left, switch_off, whole
from verify.flow.polynomial import horner
from verify.flow.room import copied, filled, matrix, vector, zeros
from verify.flow.series import Law, Series, extend, started
from verify.flow.stride import stride

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

    - ``alpha``, ``z``, ``residual``: what moves, at the begin of each step, and once more at the end of the last.
    - ``unit``, ``length`` (in that unit), ``order``, ``truncation``, ``end`` (time) of each step.
    - ``neuron``, ``label``: the pair whose death ends the step, or −1; positions in the component.
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


@compiled
def chase(
    t: float,
    alpha: Any,
    z: Any,
    residual: Any,
    law: Law,
    carried: Carried,
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

    What moves (see :mod:`verify.flow.classes`): ``alpha`` (k,), ``z`` (k, b), with the ``residual`` (b,) along the axes
    at time ``t``; its ``law``, the gain for the time unit 1; and the neurons ``carried`` along. ``excess`` (o,):
    α² − |p|² of those that move themselves. ``y`` (b,): labels. Steps of at most ``size`` terms and ``most`` units;
    those that machine floats cannot tell from no time at all are not followed by others. Returns how many steps there
    are, and their record, which may have room for more. At the end of the last step something must be decided outside.
    """
    k, b = z.shape
    rows = max(FEWEST, min(MOST, KEPT // (k * b + 1)))
    record = _blank(rows, k, b, alpha.dtype)
    turning = filled(len(carried.alpha), np.bool_, False)
    alpha, z, residual, channel, gain = copied(alpha), z.copy(), copied(residual), law.channel.copy(), copied(law.gain)
    here = Law(channel, gain, law.weight, law.lateral_weight, law.axes, law.framed, law.off_axis, law.lateral)
    part = parts_of(channel)
    count: Any = np.int64(0)
    going = True
    while going:
        _restore(alpha, z, here, excess)
        _write(record, count, alpha, z, residual)
        unit = n / _fastest(alpha, z, residual, here)
        _rescale(gain, law.gain, unit)
        series = started(here, alpha, z, residual, size)
        order, length, truncation = _expanded(series, here, carried, block, tolerance, most)
        length, neuron, label = first_crossing(series, here, carried, turning, bernstein, order, length)
        before, t = t, t + unit * length
        _enter(record, count, (unit, length, truncation, t), (order, neuron, label))
        evaluate(series, order, length, alpha, z, residual)
        count += 1
        going = count < rows
        if neuron >= 0:
            going = going and _switched_off(z, here, carried, part, block, len(excess), neuron, label)
        else:
            going = going and t > before and _ordinary(series, order, length, alpha, z, here, part, y, block, tolerance)
    _write(record, count, alpha, z, residual)
    return count, record


@compilable
def _blank(rows: int, k: int, b: int, kind: Any) -> Record:
    """A record with room for so many steps."""
    return Record(
        matrix(rows + 1, k, kind),
        np.empty((rows + 1, k, b), kind),
        matrix(rows + 1, b, kind),
        vector(rows, kind),
        vector(rows, kind),
        vector(rows, np.int64),
        vector(rows, kind),
        vector(rows, kind),
        vector(rows, np.int64),
        vector(rows, np.int64),
    )


@compilable
def _enter(record: Record, row: int, numbers: Any, whole_numbers: Any) -> None:
    """Enter a step: its unit, length, truncation and end; its order, and the neuron and label that die."""
    record.unit[row], record.length[row], record.truncation[row], record.end[row] = numbers
    record.order[row], record.neuron[row], record.label[row] = whole_numbers


@compilable
def _rescale(gain: Any, plain: Any, unit: float) -> None:
    """The gain for the time unit of a step, in place."""
    for j in range(len(gain)):
        gain[j] = plain[j] * unit


@compilable
def _switched_off(z: Any, law: Law, carried: Carried, part: Any, block: Any, own: int, neuron: int, label: int) -> bool:
    """Switch off the pair that dies, in place, if nothing else is to be decided then: whether it was.

    ``part`` (b,) becomes the parts there are afterwards. The first ``own`` rows are neurons that move themselves.
    """
    row = carried.classes.row[neuron]
    if not _alone(z[:own], law, row, label):
        return False
    left = _parts_without(law.channel, row, label)
    for i in range(len(part)):
        part[i] = left[i]
    if not whole(part, block):
        return False
    switch_off(z, law.channel, law.axes, block, row, label)
    return True


@compilable
def _ordinary(
    series: Series,
    order: int,
    length: float,
    alpha: Any,
    z: Any,
    law: Law,
    part: Any,
    y: Any,
    block: Any,
    tolerance: float,
) -> bool:
    """Whether the step ends where another one would begin, and neither a plateau nor other axes."""
    reach = reach_of(alpha, z, law.channel, law.weight, law.off_axis, law.lateral, y)
    return ordinary(shares_left(series.r, order, length, y), reach, part, law.framed, block, tolerance)


@compilable
def _alone(z: Any, law: Law, row: int, label: int) -> bool:
    """Whether the pair that dies is one of a neuron that moves itself, in plain units, and no other dies with it."""
    if row < 0 or law.lateral != 1.0:
        return False
    return not crowded(z, law.channel, law.axes, row, label, 16 * 2.0**-53)


@compilable
def _write(record: Record, row: int, alpha: Any, z: Any, residual: Any) -> None:
    """Enter a state."""
    for j in range(len(alpha)):
        record.alpha[row, j] = alpha[j]
        for i in range(len(residual)):
            record.z[row, j, i] = z[j, i]
    for i in range(len(residual)):
        record.residual[row, i] = residual[i]


@compilable
def _parts_without(channel: Any, neuron: int, label: int) -> Any:
    """The parts there will be when the pair is off."""
    kept = channel[neuron, label]
    channel[neuron, label] = -1
    part = parts_of(channel)
    channel[neuron, label] = kept
    return part


@compilable
def _expanded(
    series: Series, law: Law, carried: Carried, block: Any, tolerance: float, most: float
) -> tuple[int, float, float]:
    """Extend the series as far as the next deactivation needs: the order, the longest step, the last term there."""
    b, last = len(block), len(series.a) - 1
    wanted = MARGIN * _next_death(series, law, carried)
    order = min(STAGES[1] if wanted > most else STAGES[0], last)
    done: Any = np.int64(0)
    while True:
        extend(series, law, done, order)
        largest = zeros(2 * series.a.shape[1] + b + 2, 5, series.a.dtype)
        sizes(series, law, block, order, largest)
        length, truncation = stride(largest, order, tolerance, most)
        if order == last or length >= wanted or length == most:
            return order, length, truncation
        done, order = order, min(order + STAGES[2], last)


@compilable
def _next_death(series: Series, law: Law, carried: Carried) -> float:
    """When, at the rates of the start, the first neuron that moves itself loses a label, in time units of the step."""
    first, places = math.inf, at_labels(series, law, 1, 0.0)
    for row in range(len(carried.classes.own)):
        for k in range(len(law.framed)):
            push = law.gain[row] * series.a[0, row] * series.r[k, 0]
            if push < 0.0 and series.column[row, k] >= 0:
                first = min(first, -places[series.column[row, k]] / push)
    return first


@compilable
def _fastest(alpha: Any, z: Any, residual: Any, law: Law) -> float:
    """n times a bound of all rates of decay at the start, as in :mod:`verify.flow.step`."""
    k, b = z.shape
    mass, spread, growth, largest = filled(b, alpha.dtype, 0.0), 0.0, 0.0, 0.0
    for j in range(k):
        weight = abs(law.weight[j])
        for i in range(b):
            part = z[j, i] * law.lateral if law.channel[j, i] >= b and law.off_axis[i] else z[j, i]
            spread += weight * part * part
            if law.channel[j, i] >= 0:
                mass[i] += weight * alpha[j] * alpha[j]
    for i in range(b):
        part = residual[i] * law.lateral if law.off_axis[i] else residual[i]
        growth += part * part
        largest = max(largest, mass[i])
    return float(max(largest + spread, math.sqrt(growth)))


@compilable
def _restore(alpha: Any, z: Any, law: Law, excess: Any) -> None:
    """α from the conserved α² − |p|², in place, as at the start of a step in :mod:`verify.flow.step`."""
    b = z.shape[1]
    for j in range(len(excess)):
        total = excess[j]
        for i in range(b):
            part = z[j, i] * law.lateral if law.channel[j, i] >= b and law.off_axis[i] else z[j, i]
            total += part * part
        alpha[j] = math.sqrt(total)


@compilable
def evaluate(series: Series, order: int, x: float, alpha: Any, z: Any, residual: Any) -> None:
    """What moves, and the residual, at x, in place."""
    b = len(residual)
    moved, along = values(series.a, order + 1, x), values(series.z, order + 1, x)
    for j in range(len(alpha)):
        alpha[j] = moved[j]
    for q in range(len(along)):
        z[series.neuron[q], series.coordinate[q]] = along[q]
    for i in range(b):
        residual[i] = horner(series.r[b + i, : order + 1], x)
