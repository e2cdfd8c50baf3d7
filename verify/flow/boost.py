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
    size = arithmetic.sqrt((force * force).sum(axis=1))
    moving = size > 0
    direction = force / np.where(moving, size, size + 1)[:, None]
    along = (direction * z).sum(axis=1)
    off = z - direction * along[:, None]
    product = (off * off).sum(axis=1) + excess
    ahead = along >= 0
    large = np.where(ahead, alpha + along, alpha - along)
    small = product / large
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
    off = cone.off * arithmetic.exp(cone.log_off - log_scale)[:, None]
    return log_scale, (plus + minus) / 2, off + cone.direction * ((plus - minus) / 2)[:, None]


def crossing_rapidity(cone: LightCone, off: Array, slope: Array, falling: BoolArray, arithmetic: Arithmetic) -> Array:
    """Rapidity at which each coordinate reaches zero, (k, b); infinite where it never does. [D, section 2.4]

    ``off`` and ``slope`` are the off part and the direction at the labels; only pairs marked ``falling``
    (slope < 0, active) are considered. With E = e^x the coordinate is ``off + slope (plus E − minus/E)/2``.
    """
    target = np.where(falling, off / np.where(falling, -slope, slope * 0 + 1), off * 0)
    plus, minus = cone.plus[:, None], cone.minus[:, None]
    discriminant = target * target + plus * minus
    root = arithmetic.sqrt(np.where(discriminant > 0, discriminant, discriminant * 0))
    late = target > 0
    numerator = np.where(late, target + root, minus + 0 * target)
    denominator = np.where(late, plus + 0 * target, root - target)
    hits = falling & (denominator > 0) & (numerator >= 0) & (discriminant >= 0)
    ratio = np.where(hits, numerator, 1 + 0 * target) / np.where(hits, denominator, 1 + 0 * target)
    x = arithmetic.log(np.where(hits, ratio, ratio * 0 + 1))
    return np.where(hits, np.where(x > 0, x, x * 0), np.inf)


def to_float(x: Array) -> FloatArray:
    """Nearest machine floats of any array."""
    return np.asarray(x, dtype=np.float64)
