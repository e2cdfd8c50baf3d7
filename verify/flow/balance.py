"""What a component's neurons produce: outputs, residual, neural tangent matrix, with off-axis parts in logarithms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from verify.flow.arithmetic import Array
from verify.flow.compiled import compiled
from verify.flow.component import LARGEST_EXPONENT, Component, Moment

RESCALE_BELOW = -150.0
"""Off-axis parts smaller than e to this power get a unit of their own in arithmetics of limited exponent."""


def lateral_unit(component: Component, now: Moment, residual: bool = True) -> float:
    """Logarithm of a unit in which the component's off-axis parts neither underflow nor overflow; 0 if 1 will do.

    The parts are those of aligned neurons, the outputs of neurons that know only some of the labels, and (if
    ``residual``) the residual off the axis.
    """
    frame = component.frame
    if component.arithmetic.wide or not frame.blocks:
        return 0.0
    top = -math.inf
    if residual:
        logs = component.arithmetic.magnitude(now.residual) + now.log_residual
        top = float(logs[frame.off_axis].max())
        if top > RESCALE_BELOW:
            return 0.0
    top = max(
        top,
        _largest_lateral(
            component.rotated,
            component.active,
            frame.framed,
            frame.off_axis,
            now.z,
            now.off,
            now.alpha,
            now.log_scale,
            now.log_off,
            component.minus_log_lambda,
        ),
    )
    return top if -math.inf < top < RESCALE_BELOW else 0.0


@compiled
def _largest_lateral(
    rotated: Any,
    active: Any,
    framed: Any,
    off_axis: Any,
    z: Any,
    off: Any,
    alpha: Any,
    log_scale: Any,
    log_off: Any,
    minus_log_lambda: float,
) -> float:
    """Logarithm of the largest off-axis part of an aligned neuron, or output of one that knows only part of a block."""
    top = -math.inf
    for j in range(len(alpha)):
        own, partial = 0.0, 0.0
        for i in range(len(framed)):
            if rotated[j, i] and off_axis[i]:
                own = max(own, abs(off[j, i]))
            elif active[j, i] and framed[i] and not rotated[j, i]:
                partial = max(partial, abs(z[j, i] * alpha[j]))
        if own > 0.0:
            top = max(top, math.log(own) + log_off[j] - log_scale[j])
        if partial > 0.0:
            top = max(top, math.log(partial) + 2 * (log_scale[j] - minus_log_lambda))
    return top


def lateral_coordinates(component: Component, now: Moment, log_unit: float) -> Array:
    """(k, b): off-axis coordinates of z in units of e^log_unit, zero for other pairs."""
    present = (component.lateral & (now.off != 0)).any(axis=1)
    exponent = np.where(present, now.log_off - now.log_scale - log_unit, 0 * now.log_off)
    capped = exponent if log_unit == 0.0 else np.minimum(exponent, LARGEST_EXPONENT)
    scale = component.arithmetic.exp(capped)
    return np.where(component.lateral, now.off * scale[:, None], 0 * now.off)


def residual_in_unit(component: Component, now: Moment, log_unit: float) -> Array:
    """(b,): the residual along the axes, off-axis entries in units of e^log_unit."""
    units = np.where(component.frame.off_axis, log_unit, 0.0)
    present = now.residual != 0
    return now.residual * component.arithmetic.exp(np.where(present, now.log_residual - units, 0 * now.residual))


def outputs(component: Component, now: Moment) -> Array:
    """(…, b): the network's outputs at the labels, along the axes, at one time or at many."""
    gain = (component.signs * component.weight(now.log_scale) * now.alpha)[..., None, :]
    if not component.frame.blocks:
        return (gain @ now.z)[..., 0, :]
    along, natural = gain @ (now.z * component.rotated), gain @ (now.z * component.plain)
    return (along + component.frame.to_axes(natural))[..., 0, :]


def fresh_residual(component: Component, now: Moment) -> tuple[Array, Array]:
    """The residual as target minus outputs: entries (b,) along the axes and the logarithms of their units.

    Off the axis the target is zero and nothing cancels; these entries are computed in a unit of their own.
    """
    off_axis = component.frame.off_axis
    residual = component.frame.target - outputs(component, now)
    log_unit = lateral_unit(component, now, residual=False)
    if log_unit == 0.0:
        return residual, residual * 0
    sideways = _lateral_outputs(component, now, log_unit)
    return np.where(off_axis, -sideways, residual), np.where(off_axis, log_unit + residual * 0, residual * 0)


def _lateral_outputs(component: Component, now: Moment, log_unit: float) -> Array:
    own = lateral_coordinates(component, now, log_unit)
    partial = now.z * component.plain
    gain = component.signs * now.alpha
    full = (gain * component.weight(now.log_scale)) @ own
    return full + (gain * component.weight(now.log_scale, log_unit)) @ component.frame.to_axes(partial)


def neural_tangent(component: Component, now: Moment, log_unit: float = 0.0) -> Array:
    """(b, b): the matrix K of r' = −K r/n along the axes, off-axis entries of r in units of e^log_unit.

    K_kl = Σ_j 1_jk 1_jl (a_j² δ_kl + p_jk p_jl), written along the axes. [D, section 2.11]
    """
    coordinates = component.along_axes(now.z)
    kernel = _tangent(component, now, coordinates, coordinates, 0.0)
    kernel = (kernel + kernel.T) / 2
    if log_unit == 0.0:
        return kernel
    off = component.frame.off_axis
    partial = component.frame.to_axes(now.z * component.plain)
    weight = component.weight(now.log_scale)
    aligned = (lateral_coordinates(component, now, log_unit) * weight[:, None]).T @ coordinates
    mixed = (aligned + _tangent(component, now, partial, coordinates, log_unit))[np.ix_(off, ~off)]
    kernel[np.ix_(off, ~off)] = mixed
    kernel[np.ix_(~off, off)] = mixed.T * component.arithmetic.exp(np.float64(2 * log_unit))
    return kernel


def _tangent(component: Component, now: Moment, left: Array, right: Array, log_unit: float) -> Array:
    """Σ_j of the tangent terms with ``left`` and ``right`` (k, b) as coordinates in the two factors, over the unit."""
    weight = component.weight(now.log_scale, log_unit)
    mass = weight * now.alpha * now.alpha
    axes = component.frame.axes
    spread = axes @ ((mass @ component.plain)[:, None] * axes.T)
    if log_unit == 0.0:
        spread[np.diag_indices(len(spread))] += mass @ component.rotated
    return spread + (left * weight[:, None]).T @ right
