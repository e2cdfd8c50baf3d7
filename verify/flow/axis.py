"""Residual and neurons along and across the target of one sign of labels, without cancellation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Self

import numpy as np

from verify.flow.arithmetic import Arithmetic, Array
from verify.flow.constants import Side
from verify.flow.sums import signed_log_sum
from verify.notation import BoolArray, FloatArray


@dataclass(frozen=True)
class Timed:
    """A dataclass of arrays that may all have the times as their first axis."""

    def __getitem__(self, index: Any) -> Self:
        """Some of the times."""
        return replace(self, **{field.name: getattr(self, field.name)[index] for field in fields(self)})

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """All the times of the parts, one part after the other."""
        names = [field.name for field in fields(cls)]
        return cls(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in names})


@dataclass(frozen=True)
class Axis(Timed):
    """``sign``·e^``log_along`` = ⟨r, ŷ⟩ (…); e^``log_across`` (…) = ‖r − ⟨r, ŷ⟩ŷ‖ on the labels of the side;
    ``log_off`` (…, m): ln of the part of each neuron's coordinates there that is orthogonal to ŷ, over |a_j|.
    """

    sign: FloatArray
    log_along: Array
    log_across: Array
    log_off: Array


@dataclass(frozen=True)
class Framed(Timed):
    """What is known along the axes of label frames.

    - ``rotated`` (…, m, n): the pairs written along axes. ``off`` (…, m, n), in units of λ e^``log_off`` (…, m, n):
      their coordinates, accurate on the pairs off the axis.
    - ``labels``, ``pivot`` (…, n): labels that have axes, and those whose axis is the target.
    - ``residual`` (…, n) along the axes, in units of e^``log_unit`` (…, n).
    """

    rotated: BoolArray
    off: Array
    log_off: Array
    labels: BoolArray
    pivot: BoolArray
    residual: Array
    log_unit: Array


def plain_axis(side: Side, moving: Array, residual_sign: Array, log_residual: Array, arithmetic: Arithmetic) -> Axis:
    """From active coordinates (…, m, n) and the residual at the labels: small parts are lost to rounding."""
    inside = moving[..., side.labels]
    unit = side.unit[side.labels]
    off = inside - (inside @ unit)[..., None] * unit
    logs = log_residual[..., side.labels]
    top = logs.max(axis=-1, initial=-np.inf)
    top = np.where(top > -np.inf, top, 0.0)
    scaled = residual_sign[..., side.labels] * arithmetic.exp(logs - top[..., None])
    along = np.asarray(scaled @ unit)
    across = scaled - along[..., None] * unit
    return Axis(
        side.sign * arithmetic.sign(along),
        arithmetic.log(abs(along)) + top,
        arithmetic.log((across * across).sum(axis=-1)) / 2 + top,
        arithmetic.log((off * off).sum(axis=-1)) / 2,
    )


def framed_axis(side: Side, framed: Framed, log_growth: Array, plain: Axis, arithmetic: Arithmetic) -> Axis:
    """From one label frame for all labels of the side, where there is one; from the plain values elsewhere.

    So are the off-axis parts of neurons that are not active on the whole side. ``log_growth`` (…, m).
    """
    pivot = framed.pivot[..., side.labels]
    held = framed.labels[..., side.labels].all(axis=-1) & (pivot.sum(axis=-1) == 1)
    if not held.any():
        return plain
    log = arithmetic.log
    residual, log_unit = framed.residual[..., side.labels], framed.log_unit[..., side.labels]
    along = (residual * pivot).sum(axis=-1)
    log_across = log_sum(2 * (log(abs(residual * ~pivot)) + log_unit), arithmetic) / 2
    full = held[..., None] & framed.rotated[..., side.labels].all(axis=-1)
    sideways = framed.off[..., side.labels] * ~pivot[..., None, :]
    unit = framed.log_off[..., side.labels].max(axis=-1, initial=-np.inf)
    log_off = log((sideways * sideways).sum(axis=-1)) / 2 + unit - log_growth
    return Axis(
        np.where(held, side.sign * arithmetic.sign(along), plain.sign),
        np.where(held, log(abs(along)) + (log_unit * pivot).sum(axis=-1), plain.log_along),
        np.where(held, log_across, plain.log_across),
        np.where(full, log_off, plain.log_off),
    )


def log_sum(logs: Array, arithmetic: Arithmetic) -> Array:
    """ln Σ e^logs over the last axis."""
    if not arithmetic.wide:
        return signed_log_sum(np.ones(np.shape(logs)), logs)[1]
    top = logs.max(axis=-1, initial=-np.inf)
    safe = np.where(top == -np.inf, 0.0, top)
    return safe + arithmetic.log(arithmetic.exp(logs - safe[..., None]).sum(axis=-1))
