"""Rounds: every neuron on its own clock, boosted from deactivation to deactivation under a standing residual."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from verify.flow.arithmetic import Array
from verify.flow.boost import LightCone, advance, crossing_rapidity, light_cone, to_float
from verify.flow.component import Component, Moment, moment, reframe
from verify.notation import BoolArray, IntArray

Deactivation = tuple[Any, int, int]
"""Time, neuron, label."""

CONE = tuple(field.name for field in fields(LightCone))


@dataclass(frozen=True)
class Round:
    """Neurons ``who`` of the component between two of their deactivations, from the times ``start`` on."""

    who: IntArray
    start: Array
    component: Component
    cone: LightCone


def boost_rounds(
    component: Component, now: Moment, fitted: BoolArray
) -> tuple[tuple[Round, ...], tuple[Deactivation, ...]]:
    """Boosts of all neurons from deactivation to deactivation, each neuron on its own clock."""
    who = np.arange(len(component.neurons))
    start = now.t + 0 * now.alpha
    rounds: list[Round] = []
    events: list[Deactivation] = []
    while True:
        cone = _cone(component, now, fitted)
        rounds.append(Round(who, start, component, cone))
        x = _rapidities(component, cone)
        if not x.size or not np.isfinite(to_float(x.min(axis=1))).any():
            return tuple(rounds), tuple(sorted(events, key=lambda event: event[0]))
        first = np.argmin(x, axis=1)
        hit = np.flatnonzero(np.isfinite(to_float(x[np.arange(len(who)), first])))
        step = x[hit, first[hit]] / cone.rate[hit]
        component, now = _deactivated(component, _select(cone, hit), hit, first[hit], step, now)
        who, start = who[hit], start[hit] + step
        for t, neuron, label in zip(start, component.neurons, component.labels[first[hit]], strict=True):
            events.append((t, int(neuron), int(label)))


def _cone(component: Component, now: Moment, fitted: BoolArray) -> LightCone:
    """Light-cone coordinates, the off part of aligned neurons in its own unit.

    A neuron that feels no force is described along its own direction, at rate zero.
    """
    force = _force(component, fitted)
    still = ~(force != 0).any(axis=1)
    force = np.where(still[:, None], now.z * ~component.lateral, force)
    excess = component.scaled_excess(now.log_scale)
    cone = light_cone(now.log_scale, now.alpha, now.z, force, excess, component.n, component.arithmetic)
    apart = np.asarray(now.log_off != now.log_scale, dtype=bool)
    return replace(
        cone,
        rate=np.where(still, 0 * cone.rate, cone.rate),
        off=np.where(apart[:, None], now.off * component.lateral, cone.off),
        log_off=np.where(apart, now.log_off, now.log_scale),
    )


def _force(component: Component, fitted: BoolArray) -> Array:
    """(k, b): s times the standing residual in the coordinate of every active pair."""
    rows = component.rows(np.where(fitted, component.target * 0, component.target))
    return component.signs[:, None] * (rows[component.channel] * (component.channel >= 0))


def _rapidities(component: Component, cone: LightCone) -> Array:
    """(k, b): rapidity until each pair reaches zero."""
    slope = np.where(component.active, component.at_labels(cone.direction), 0 * cone.direction)
    there = (cone.off != 0).any(axis=1)
    shrink = component.arithmetic.exp(np.where(there, cone.log_off - cone.log_scale, 0 * cone.log_scale))
    off = component.at_labels(cone.off * shrink[:, None])
    return crossing_rapidity(cone, off, slope, component.active, component.arithmetic)


def _deactivated(
    component: Component, cone: LightCone, hit: IntArray, label: IntArray, step: Array, now: Moment
) -> tuple[Component, Moment]:
    """Neurons ``hit`` alone, ``step`` later, with one label each switched off."""
    alone = _only(component, hit)
    log_scale, alpha, z = advance(cone, step, component.arithmetic)
    active = alone.active.copy()
    active[np.arange(len(hit)), label] = False
    state = moment(now.t, log_scale, alpha, z, now.residual)
    return reframe(alone, state, active, component.frame)


def state_of(stretch: Round, t: Any, start: Moment) -> Moment:
    """The neurons of a round at time ``t``, with the residual of ``start``."""
    cone = stretch.cone
    log_scale, alpha, z = advance(cone, t - stretch.start, stretch.component.arithmetic)
    return Moment(t, log_scale, alpha, z, cone.off, cone.log_off, start.residual, start.log_residual)


def settle(rounds: tuple[Round, ...]) -> Round:
    """One round in which every neuron is in the last of its own."""
    first = rounds[0]
    start, active = first.start.copy(), first.component.active.copy()
    cone = {name: getattr(first.cone, name).copy() for name in CONE}
    for later in rounds[1:]:
        start[later.who] = later.start
        active[later.who] = later.component.active
        for name, values in cone.items():
            values[later.who] = getattr(later.cone, name)
    return Round(first.who, start, replace(first.component, active=active), LightCone(**cone))


def overlay(component: Component, now: Moment, later: Round, begun: IntArray, t: Any) -> tuple[Component, Moment]:
    """Replace the neurons whose later round has begun."""
    who = later.who[begun]
    own = Round(who, later.start[begun], _only(later.component, begun), _select(later.cone, begun))
    fresh = state_of(own, t, now)
    active = component.active.copy()
    active[who] = own.component.active
    changed = {}
    for name in ("log_scale", "alpha", "z", "off", "log_off"):
        values = getattr(now, name).copy()
        values[who] = getattr(fresh, name)
        changed[name] = values
    return replace(component, active=active), replace(now, **changed)


def _only(component: Component, neurons: IntArray) -> Component:
    return replace(
        component,
        neurons=component.neurons[neurons],
        signs=component.signs[neurons],
        excess=component.excess[neurons],
        active=component.active[neurons],
    )


def _select(cone: LightCone, keep: IntArray) -> LightCone:
    return LightCone(**{name: getattr(cone, name)[keep] for name in CONE})
