"""Labels that the network has not begun to fit: what its outputs leave of them, and how large these may be."""

from __future__ import annotations

import numpy as np

from verify.flow.arithmetic import Array, to_float
from verify.flow.component import Component, Moment
from verify.notation import FloatArray


def waiting_residual(component: Component, now: Moment, target: Array) -> tuple[Array, Array]:
    """``target`` minus outputs, entries (…, b) along the axes and the logarithms of their units, one unit a moment.

    Off the axis the target is zero and nothing cancels: outputs are summed in a unit of their own.
    """
    exp, off_axis = component.arithmetic.exp, component.frame.off_axis
    mass = 2 * (now.log_scale - component.minus_log_lambda)
    gain = component.signs * now.alpha
    residual = target - _summed(gain * exp(mass), component.along_axes(now.z))
    if not off_axis.any():
        return residual, residual * 0
    sideways = (
        (now.off * component.lateral, mass + now.log_off - now.log_scale),
        (component.frame.to_axes(now.z * component.plain), mass),
    )
    present = [(part != 0).any(axis=-1) for part, _ in sideways]
    sizes = [np.where(there, to_float(size), -np.inf) for there, (_, size) in zip(present, sideways, strict=True)]
    unit = np.maximum(*sizes).max(axis=-1, initial=-np.inf, keepdims=True)
    unit = np.where(unit == -np.inf, 0.0, unit)
    total = sum(
        _summed(gain * exp(np.where(there, size - unit, 0 * size)), part)
        for there, (part, size) in zip(present, sideways, strict=True)
    )
    return np.where(off_axis, -total, residual), np.where(off_axis, unit, 0.0)


def _summed(weights: Array, parts: Array) -> Array:
    """Σ_j weights_j parts_j: (…, b) from (…, k) and (…, k, b)."""
    return (weights[..., None, :] @ parts)[..., 0, :]


def log_mass(component: Component, now: Moment) -> FloatArray:
    """(k,): logarithms of (a_j² + |p_j|²)/2, which bounds what a neuron gives to any label."""
    size = now.alpha * now.alpha + np.einsum("ij,ij->i", now.z, now.z)
    growth = 2 * to_float(now.log_scale - component.minus_log_lambda)
    return np.asarray(growth + component.arithmetic.magnitude(size) - np.log(2.0))
