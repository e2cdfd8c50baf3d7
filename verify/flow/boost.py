"""Exact motion of neurons under a constant residual: Lorentz boosts, and when a coordinate reaches zero."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from verify.flow.arithmetic import Arithmetic, Array
from verify.notation import BoolArray, FloatArray


@dataclass(frozen=True)
class LightCone:
    """Neurons in the coordinates in which a constant residual acts diagonally. [D, section 2.3]

    With û the unit vector along ``s r_A``, α = s a = |a| and b = ⟨p, û⟩, the combinations ``plus = α + b`` and
    ``minus = α − b`` are multiplied by e^x and e^−x while the rest of p stays as it is; x = ωτ, ω = ‖r_A‖/n.

    - ``log_scale`` (k,): every other field is in units of e^log_scale.
    - ``plus``, ``minus`` (k,); ``direction`` (k, b): û; ``rate`` (k,): ω.
    - ``off`` (k, b), in units of e^log_off: the part of p orthogonal to û. Vectors are in the coordinates of the
      pairs (axes or labels).
    """

    log_scale: Array
    plus: Array
    minus: Array
    off: Array
    log_off: Array
    direction: Array
    rate: Array


def light_cone(
    log_scale: Array, alpha: Array, z: Array, force: Array, excess: Array, n: int, arithmetic: Arithmetic
) -> LightCone:
    """Light-cone coordinates of neurons driven by ``force`` = s·residual on the active pairs, (k, b).

    ``excess`` (k,) is the conserved α² − ‖p_A‖² in the same units; with it the smaller of ``plus`` and ``minus`` is
    found without cancellation, also for a neuron that points almost exactly away from its target.
    """
    size = arithmetic.sqrt(np.einsum("ij,ij->i", force, force))
    moving = size > 0
    direction = force / np.where(moving, size, size + 1)[:, None]
    along = np.einsum("ij,ij->i", direction, z)
    off = z - direction * along[:, None]
    product = np.einsum("ij,ij->i", off, off) + excess
    ahead = along * alpha >= 0
    large = np.where(ahead, alpha + along, alpha - along)
    small = product / np.where(large == 0, large + 1, large)
    return LightCone(
        log_scale,
        np.where(ahead, large, small),
        np.where(ahead, small, large),
        off,
        log_scale,
        direction,
        size / n,
    )


def advance(cone: LightCone, tau: Array, arithmetic: Arithmetic) -> tuple[Array, Array, Array]:
    """Neurons after the times ``tau`` (k,): ``(log_scale, alpha, z)``; nothing overflows, however long the time.

    The scale follows the rapidity of a neuron that grows, and its negative for one that only decays.
    """
    x = cone.rate * tau
    shrink = arithmetic.exp(-2 * x)
    growing = abs(cone.plus) > abs(cone.minus) * shrink
    plus = np.where(growing, cone.plus, cone.plus / np.where(growing | (cone.plus == 0), shrink + 1, shrink))
    minus = np.where(growing, cone.minus * shrink, cone.minus)
    log_scale = cone.log_scale + np.where(growing, x, -x)
    there = (cone.off != 0).any(axis=1)
    off = cone.off * arithmetic.exp(np.where(there, cone.log_off - log_scale, 0 * log_scale))[:, None]
    return log_scale, (plus + minus) / 2, off + cone.direction * ((plus - minus) / 2)[:, None]


def crossing_rapidity(cone: LightCone, off: Array, slope: Array, active: BoolArray, arithmetic: Arithmetic) -> Array:
    """Rapidity at which each active coordinate, positive now, reaches zero, (k, b); infinite where it never does.

    ``off`` and ``slope`` are the off part and the direction at the labels. With E = e^x the coordinate is
    ``off + slope (plus E − minus/E)/2``: a quadratic in E. While ``plus`` and ``minus`` are not negative (every
    balanced neuron) it has one positive root, and only falling coordinates have theirs ahead. [D, section 2.4]
    A falling coordinate whose root rounding has put into the past, as when two labels die together, dies now.
    """
    plus, minus = cone.plus[:, None], cone.minus[:, None]
    timelike = (plus >= 0) & (minus >= 0)
    moving = active & (to_float(cone.rate) > 0)[:, None] & np.where(timelike, slope < 0, slope != 0)
    beta = np.where(moving, -off / np.where(moving, slope, slope * 0 + 1), off * 0)
    discriminant = beta * beta + plus * minus
    real = moving & (discriminant >= 0)
    root = arithmetic.sqrt(np.where(real, discriminant, discriminant * 0))
    sum_ = beta + np.where(beta >= 0, root, -root)
    first = _ratio(sum_, plus + 0 * sum_, real)
    second = _ratio(-minus + 0 * sum_, sum_, real)
    largest: Array = np.where(first > second, first, second)
    ahead: Array = np.where((first > 1) & ((first < second) | (second <= 1)), first, second)
    ahead = np.where(_slipped(first, second, plus, minus, off, slope, arithmetic), 0 * ahead + 1, ahead)
    growth: Array = np.where(timelike, np.where((largest > 0) & (largest < 1), 0 * largest + 1, largest), ahead)
    hits = real & (growth >= 1) & (growth < np.inf)
    return np.where(hits, arithmetic.log(np.where(hits, growth, growth * 0 + 1)), np.inf)


def _slipped(
    first: Array, second: Array, plus: Array, minus: Array, off: Array, slope: Array, arithmetic: Arithmetic
) -> BoolArray:
    """(k, b): whether a coordinate falls, and one of its roots lies before E = 1 by no more than rounding."""
    speed = slope * (plus + minus) / 2
    size = abs(off) + abs(slope) * (abs(plus) + abs(minus)) / 2
    late = [(root < 1) & ((root - 1) * speed <= 16 * arithmetic.epsilon * size) for root in (first, second)]
    return np.asarray((speed < 0) & (late[0] | late[1]), dtype=bool)


def _ratio(numerator: Array, denominator: Array, where: BoolArray) -> Array:
    """numerator/denominator, −1 where it is not wanted or undefined."""
    defined = where & (denominator != 0)
    return np.where(defined, numerator / np.where(defined, denominator, denominator * 0 + 1), -1.0)


def to_float(x: Array) -> FloatArray:
    """Nearest machine floats of any array."""
    return np.asarray(x, dtype=np.float64)
