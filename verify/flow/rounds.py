"""Rounds: every neuron on its own clock, boosted from deactivation to deactivation under a standing residual."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from verify.flow.arithmetic import Array
from verify.flow.boost import LightCone, advance, crossing_rapidity, light_cone, to_float
from verify.flow.component import Component, Moment, moment, reframe
from verify.flow.deaths import Deaths
from verify.notation import BoolArray, IntArray

CONE = tuple(field.name for field in fields(LightCone))


@dataclass(frozen=True)
class Round:
    """Neurons ``who`` of the component between two of their deactivations, from the times ``start`` on."""

    who: IntArray
    start: Array
    component: Component
    cone: LightCone


def boost_rounds(component: Component, now: Moment, fitted: BoolArray) -> tuple[tuple[Round, ...], Deaths]:
    """Boosts of all neurons from deactivation to deactivation, each neuron on its own clock."""
    who = np.arange(len(component.neurons))
    start = now.t + 0 * now.alpha
    rounds: list[Round] = []
    deaths: list[Deaths] = []
    while True:
        cone = _cone(component, now, fitted)
        rounds.append(Round(who, start, component, cone))
        x = _rapidities(component, cone)
        if not x.size or not np.isfinite(to_float(x.min(axis=1))).any():
            return tuple(rounds), Deaths.joined(deaths)
        first = np.argmin(x, axis=1)
        hit = np.flatnonzero(np.isfinite(to_float(x[np.arange(len(who)), first])))
        step = x[hit, first[hit]] / cone.rate[hit]
        component, now = _deactivated(component, _select(cone, hit), hit, first[hit], step, now)
        who, start = who[hit], start[hit] + step
        deaths.append(Deaths(start, component.neurons, component.labels[first[hit]]))


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


@dataclass(frozen=True)
class Ledger:
    """All rounds one below the other, so that neurons in different rounds move together: R rows in all.

    ``rounds``; ``start`` (R,), ``active`` (R, b), ``cone`` (R rows) as in the rounds.
    """

    rounds: tuple[Round, ...]
    start: Array
    active: BoolArray
    cone: LightCone

    def at(self, t: Any, residual: Moment) -> tuple[Component, Moment]:
        """Who is active at the times ``t`` (…) and the neurons then, with the residual of another moment."""
        component = self.rounds[0].component
        rows = self.rows(t)
        tau = np.asarray(t)[..., None] - self.start[rows]
        cone = _select(self.cone, rows.ravel())
        log_scale, alpha, z = advance(cone, tau.ravel(), component.arithmetic)
        pairs = (*rows.shape, len(component.labels))
        now = Moment(
            t=t,
            log_scale=log_scale.reshape(rows.shape),
            alpha=alpha.reshape(rows.shape),
            z=z.reshape(pairs),
            off=cone.off.reshape(pairs),
            log_off=cone.log_off.reshape(rows.shape),
            residual=residual.residual,
            log_residual=residual.log_residual,
        )
        return replace(component, active=self.active[rows]), now

    def rows(self, t: Any) -> IntArray:
        """(…, k): the row of every neuron at the times ``t`` (…), that of its last round that has begun."""
        count = len(self.rounds[0].who)
        rows = np.zeros((*np.shape(t), count), dtype=np.int64) + np.arange(count)
        for later in self.rounds[1:]:
            begun = to_float(np.asarray(t)[..., None] - later.start) >= 0
            own = np.arange(count, count + len(later.who))
            rows[..., later.who] = np.where(begun, own, rows[..., later.who])
            count += len(later.who)
        return rows


def ledger_of(rounds: tuple[Round, ...]) -> Ledger:
    """The rounds of one plateau, the first of which holds all neurons."""
    cones = {name: np.concatenate([getattr(stretch.cone, name) for stretch in rounds]) for name in CONE}
    start = np.concatenate([stretch.start for stretch in rounds])
    active = np.concatenate([stretch.component.active for stretch in rounds])
    return Ledger(rounds, start, active, LightCone(**cones))


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
