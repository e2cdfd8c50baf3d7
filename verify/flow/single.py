"""One Taylor step, in any arithmetic: how long it may be, and which pair dies first on the way."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from verify.flow.component import Component, Moment
from verify.flow.departure import fastest, first_step, normalised
from verify.flow.polynomial import bernstein_matrix
from verify.flow.series import Law, Series
from verify.flow.step import Step, dying_with


def take_step(component: Component, now: Moment, tolerance: Any) -> Step:
    """The longest step from ``now`` whose neglected terms stay below ``tolerance``, cut at the first deactivation."""
    arithmetic, order = component.arithmetic, component.arithmetic.order
    now = normalised(component, now)
    step = first_step(component, now, order, 1 / fastest(component, now))
    law = step.law._replace(gain=step.law.gain * step.unit)
    length, truncation = _length(component, step.series, law, tolerance)
    length, neuron, label = arithmetic.first_crossing(
        step.series,
        law,
        step.carried,
        component.turning,
        bernstein_matrix(order + 1),
        order,
        arithmetic.number(length),
    )
    dying = ((int(neuron), int(label)),) if neuron >= 0 else ()
    whole = replace(step, end=now.t + step.unit * length, dying=dying, truncation=truncation)
    whole.keep(step.series)
    if not dying:
        return whole
    together = replace(whole, dying=dying_with(*whole.at(whole.end), dying[0]))
    together.keep(step.series)
    return together


def _length(component: Component, series: Series, law: Law, tolerance: Any) -> tuple[float, Any]:
    """Step length in time units, and the relative size of the first neglected term at its end.

    Neurons, their off-axis parts, and the residual along and off the axes are each held to their own size: the last
    two terms must stay below the tolerance times one of the first three.
    """
    last, (rows, b) = len(series.a) - 1, law.channel.shape
    orders = np.array([0, 1, 2, last - 1, last])
    largest = component.arithmetic.zeros((2 * rows + b + 2, len(orders)))
    component.arithmetic.sizes(series, law, component.frame.block, last, largest)
    sizes = component.arithmetic.magnitude(largest)
    log_tolerance = component.arithmetic.magnitude(tolerance)
    sizes = sizes[sizes[:, :3].max(axis=1) > -np.inf]
    with np.errstate(invalid="ignore"):
        reach = (log_tolerance + sizes[:, :3, None] - sizes[:, None, 3:]) / (orders[None, 3:] - orders[:3, None])
    reach = np.where(sizes[:, None, 3:] == -np.inf, np.inf, reach).min(axis=2)
    longest = np.exp(np.where(sizes[:, :3] == -np.inf, -np.inf, reach).max(axis=1).min(initial=np.inf))
    length = min(0.95 * float(longest), component.arithmetic.longest_decay)
    terms = sizes + orders * np.log(length)
    return length, component.arithmetic.exp((terms[:, 4] - terms[:, :3].max(axis=1)).max(initial=-np.inf))
