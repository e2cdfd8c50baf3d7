"""Residual and neurons along and across the target of one sign of labels, without cancellation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from verify.flow.arithmetic import Arithmetic, Array
from verify.flow.component import Component, Moment
from verify.flow.constants import Side
from verify.notation import BoolArray


@dataclass(frozen=True)
class Axis:
    """``sign``·e^``log_along`` = ⟨r, ŷ⟩; e^``log_across`` = ‖r − ⟨r, ŷ⟩ŷ‖ on the labels of the side;
    ``log_off`` (m,): ln of the part of each neuron's coordinates there that is orthogonal to ŷ, over |a_j|.
    """

    sign: float
    log_along: Any
    log_across: Any
    log_off: Array


def plain_axis(side: Side, moving: Array, residual_sign: Array, log_residual: Array, arithmetic: Arithmetic) -> Axis:
    """From active coordinates (m, n) and the residual at the labels: small parts are lost to rounding."""
    inside = moving[:, side.labels]
    unit = side.unit[side.labels]
    off = inside - np.outer(inside @ unit, unit)
    log_off = arithmetic.log((off * off).sum(axis=1)) / 2
    logs = log_residual[side.labels]
    top = max(logs, default=0.0)
    top = top if top > -np.inf else 0.0
    scaled = residual_sign[side.labels] * arithmetic.exp(logs - top)
    along = scaled @ unit
    across = scaled - along * unit
    return Axis(
        side.sign * float(arithmetic.sign(along)),
        arithmetic.log(abs(along)) + top,
        arithmetic.log((across * across).sum()) / 2 + top,
        log_off,
    )


def holds_side(component: Component, side: Side) -> bool:
    """Whether the component has a label frame for all labels of the side."""
    count = int(side.labels.sum())
    return count > 1 and int(_members(component, side).sum()) == count


def framed_axis(component: Component, now: Moment, side: Side, plain: Axis, log_growth: Array) -> Axis:
    """From the component's label frame; neurons that are not active on the whole side keep their plain values."""
    arithmetic, frame = component.arithmetic, component.frame
    members = _members(component, side)
    axis = int(np.flatnonzero(members & frame.axis)[0])
    apart = members & ~frame.axis
    full = component.rotated[:, axis]
    sideways = now.off[full][:, apart]
    who = component.neurons[full]
    log_off = plain.log_off.copy()
    log_off[who] = arithmetic.log((sideways * sideways).sum(axis=1)) / 2 + now.log_off[full] - log_growth[who]
    across = list(2 * (arithmetic.log(abs(now.residual[apart])) + now.log_residual[apart]))
    return Axis(
        side.sign * float(arithmetic.sign(now.residual[axis])),
        arithmetic.log(abs(now.residual[axis])) + now.log_residual[axis],
        log_sum(across, arithmetic) / 2,
        log_off,
    )


def _members(component: Component, side: Side) -> BoolArray:
    return np.asarray(component.frame.framed & (component.frame.block == (0 if side.sign > 0 else 1)))


def residual_at_labels(component: Component, now: Moment) -> tuple[Array, Array]:
    """The residual (b,) at the labels from its entries along the axes: numbers, and the logarithms of their units."""
    if not component.frame.framed.any():
        return now.residual, now.log_residual
    mixing = component.frame.axes.T
    heard = (mixing != 0) & (now.residual != 0)
    units = np.where(heard, now.log_residual, -np.inf)
    top = units.max(axis=1, initial=-np.inf)
    top = np.where(top == -np.inf, 0.0, top)
    entries = mixing * now.residual * component.arithmetic.exp(units - top[:, None])
    return entries.sum(axis=1), top


def log_sum(logs: list[Array], arithmetic: Arithmetic) -> Array:
    """ln Σ e^logs, elementwise over the list."""
    top = logs[0]
    for other in logs[1:]:
        top = np.where(other > top, other, top)
    safe = np.where(top == -np.inf, 0.0, top)
    return safe + arithmetic.log(sum(arithmetic.exp(values - safe) for values in logs))
