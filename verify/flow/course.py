"""Every neuron from deactivation to deactivation under a standing residual, each on its own clock.

One body for every arithmetic, compiled for machine floats, as in :mod:`verify.flow.series`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from verify.flow.boost import enter_cone, keep_small_part, moved, off_factor
from verify.flow.compiled import compilable
from verify.flow.elementary import log, sqrt
from verify.flow.room import copied, vector
from verify.flow.stay import Neurons, Pull, Rows, at_label, blank, mark_rotated


def boosted(t: Any, neurons: Neurons, pull: Pull, room: int, noise: Any) -> tuple[int, Rows]:
    """All stays from time ``t`` on, or to the end of the panels: how many, and a record of so many rows, with ``room``.

    There is a row for each neuron, each of its deactivations and each further panel. ``noise``: unit roundoff.
    """
    k, b = neurons.z.shape
    count, rows = 0, blank(room, b, neurons.z)
    for j in range(k):
        count = _follow(rows, count, j, t, neurons, pull, noise)
    return count, rows


@compilable
def _follow(rows: Rows, count: int, j: int, t: Any, neurons: Neurons, pull: Pull, noise: Any) -> int:
    """Enter the stays of neuron j below the ``count`` rows that are filled in: how many rows there are then."""
    on, z = copied(neurons.active[j]), copied(neurons.z[j])
    rotated = vector(len(z), np.bool_)
    clock, scale, alpha, begin = t, neurons.log_scale[j], neurons.alpha[j], count
    panel, going = (0 if len(pull.times) > 0 else -1), True
    while going:
        mark_rotated(on, pull.framed, pull.block, rotated)
        rows.neuron[count], rows.sign[count], rows.start[count] = j, neurons.signs[j], clock
        rows.panel[count], rows.log_scale[count] = panel, scale
        for i in range(len(z)):
            rows.active[count, i] = on[i]
        enter_cone(rows, count, neurons, pull, rotated, alpha, z)
        if count == begin:
            keep_small_part(rows, count, neurons, pull, rotated)
        tau, label = _next_death(rows, count, pull, rotated, noise)
        going = label >= 0
        if panel >= 0:
            left = pull.times[panel + 1] - clock
            if label < 0 or tau >= left:
                tau, label, panel = left, -1, panel + 1
                going = panel + 1 < len(pull.times)
            else:
                tau = _delayed(rows, count, pull, rotated, label, tau, z)
        rows.label[count] = label
        if going:
            clock = clock + tau
            scale, alpha = moved(rows, count, pull, tau, z)
        if label >= 0:
            _switch_off(z, on, rotated, pull, label)
        count += 1
    return count


@compilable
def _next_death(rows: Rows, row: int, pull: Pull, rotated: Any, noise: Any) -> tuple[Any, int]:
    """How long until the first of a neuron's pairs reaches zero, and its label; −1 where none ever does."""
    first, label = rows.rate[row] * 0, -1
    if rows.rate[row] > 0:
        factor = off_factor(rows.off[row], rows.log_off[row], rows.log_scale[row])
        for k in range(len(rotated)):
            if rows.active[row, k]:
                off = at_label(rows.off[row], rotated, pull.axes, pull.block, k) * factor
                slope = at_label(rows.direction[row], rotated, pull.axes, pull.block, k)
                growth = crossing(off, slope, rows.plus[row], rows.minus[row], noise)
                if growth >= 1 and growth < math.inf and (label < 0 or growth < first):
                    first, label = growth, k
    return (log(first) / rows.rate[row], label) if label >= 0 else (first, label)


@compilable
def crossing(off: Any, slope: Any, plus: Any, minus: Any, noise: Any) -> Any:
    """E = e^x at which a coordinate that is positive now reaches zero; below 1, or infinite, where it never does.

    The coordinate is ``off + slope (plus E − minus/E)/2``: a quadratic in E. While ``plus`` and ``minus`` are not
    negative (every balanced neuron) it has one positive root, and only falling coordinates have theirs ahead.
    [D, section 2.4] A falling coordinate whose root rounding has put into the past, as when two labels die together,
    dies now.
    """
    timelike, never = plus >= 0 and minus >= 0, -1 + 0 * slope
    if slope == 0 or (timelike and slope > 0):
        return never
    beta = -off / slope
    discriminant = beta * beta + plus * minus
    if discriminant < 0:
        return never
    total = beta + sqrt(discriminant) if beta >= 0 else beta - sqrt(discriminant)
    one = total / plus if plus != 0 else never
    other = -minus / total if total != 0 else never
    if timelike:
        growth = max(one, other)
        return growth * 0 + 1 if growth > 0 and growth < 1 else growth
    speed, size = slope * (plus + minus) / 2, abs(off) + abs(slope) * (abs(plus) + abs(minus)) / 2
    nearest = max(one if one < 1 else never * math.inf, other if other < 1 else never * math.inf)
    if speed < 0 and (nearest - 1) * speed <= 16 * noise * size:
        return never * 0 + 1
    return one if one > 1 and (one < other or other <= 1) else other


@compilable
def _delayed(rows: Rows, row: int, pull: Pull, rotated: Any, label: int, tau: Any, z: Any) -> Any:
    """When the pair reaches zero in spite of the outputs, from ``tau``, when it would without: a Newton step."""
    alpha = moved(rows, row, pull, tau, z)[1]
    speed = rows.sign[row] * pull.natural[label] * alpha / pull.n
    return tau - at_label(z, rotated, pull.axes, pull.block, label) / speed


@compilable
def _switch_off(z: Any, on: Any, rotated: Any, pull: Pull, label: int) -> None:
    """Switch a pair off, in place; a block that was along the axes returns to the labels."""
    if rotated[label]:
        natural = copied(z)
        for k in range(len(z)):
            natural[k] = at_label(z, rotated, pull.axes, pull.block, k)
        for k in range(len(z)):
            if rotated[k] and pull.block[k] == pull.block[label]:
                z[k] = natural[k]
    on[label], z[label] = False, z[label] * 0
