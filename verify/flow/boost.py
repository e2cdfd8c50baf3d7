"""Exact motion of neurons under a standing residual: Lorentz boosts, each neuron from deactivation to deactivation.

Neurons are independent of one another, so that each is followed on its own clock. One body for every arithmetic,
compiled for machine floats, as in :mod:`verify.flow.series`.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from verify.flow.compiled import compilable
from verify.flow.elementary import exp, log, sqrt
from verify.flow.polynomial import horner

GAUSS = (
    (0.06943184420297371, 0.33000947820757187, 0.6699905217924281, 0.9305681557970263),
    (0.17392742256872692, 0.3260725774312731, 0.3260725774312731, 0.17392742256872692),
)
"""Nodes and weights on [0, 1] that integrate polynomials of degree 7 exactly."""


class Neurons(NamedTuple):
    """Neurons at one moment, as in :class:`.component.Moment`. Shapes: k neurons, b labels.

    ``log_scale``, ``alpha``, ``log_off``, ``excess`` (the conserved α² − |p|², in units of λ²), ``signs`` (k,);
    ``z``, ``off``, ``active`` (k, b).
    """

    log_scale: Any
    alpha: Any
    z: Any
    off: Any
    log_off: Any
    excess: Any
    signs: Any
    active: Any


class Pull(NamedTuple):
    """What moves neurons: a standing residual, less small outputs if there are any.

    - ``natural``, ``along`` (b,): the residual at the labels and along the axes. ``axes``, ``block``, ``framed``,
      ``off_axis``: of :class:`.frame.Frame`. ``n``: number of labels of the whole problem.
    - ``times`` (P + 1,): where the panels begin and end on which outputs count, empty where they are negligible.
      ``outputs`` (P, N + 1, 2b): at the labels, then along the axes, in powers of the time since the panel's begin.
    """

    natural: Any
    along: Any
    axes: Any
    block: Any
    framed: Any
    off_axis: Any
    n: int
    times: Any
    outputs: Any


class Rows(NamedTuple):
    """Stays of neurons between two of their deactivations, one a row; those of a neuron one below the other. R rows.

    A stay also ends with each panel on which outputs count.

    With û the unit vector along ``s r_A``, α = s a = |a| and b = ⟨p, û⟩, the combinations ``plus = α + b`` and
    ``minus = α − b`` are multiplied by e^x and e^−x while the rest of p stays as it is; x = ωτ, ω = ‖r_A‖/n.
    [D, section 2.3] A neuron that feels no force is described along its own direction, at rate zero.

    - ``neuron``, ``sign`` (R,); ``start`` (R,): time; ``label`` (R,): whose death ends the stay, or −1.
    - ``panel`` (R,): on which the stay lies, −1 without panels.
    - ``active`` (R, b): pairs that are on.
    - ``plus``, ``minus`` (R,), in units of e^log_scale. ``direction`` (R, b): û; ``rate`` (R,): ω.
    - ``off`` (R, b), in units of e^log_off: the part of p orthogonal to û.

    Vectors are in the coordinates of the pairs.
    """

    neuron: Any
    sign: Any
    start: Any
    label: Any
    panel: Any
    active: Any
    log_scale: Any
    plus: Any
    minus: Any
    direction: Any
    rate: Any
    off: Any
    log_off: Any


def boosted(t: Any, neurons: Neurons, pull: Pull, room: int, noise: Any) -> tuple[int, Rows]:
    """All stays from time ``t`` on, or to the end of the panels: how many, and a record of so many rows, with ``room``.

    There is a row for each neuron, each of its deactivations and each further panel. ``noise``: unit roundoff.
    """
    k, b = neurons.z.shape
    count, rows, rotated = 0, _blank(room, b, neurons.z), np.empty(b, np.bool_)
    for j in range(k):
        on, z = neurons.active[j].copy(), neurons.z[j].copy()
        clock, scale, alpha, begin = t, neurons.log_scale[j], neurons.alpha[j], count
        panel, going = (0 if len(pull.times) > 0 else -1), True
        while going:
            mark_rotated(on, pull, rotated)
            rows.neuron[count], rows.sign[count], rows.start[count] = j, neurons.signs[j], clock
            rows.panel[count], rows.log_scale[count] = panel, scale
            for i in range(b):
                rows.active[count, i] = on[i]
            _enter_cone(rows, count, neurons, pull, rotated, alpha, z)
            if count == begin:
                _keep_small_part(rows, count, neurons, pull, rotated)
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
    return count, rows


@compilable
def _blank(room: int, b: int, like: Any) -> Rows:
    """Rows to be filled in, of numbers as in an array."""
    return Rows(
        np.empty(room, np.int64),
        np.empty(room, like.dtype),
        np.empty(room, like.dtype),
        np.empty(room, np.int64),
        np.empty(room, np.int64),
        np.empty((room, b), np.bool_),
        np.empty(room, like.dtype),
        np.empty(room, like.dtype),
        np.empty(room, like.dtype),
        np.empty((room, b), like.dtype),
        np.empty(room, like.dtype),
        np.empty((room, b), like.dtype),
        np.empty(room, like.dtype),
    )


def advanced(rows: Rows, pull: Pull, which: Any, tau: Any) -> tuple[Any, Any, Any]:
    """Neurons in the rows ``which`` (K,), each ``tau`` (K,) after its start: log-scales, α, and z (K, b)."""
    log_scale, alpha = np.empty(len(which), tau.dtype), np.empty(len(which), tau.dtype)
    z = np.empty((len(which), rows.off.shape[1]), tau.dtype)
    for i in range(len(which)):
        log_scale[i], alpha[i] = moved(rows, which[i], pull, tau[i], z[i])
    return log_scale, alpha, z


@compilable
def mark_rotated(on: Any, pull: Pull, rotated: Any) -> None:
    """Which pairs are written along the axes: those of neurons active on a whole framed block. In place."""
    for i in range(len(on)):
        rotated[i] = pull.framed[i]
        for k in range(len(on)):
            if pull.framed[k] and pull.block[k] == pull.block[i] and not on[k]:
                rotated[i] = False


@compilable
def _enter_cone(rows: Rows, row: int, neurons: Neurons, pull: Pull, rotated: Any, alpha: Any, z: Any) -> None:
    """Light-cone coordinates of a neuron whose log-scale and active pairs are entered already.

    The smaller of ``plus`` and ``minus`` follows from the conserved α² − |p|² without cancellation, also for a neuron
    that points almost exactly away from its target.
    """
    j, direction, off = rows.neuron[row], rows.direction[row], rows.off[row]
    zero = alpha * 0
    size, along, product = zero, zero, zero
    for i in range(len(z)):
        direction[i] = zero
        if rows.active[row, i]:
            direction[i] = neurons.signs[j] * (pull.along[i] if rotated[i] else pull.natural[i])
        size += direction[i] * direction[i]
    rows.rate[row] = sqrt(size) / pull.n
    if size == 0:
        for i in range(len(z)):
            direction[i] = zero if rotated[i] and pull.off_axis[i] else z[i]
            size += direction[i] * direction[i]
    size = sqrt(size)
    for i in range(len(z)):
        direction[i] = direction[i] / size if size > 0 else zero
        along += direction[i] * z[i]
    for i in range(len(z)):
        off[i] = z[i] - direction[i] * along
        product += off[i] * off[i]
    if neurons.excess[j] != 0:
        product += neurons.excess[j] * exp(-2 * rows.log_scale[row])
    ahead = along * alpha >= 0
    large = alpha + along if ahead else alpha - along
    small = product / large if large != 0 else product
    rows.plus[row], rows.minus[row] = (large, small) if ahead else (small, large)
    rows.log_off[row] = rows.log_scale[row]


@compilable
def _keep_small_part(rows: Rows, row: int, neurons: Neurons, pull: Pull, rotated: Any) -> None:
    """The off part of a neuron aligned with its target, which has a unit of its own."""
    j = rows.neuron[row]
    if neurons.log_off[j] != neurons.log_scale[j]:
        rows.log_off[row] = neurons.log_off[j]
        for i in range(len(rotated)):
            rows.off[row, i] = neurons.off[j, i] if rotated[i] and pull.off_axis[i] else neurons.off[j, i] * 0


@compilable
def moved(rows: Rows, row: int, pull: Pull, tau: Any, z: Any) -> tuple[Any, Any]:
    """Log-scale and α of a neuron the time ``tau`` after the start of its stay; its coordinates into ``z`` (b,).

    Nothing overflows, however long the time: the scale follows the rapidity of a neuron that grows, and its negative
    for one that only decays.
    """
    x, plus, minus = rows.rate[row] * tau, rows.plus[row], rows.minus[row]
    for i in range(len(z)):
        z[i] = rows.off[row, i]
    if rows.panel[row] >= 0:
        plus, minus = _answered(rows, row, pull, tau, z)
    shrink = exp(-2 * x)
    if abs(plus) > abs(minus) * shrink:
        log_scale, minus = rows.log_scale[row] + x, minus * shrink
    else:
        log_scale, plus = rows.log_scale[row] - x, plus / shrink if plus != 0 else plus
    along, factor = (plus - minus) / 2, _factor(rows, row, log_scale)
    for i in range(len(z)):
        z[i] = z[i] * factor + rows.direction[row, i] * along
    return log_scale, (plus + minus) / 2


@compilable
def _answered(rows: Rows, row: int, pull: Pull, tau: Any, off: Any) -> tuple[Any, Any]:
    """``plus`` and ``minus``, and in place ``off`` (b,), less what the outputs on the panel do to them: to first order.

    The outputs act as the force φ = −s f_A/n: with φ_∥ along û and φ_⊥ across, plus' = φ_∥ plus + ⟨φ_⊥, off⟩,
    minus' = −φ_∥ minus + ⟨φ_⊥, off⟩ and off' = φ_⊥ α come to what the boost does. By Gauss's rule.
    """
    b, grid, series = len(off), len(GAUSS[0]), pull.outputs[rows.panel[row]]
    begin, force, rotated = rows.start[row] - pull.times[rows.panel[row]], np.empty(b), np.empty(b, np.bool_)
    mark_rotated(rows.active[row], pull, rotated)
    plus, minus = rows.plus[row], rows.minus[row]
    for g in range(grid):
        time, weight = tau * GAUSS[0][g], tau * GAUSS[1][g]
        grown, along, cross = exp(rows.rate[row] * time), 0.0, 0.0
        alpha = (rows.plus[row] * grown + rows.minus[row] / grown) / 2
        for i in range(b):
            output = horner(series[:, b + i if rotated[i] else i], begin + time)
            force[i] = -rows.sign[row] * output / pull.n if rows.active[row, i] else 0.0
            along += force[i] * rows.direction[row, i]
        for i in range(b):
            across = force[i] - along * rows.direction[row, i]
            cross += across * rows.off[row, i]
            off[i] += weight * across * alpha
        plus += weight * (along * rows.plus[row] + cross / grown)
        minus += weight * (cross * grown - along * rows.minus[row])
    return plus, minus


@compilable
def _delayed(rows: Rows, row: int, pull: Pull, rotated: Any, label: int, tau: Any, z: Any) -> Any:
    """When the pair reaches zero in spite of the outputs, from ``tau``, when it would without: a Newton step."""
    alpha = moved(rows, row, pull, tau, z)[1]
    speed = rows.sign[row] * pull.natural[label] * alpha / pull.n
    return tau - at_label(z, rotated, pull, label) / speed


@compilable
def _factor(rows: Rows, row: int, log_scale: Any) -> Any:
    """What a unit of the off part is in units of e^log_scale; 1 where there is none, whose unit says nothing."""
    for i in range(rows.off.shape[1]):
        if rows.off[row, i] != 0:
            return exp(rows.log_off[row] - log_scale)
    return log_scale * 0 + 1


@compilable
def _next_death(rows: Rows, row: int, pull: Pull, rotated: Any, noise: Any) -> tuple[Any, int]:
    """How long until the first of a neuron's pairs reaches zero, and its label; −1 where none ever does."""
    first, label = rows.rate[row] * 0, -1
    if rows.rate[row] > 0:
        factor = _factor(rows, row, rows.log_scale[row])
        for k in range(len(rotated)):
            if rows.active[row, k]:
                off = at_label(rows.off[row], rotated, pull, k) * factor
                slope = at_label(rows.direction[row], rotated, pull, k)
                growth = crossing(off, slope, rows.plus[row], rows.minus[row], noise)
                if growth >= 1 and growth < math.inf and (label < 0 or growth < first):
                    first, label = growth, k
    return (log(first) / rows.rate[row], label) if label >= 0 else (first, label)


@compilable
def at_label(z: Any, rotated: Any, pull: Pull, k: int) -> Any:
    """The coordinate at label k of a vector in the coordinates of the pairs."""
    if not rotated[k]:
        return z[k]
    total = z[k] * 0
    for i in range(len(z)):
        if rotated[i] and pull.block[i] == pull.block[k]:
            total += pull.axes[i, k] * z[i]
    return total


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
def _switch_off(z: Any, on: Any, rotated: Any, pull: Pull, label: int) -> None:
    """Switch a pair off, in place; a block that was along the axes returns to the labels."""
    if rotated[label]:
        natural = z.copy()
        for k in range(len(z)):
            natural[k] = at_label(z, rotated, pull, k)
        for k in range(len(z)):
            if rotated[k] and pull.block[k] == pull.block[label]:
                z[k] = natural[k]
    on[label], z[label] = False, z[label] * 0
