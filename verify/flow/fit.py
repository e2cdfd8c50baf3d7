"""An aligned fit: neurons that point along their target fit all its labels together, in closed form.

When outputs begin to count, at Λ of some hundreds and more, all that is not negligible comes from neurons that know
every label of a block and are aligned with it. The residual then keeps its direction and only shrinks, u' = 2u(D − u)/n
with D = ‖y‖; and under such a residual every neuron moves as on a plateau, on a clock that comes to a halt.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from verify.flow.arithmetic import Array, to_float
from verify.flow.component import Component, Moment
from verify.flow.deaths import NONE, Deaths
from verify.flow.ledger import Ledger, ledger_of
from verify.flow.logistic import Logistic
from verify.flow.silence import missing_growth
from verify.flow.step import push_of
from verify.flow.tilt import Tilt, tilt_of
from verify.flow.waiting import log_mass
from verify.notation import BoolArray, FloatArray

APART = 1.25
"""Nodes lie so far from one another, in units of the rate's inverse."""


@dataclass(frozen=True)
class Fit:
    """From the end of a plateau to where all labels are fitted. [D, from Lemma 10's logistic and section 2.3]

    - ``start``: the state at the begin. ``ledger``: the neurons under the labels as residual, its time being the clock
      of the ``logistic``, and its scales those that neurons gain: a scale of the size of Λ would lose digits of u.
      ``tilt``: what is across the target, in units of e^``log_unit``; None for a single label.
    - ``end``: when the residual along the target is below half the tolerance; across it is far smaller still.
    - ``truncation``: four things below the tolerance are neglected: outputs of neurons that know some labels only;
      sin² of the angle of the others, and their (a² − |p|²)/a², at the begin; and, relative to what is across, outputs
      there that fall.
    """

    component: Component
    start: Moment
    ledger: Ledger
    logistic: Logistic
    tilt: tuple[Tilt, Any] | None
    end: Any
    truncation: Any

    deactivations: Deaths = NONE

    @property
    def segments(self) -> tuple[Fit]:
        """The fit itself."""
        return (self,)

    @property
    def begin(self) -> Any:
        """Start time."""
        return self.start.t

    @property
    def nodes(self) -> FloatArray:
        """Times from begin to end, close enough for the eye."""
        begin, end = float(self.begin), float(self.end)
        return np.linspace(begin, end, 2 + int((end - begin) * self.rate / APART))

    @property
    def rate(self) -> float:
        """The rate of the aligned neurons, which is the fastest."""
        return float(self.logistic.rate)

    @property
    def imbalance(self) -> float:
        """Nothing: a boost keeps α² − ‖p‖²."""
        return 0.0

    def neglected(self, t: Any) -> Any:
        """The truncation, as of a Taylor step."""
        return self.truncation

    def at(self, t: Any) -> tuple[Component, Moment]:
        """Who is active at time ``t`` and the state then, or at times (T,), which are then the first axis."""
        fitted, left = self.logistic.shares(t)
        residual = self.component.frame.target * np.asarray(left)[..., None]
        active, now = self._boosted(t)
        now = replace(now, residual=residual, log_residual=0 * residual)
        component = replace(self.component, active=active)
        if self.tilt is None:
            return component, now
        tilt, log_unit = self.tilt
        return component, self._tilted(now, log_unit, *tilt.at(fitted, left))

    def _boosted(self, t: Any) -> tuple[BoolArray, Moment]:
        """Who is active, and the neurons without their tilt, in the units of the start."""
        component, now = self.ledger.at(self.logistic.clock(t), self.start)
        gain = component.arithmetic.exp(now.log_scale)
        return component.active, replace(
            now,
            t=t,
            log_scale=self.start.log_scale + 0 * gain,
            alpha=now.alpha * gain,
            z=now.z * gain[..., None],
            log_off=now.log_off + self.start.log_scale,
        )

    def _tilted(self, now: Moment, log_unit: Any, tilt: Array, rest: Array) -> Moment:
        """The neurons tilted by ``tilt``/D, and ``rest`` as residual across the target, both (…, l) in the unit."""
        component, exp = self.component, self.component.arithmetic.exp
        across, sign = component.frame.off_axis, component.signs[0]
        residual, log_residual, angle = now.residual.copy(), now.log_residual.copy(), 0 * now.residual
        residual[..., across], log_residual[..., across] = sign * rest, log_unit
        angle[..., across] = tilt / (component.n * self.logistic.rate)
        own = np.where(component.lateral, now.off, 0 * now.off)
        push = np.where(component.lateral, now.alpha[..., None] * angle[..., None, :], 0 * now.off)
        top, shares = _common(own, now.log_off, push, now.log_scale + log_unit)
        off = own * exp(shares[0])[..., None] + push * exp(shares[1])[..., None]
        z = np.where(component.lateral, off * exp(top - now.log_scale)[..., None], now.z)
        return replace(now, z=z, off=off, log_off=top, residual=residual, log_residual=log_residual)

    def leave(self) -> tuple[Component, Moment]:
        """The component at the end."""
        return self.at(self.end)


