"""What a Taylor step starts with: units in which all is of order one, what moves, and its law."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from verify.flow.arithmetic import Array
from verify.flow.balance import lateral_coordinates, lateral_unit, residual_in_unit
from verify.flow.classes import Carried
from verify.flow.component import Component, Moment
from verify.flow.series import Law
from verify.flow.step import Step, push_of
from verify.notation import BoolArray


def normalised(component: Component, now: Moment) -> Moment:
    """The moment with scales such that α and z are of order one, and with α² − |p|² what it was at the start.

    The scale may be as large as Λ; what it moves by after rounding is what α and z are divided by, so that the outputs
    stay what they were. Without the second a neuron that shrinks along with its coordinates would lose all digits:
    rounding excites the growing mode beside it. Neurons whose α can change sign are left alone.
    """
    size = component.arithmetic.sqrt(now.alpha * now.alpha + np.einsum("ij,ij->i", now.z, now.z))
    scale = now.log_scale + component.arithmetic.log(size)
    shrink = component.arithmetic.exp(now.log_scale - scale)
    z = now.z * shrink[:, None]
    alpha = component.arithmetic.sqrt(abs(np.einsum("ij,ij->i", z, z) + component.scaled_excess(scale)))
    return replace(now, log_scale=scale, alpha=np.where(component.turning, now.alpha * shrink, alpha), z=z)


def first_step(component: Component, now: Moment, order: int, unit: Any) -> Step:
    """A step from ``now``, a :func:`normalised` moment, whose length is not known yet."""
    arithmetic, scale = component.arithmetic, now.log_scale
    log_lateral = lateral_unit(component, now)
    law = _law(component, now, log_lateral)
    z, residual = in_units(component, now, log_lateral)
    classes = arithmetic.grouped(law.channel, law.gain, scale, _reducible(component, now))
    share = arithmetic.exp(2 * (scale - scale[classes.leader])) if len(classes.head) else scale
    law, alpha, spread = arithmetic.condensed(classes, law, now.alpha, z, share, arithmetic.epsilon)
    carried = Carried(classes, now.alpha, z)
    return Step(
        component, carried, law, scale, log_lateral, now.t, alpha, spread, residual, unit, order, now.t, (), 0.0
    )


def _reducible(component: Component, now: Moment) -> BoolArray:
    """(k,): neurons all whose coordinates rise: one that falls may die, and loses digits in a sum of columns."""
    if component.turning.any():
        return np.zeros(len(component.neurons), dtype=bool)
    return np.asarray(~(component.active & (push_of(component, now) < 0)).any(axis=1))


def _law(component: Component, now: Moment, log_lateral: float) -> Law:
    """What the series of the neurons obey for the time unit 1."""
    frame, arithmetic = component.frame, component.arithmetic
    weight = component.signs * component.weight(now.log_scale)
    return Law(
        channel=component.channel,
        gain=component.signs / component.n,
        weight=weight,
        lateral_weight=component.signs * component.weight(now.log_scale, log_lateral) if log_lateral else weight,
        axes=frame.axes,
        framed=frame.framed,
        off_axis=frame.off_axis,
        lateral=arithmetic.exp(arithmetic.number(log_lateral)),
    )


def in_units(component: Component, now: Moment, log_lateral: float) -> tuple[Array, Array]:
    """Coordinates (k, b) and residual (b,) along the axes, off-axis entries in units of e^``log_lateral``."""
    z = np.where(component.lateral, lateral_coordinates(component, now, log_lateral), now.z)
    return z, residual_in_unit(component, now, log_lateral)


def fastest(component: Component, now: Moment) -> Any:
    """A bound of all rates of decay: neurons shrink at most at the rate ‖r‖/n, the residual by its tangent matrix."""
    weight = component.weight(now.log_scale)
    mass = ((weight * now.alpha * now.alpha) @ component.active).max()
    spread = (weight * np.einsum("ij,ij->i", now.z, now.z)).sum()
    residual = now.plain_residual(component.arithmetic)
    return max(mass + spread, component.arithmetic.sqrt((residual * residual).sum())) / component.n
