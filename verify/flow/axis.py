"""Residual and neurons along and across the target of one sign of labels, without cancellation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from verify.flow.arithmetic import Arithmetic, Array
from verify.flow.boost import to_float
from verify.flow.component import Component, Moment
from verify.flow.constants import Side
from verify.notation import BoolArray, FloatArray


@dataclass(frozen=True)
class Axis:
    """``sign``·e^``log_along`` = ⟨r, ŷ⟩ (…); e^``log_across`` (…) = ‖r − ⟨r, ŷ⟩ŷ‖ on the labels of the side;
    ``log_off`` (…, m): ln of the part of each neuron's coordinates there that is orthogonal to ŷ, over |a_j|.
    """

    sign: FloatArray
    log_along: Array
    log_across: Array
    log_off: Array


def plain_axis(side: Side, moving: Array, residual_sign: Array, log_residual: Array, arithmetic: Arithmetic) -> Axis:
    """From active coordinates (…, m, n) and the residual at the labels: small parts are lost to rounding."""
    inside = moving[..., side.labels]
    unit = side.unit[side.labels]
    off = inside - (inside @ unit)[..., None] * unit
    logs = log_residual[..., side.labels]
    top = logs.max(axis=-1, initial=-np.inf)
    top = np.where(top > -np.inf, top, 0.0)
    scaled = residual_sign[..., side.labels] * arithmetic.exp(logs - top[..., None])
    along = scaled @ unit
    across = scaled - np.asarray(along)[..., None] * unit
    return Axis(
        np.asarray(np.sign(to_float(side.sign * along))),
        np.asarray(arithmetic.log(abs(along)) + top),
        np.asarray(arithmetic.log((across * across).sum(axis=-1)) / 2 + top),
        arithmetic.log((off * off).sum(axis=-1)) / 2,
    )


def refine(axis: Axis, side: Side, component: Component, now: Moment, log_growth: Array, where: Any) -> None:
    """Replace what the component knows better, in place, at the positions ``where`` of the leading axis.

    A component with a label frame for the whole side knows the residual there, and the off-axis parts of the neurons
    that are active on all of it. ``log_growth`` (…, k): that of the component's neurons.
    """
    arithmetic, frame = component.arithmetic, component.frame
    members = _members(component, side)
    count = int(side.labels.sum())
    if count < 2 or int(members.sum()) != count:
        return
    pivot = int(np.flatnonzero(members & frame.axis)[0])
    apart = members & ~frame.axis
    sideways = now.off[..., apart]
    log_off = arithmetic.log((sideways * sideways).sum(axis=-1)) / 2 + now.log_off - log_growth
    full = component.rotated[..., pivot]
    axis.log_off[where, component.neurons] = np.where(full, log_off, axis.log_off[where, component.neurons])
    along = now.residual[..., pivot]
    axis.sign[where] = np.sign(to_float(side.sign * along))
    axis.log_along[where] = arithmetic.log(abs(along)) + now.log_residual[..., pivot]
    across = arithmetic.log(abs(now.residual[..., apart])) + now.log_residual[..., apart]
    axis.log_across[where] = log_sum(2 * across, arithmetic) / 2


def _members(component: Component, side: Side) -> BoolArray:
    return np.asarray(component.frame.framed & (component.frame.block == (0 if side.sign > 0 else 1)))


def residual_at_labels(component: Component, now: Moment) -> tuple[Array, Array]:
    """The residual (…, b) at the labels from its entries along the axes: numbers, and the logarithms of their units."""
    if not component.frame.framed.any():
        return now.residual, now.log_residual
    mixing = component.frame.axes.T
    entries, log_units = now.residual[..., None, :], now.log_residual[..., None, :]
    heard = (mixing != 0) & (entries != 0)
    units = np.where(heard, log_units, -np.inf)
    top = units.max(axis=-1, initial=-np.inf)
    top = np.where(top == -np.inf, 0.0, top)
    return (mixing * entries * component.arithmetic.exp(units - top[..., None])).sum(axis=-1), top


def log_sum(logs: Array, arithmetic: Arithmetic) -> Array:
    """ln Σ e^logs over the last axis."""
    top = logs.max(axis=-1, initial=-np.inf)
    safe = np.where(top == -np.inf, 0.0, top)
    return safe + arithmetic.log(arithmetic.exp(logs - safe[..., None]).sum(axis=-1))
