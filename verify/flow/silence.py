"""How far outputs stay below a tolerance, and until when: in logarithms and machine floats, whatever the arithmetic."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from verify.flow.compiled import compilable, compiled

MOST_TRIALS = 500
"""Times that are tried until a plateau is taken to have no end that floats could find."""


class Growth(NamedTuple):
    """What bounds the outputs of boosted neurons: stays as in :class:`.stay.Rows`, those of a neuron in order. R rows.

    ``neuron``, ``start`` (time since the first), ``rate`` (R,); ``plus``, ``minus``, ``still`` (R,): logarithms of what
    grows, decays and stands still, at the start; ``active`` (R, b).
    """

    neuron: Any
    start: Any
    rate: Any
    plus: Any
    minus: Any
    still: Any
    active: Any


@compiled
def missing_growth(mass: Any, active: Any, waiting: Any, level: Any) -> float:
    """How far (in logarithm) the outputs of neurons that grow stay below their tolerance ``level`` (b,).

    ``mass`` (k,): logarithms of (a_j² + |p_j|²)/2, which bounds what a neuron gives to any label, and grows at most at
    the rate 2ω; ``active`` (k, b): its pairs. It grows if it has one on a label that is ``waiting`` (b,).
    """
    top, totals = -math.inf, np.zeros(len(level))
    for j in range(len(mass)):
        if mass[j] > top and _meets(active[j], waiting):
            top = mass[j]
    for j in range(len(mass)):
        if top > -math.inf and _meets(active[j], waiting):
            share = math.exp(mass[j] - top)
            for i in range(len(level)):
                totals[i] += share if active[j, i] else 0.0
    least = math.inf
    for i in range(len(level)):
        if totals[i] > 0.0:
            least = min(least, level[i] - top - math.log(totals[i]))
    return least


@compilable
def _meets(active: Any, waiting: Any) -> bool:
    found = False
    for i in range(len(waiting)):
        found = found or (active[i] and waiting[i])
    return found


@compiled
def missing_at(growth: Growth, t: float, waiting: Any, level: Any) -> tuple[float, float]:
    """As :func:`missing_growth`, at the time ``t`` since the first start; and the fastest rate then."""
    rows = _current(growth, t)
    mass, active, fastest = np.empty(len(rows)), np.empty((len(rows), len(level)), np.bool_), 0.0
    for j in range(len(rows)):
        row = rows[j]
        x = growth.rate[row] * (t - growth.start[row])
        plus, minus = 2 * (growth.plus[row] + x), 2 * (growth.minus[row] - x)
        still = 2 * growth.still[row] + math.log(2.0)
        top = max(plus, minus, still)
        total = math.exp(plus - top) + math.exp(minus - top) + math.exp(still - top) if top > -math.inf else 1.0
        mass[j] = top + math.log(total / 4)
        fastest = max(fastest, growth.rate[row])
        for i in range(len(level)):
            active[j, i] = growth.active[row, i]
    return missing_growth(mass, active, waiting, level), fastest


@compilable
def _current(growth: Growth, t: float) -> Any:
    """(k,): the row of every neuron at time t, its last one that has begun."""
    rows, count = np.empty(growth.neuron[-1] + 1, np.int64), 0
    for row in range(len(growth.neuron)):
        if row == 0 or growth.neuron[row] != growth.neuron[row - 1]:
            rows[count] = row
            count += 1
        elif growth.start[row] <= t:
            rows[count - 1] = row
    return rows


@compiled
def silent_until(growth: Growth, waiting: Any, level: Any) -> float:
    """Time since the first start at which outputs reach their tolerance, approached from below: infinite, or not found.

    A neuron's rate only falls, when a label of its dies, so that the rates of the moment bound what is to come. Where
    floats do not tell the next time from the one before, that is the end: with digits a plateau may follow it. NaN for
    an end that is not found.
    """
    last, forever = 0.0, False
    for row in range(len(growth.start)):
        last = max(last, growth.start[row])
    for row in _current(growth, math.inf):
        forever = forever or (growth.rate[row] > 0.0 and growth.plus[row] > -math.inf)
    t, slope = 0.0, 0.0
    missing, fastest = missing_at(growth, t, waiting, level)
    for _ in range(MOST_TRIALS):
        if missing < 0.5:
            return t
        if missing == math.inf or (not forever and t >= last):
            return math.inf
        step = missing / (2 * fastest)
        bold = 0.9 * missing / slope if slope > 0.0 else step
        ahead, then = missing_at(growth, t + bold, waiting, level)
        if ahead < 0.0:
            bold = step
            ahead, then = missing_at(growth, t + step, waiting, level)
        if t + bold == t:
            return t
        t, slope, missing, fastest = t + bold, (missing - ahead) / bold, ahead, then
    return math.nan