def _common(one: Array, log_one: Array, two: Array, log_two: Array) -> tuple[Array, tuple[Array, Array]]:
    """A logarithm (…, k) of a unit for the sum of two vectors (…, k, b), and those of their own units over it."""
    first, second = (one != 0).any(axis=-1), (two != 0).any(axis=-1)
    top = np.where(first & (~second | (log_one >= log_two)), log_one, log_two)
    return top, (np.where(first, log_one - top, 0 * top), np.where(second, log_two - top, 0 * top))


def find_fit(component: Component, now: Moment, tolerance: Any) -> Fit | None:
    """The fit that starts now, or None when outputs count that are not of aligned neurons."""
    full: BoolArray = np.asarray(component.active.all(axis=1))
    logistic = _logistic(component, now, full) if full.any() and _one_way(component, now) else None
    if logistic is None or not _alone(component, now, logistic, tolerance):
        return None
    ledger, tilt = _ledger(component, now), None
    if not _aligned(ledger, full, tolerance):
        return None
    if component.frame.framed.any():
        mass = 2 * (now.log_scale - component.minus_log_lambda)
        tilt = tilt_of(ledger, mass, logistic.odds / (1 + logistic.odds), tolerance)
        if tilt is None:
            return None
    return Fit(component, now, ledger, logistic, tilt, logistic.when(tolerance / 2), 4 * tolerance)


def _one_way(component: Component, now: Moment) -> bool:
    """Whether every label pulls its neurons up, and all labels are of one block: then none of their pairs dies."""
    frame = component.frame
    one_block = len(component.y) == 1 or (frame.framed.all() and frame.axis.sum() == 1)
    return bool(one_block and not component.turning.any() and (push_of(component, now) > 0)[component.active].all())


def _ledger(component: Component, now: Moment) -> Ledger:
    """The stays from now on, time and growth of scales counted from now."""
    zero, scale = 0 * now.t, now.log_scale
    since = replace(now, t=zero, log_scale=0 * scale, log_off=now.log_off - scale)
    counted = replace(component, excess=component.scaled_excess(scale))
    return ledger_of(counted, since, np.zeros(len(component.y), dtype=bool))


def _logistic(component: Component, now: Moment, full: BoolArray) -> Logistic | None:
    """The logistic of the outputs of neurons that know all labels; None where they are not below half the labels."""
    size = abs(component.frame.target).max()
    outputs = (component.weight(now.log_scale) * now.alpha)[full] @ component.along_axes(now.z)[full]
    given = outputs[np.argmax(abs(component.frame.target))]
    if not 0 < given < size / 2:
        return None
    return Logistic(now.t, size / component.n, given / (size - given), component.arithmetic)


def _aligned(ledger: Ledger, full: BoolArray, tolerance: Any) -> bool:
    """Whether neurons that know all labels are balanced and point along the target.

    a = (plus + minus)/2 and |p| along it = (plus − minus)/2, so that (a² − |p|²)/a² is 4 minus/plus, and sin² is
    4|off|²/plus², to leading order.
    """
    rows, magnitude = ledger.rows, ledger.component.arithmetic.magnitude
    off = magnitude(rows.off).max(axis=1) + to_float(rows.log_off - rows.log_scale)
    largest = np.maximum(2 * (off - magnitude(rows.plus)), magnitude(rows.minus) - magnitude(rows.plus))
    return bool((largest[full] + np.log(4 * len(ledger.component.y)) < magnitude(tolerance)).all())


def _alone(component: Component, now: Moment, logistic: Logistic, tolerance: Any) -> bool:
    """Whether neurons that know only some of the labels have negligible outputs to the end."""
    magnitude, partial = component.arithmetic.magnitude, ~component.active.all(axis=1)
    size = np.where(component.active, component.y, 0 * component.y)
    growth = component.arithmetic.sqrt((size * size).sum(axis=1)) / component.n * logistic.last
    mass = (log_mass(component, now) + 2 * to_float(growth))[partial]
    level = magnitude(tolerance) + magnitude(component.y)
    return bool(missing_growth(mass, component.active[partial], np.ones(len(component.y), dtype=bool), level) > 0)
