"""Exact motion of a neuron under a standing residual: Lorentz boosts. [D, section 2.3]

One body for every arithmetic, compiled for machine floats, as in :mod:`verify.flow.series`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from verify.flow.compiled import compilable
from verify.flow.elementary import exp, sqrt
from verify.flow.polynomial import horner
from verify.flow.room import matrix, vector
from verify.flow.stay import Neurons, Pull, Rows, mark_rotated

GAUSS = (
    (0.06943184420297371, 0.33000947820757187, 0.6699905217924281, 0.9305681557970263),
    (0.17392742256872692, 0.3260725774312731, 0.3260725774312731, 0.17392742256872692),
)
"""Nodes and weights on [0, 1] that integrate polynomials of degree 7 exactly."""


@compilable
def enter_cone(rows: Rows, row: int, neurons: Neurons, pull: Pull, rotated: Any, alpha: Any, z: Any) -> None:
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
def keep_small_part(rows: Rows, row: int, neurons: Neurons, pull: Pull, rotated: Any) -> None:
    """The off part of a neuron aligned with its target, which has a unit of its own.

    Only one that is active on one whole block has such a target: of any other, off parts are those of its coordinates.
    """
    j, block = rows.neuron[row], -1
    for i in range(len(rotated)):
        if rows.active[row, i]:
            if not rotated[i] or (block >= 0 and pull.block[i] != block):
                return
            block = pull.block[i]
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
    along, factor = (plus - minus) / 2, off_factor(rows.off[row], rows.log_off[row], log_scale)
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
    begin, force, rotated = rows.start[row] - pull.times[rows.panel[row]], vector(b, off.dtype), vector(b, np.bool_)
    mark_rotated(rows.active[row], pull.framed, pull.block, rotated)
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
def off_factor(off: Any, log_off: Any, log_scale: Any) -> Any:
    """What a unit of an off part (b,) is in units of e^log_scale; 1 where there is none, whose unit says nothing."""
    for i in range(len(off)):
        if off[i] != 0:
            return exp(log_off - log_scale)
    return log_scale * 0 + 1


def advanced(rows: Rows, pull: Pull, which: Any, tau: Any) -> tuple[Any, Any, Any]:
    """Neurons in the rows ``which`` (K,), each ``tau`` (K,) after its start: log-scales, α, and z (K, b)."""
    log_scale, alpha = vector(len(which), tau.dtype), vector(len(which), tau.dtype)
    z = matrix(len(which), rows.off.shape[1], tau.dtype)
    _advance(rows, pull, which, tau, log_scale, alpha, z)
    return log_scale, alpha, z


@compilable
def _advance(rows: Rows, pull: Pull, which: Any, tau: Any, log_scale: Any, alpha: Any, z: Any) -> None:
    """The same, into the arrays."""
    for i in range(len(which)):
        log_scale[i], alpha[i] = moved(rows, which[i], pull, tau[i], z[i])
