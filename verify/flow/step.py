"""One Taylor step of a component: how long it may be, what it ends with, and which pair dies first on the way."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from verify.flow.arithmetic import Array
from verify.flow.balance import lateral_coordinates, lateral_unit, residual_in_unit
from verify.flow.chase import chase
from verify.flow.component import Component, Moment, switch_off
from verify.flow.float64 import FLOAT64
from verify.flow.polynomial import bernstein_matrix, powers_of, values_at

KEPT_BYTES = 4_000_000
"""Coefficients of one step that take more than this are not kept, only computed again when they are asked for."""


@dataclass(frozen=True, eq=False)
class Step:
    """Taylor polynomials on [start.t, end], in powers of (t − start.t)/unit.

    Their coefficients (:func:`verify.flow.series.extend`) follow from the start; those off the axis are in units of
    e^``log_lateral``.
    ``dying``: the pairs (neuron, label; positions in the component) that reach zero at ``end``.
    ``truncation``: relative size of the first neglected term.
    """

    component: Component
    start: Moment
    unit: Any
    log_lateral: float
    end: Any
    dying: tuple[tuple[int, int], ...]
    truncation: Any

    @property
    def begin(self) -> Any:
        """Start time."""
        return self.start.t

    @property
    def deactivations(self) -> tuple[tuple[Any, int, int], ...]:
        """The deactivations at the end."""
        component = self.component
        return tuple((self.end, int(component.neurons[j]), int(component.labels[k])) for j, k in self.dying)

    @property
    def coefficients(self) -> tuple[Array, Array, Array]:
        """``a`` (k, N+1), ``z`` (k, b, N+1), ``r`` (2b, N+1)."""
        if "known" in self.__dict__:
            known: tuple[Array, Array, Array] = self.__dict__["known"]
            return known
        return _recomputed(self)

    def keep(self, a: Array, z: Array, r: Array) -> None:
        """Remember the coefficients, unless they are too many."""
        if self.component.arithmetic.bytes_of(z.size + a.size + r.size) <= KEPT_BYTES:
            self.__dict__["known"] = (a, z, r)

    @property
    def rate(self) -> float:
        """The rate that the step's unit of time stands for."""
        return float(1 / self.unit)

    @property
    def imbalance(self) -> Any:
        """What the first neglected terms do to α² − |z|², with α of order one: about twice α₀α_N − ⟨z₀, z_N⟩.

        For a neuron that points along its target α and z are the same series, and nothing is left.
        """
        a, z, _ = self.coefficients
        last = a.shape[1] - 1
        first_z, last_z = (_plain(self.component, z[:, :, order], self.log_lateral) for order in (0, last))
        terms = abs(a[:, 0] * a[:, last] - (first_z * last_z).sum(axis=1))
        return 2 * terms.max() * ((self.end - self.start.t) / self.unit) ** last

    def neglected(self, t: Any) -> Any:
        """The truncation: a step is short, and its neglected terms are not told apart in time."""
        return self.truncation

    def at(self, t: Any) -> tuple[Component, Moment]:
        """Who is active on the step, and the state at time ``t``, or at times (T,), which are then the first axis."""
        component, log_scale = self.component, self.start.log_scale
        a, z, r = self.coefficients
        powers = powers_of((t - self.start.t) / self.unit, a.shape[1])
        z, residual = values_at(z, powers), values_at(r[len(component.labels) :], powers)
        now = Moment(
            t=t,
            log_scale=log_scale,
            alpha=values_at(a, powers),
            z=_plain(component, z, self.log_lateral),
            off=z,
            log_off=log_scale + self.log_lateral,
            residual=residual,
            log_residual=np.where(component.frame.off_axis, self.log_lateral + 0 * residual, 0 * residual),
        )
        return component, now


@lru_cache(maxsize=2)
def _recomputed(step: Step) -> tuple[Array, Array, Array]:
    coefficients = _coefficients(step.component, step.start, step.unit, step.log_lateral)
    step.keep(*coefficients)
    return coefficients


def take_steps(component: Component, now: Moment, tolerance: Any) -> list[Step]:
    """Steps from ``now`` up to one whose end splits the component, or at which something else may be to be decided."""
    if component.arithmetic is not FLOAT64 or component.turning.any():
        return [take_step(component, now, tolerance)]
    now, frame = _normalised(component, now), component.frame
    log_lateral = lateral_unit(component, now)
    alphas, zs, residuals, numbers, pairs, *coefficients = chase(
        now.t,
        now.alpha,
        np.where(component.lateral, lateral_coordinates(component, now, log_lateral), now.z),
        residual_in_unit(component, now, log_lateral),
        component.channel,
        component.signs,
        component.weight(now.log_scale),
        component.weight(now.log_scale, log_lateral),
        np.exp([log_lateral]),
        component.scaled_excess(now.log_scale),
        component.y,
        frame.axes,
        frame.framed,
        frame.off_axis,
        frame.block,
        component.n,
        FLOAT64.order + 1,
        tolerance,
        FLOAT64.longest_decay,
        bernstein_matrix(FLOAT64.order + 1),
    )
    steps, t = [], now.t
    log_off, log_residual = now.log_scale + log_lateral, np.where(frame.off_axis, log_lateral, 0.0)
    rows = zip(alphas, zs, residuals, numbers, pairs, strict=True)
    for alpha, z, residual, (unit, length, truncation), (neuron, label) in rows:
        z_plain = _plain(component, z, log_lateral)
        start = Moment(t, now.log_scale, alpha, z_plain, z, log_off, residual, log_residual)
        dying = ((int(neuron), int(label)),) if neuron >= 0 else ()
        t = t + unit * length
        steps.append(Step(component, start, unit, log_lateral, t, dying, truncation))
        if dying:
            active = component.active.copy()
            active[dying[0]] = False
            component = replace(component, active=active)
    known = list(zip(*coefficients, strict=True))
    for step, series in zip(steps[-len(known) : -1], known[:-1], strict=True):
        step.keep(*series)
    return [*steps[:-1], _closed(steps[-1], *known[-1])]


def _closed(step: Step, a: Array, z: Array, r: Array) -> Step:
    """The step with its coefficients, and with all pairs that die in the instant of its end."""
    if step.dying:
        length = (step.end - step.start.t) / step.unit
        step = replace(step, dying=_dying(step, z, r, length))
    step.keep(a, z, r)
    return step


def take_step(component: Component, now: Moment, tolerance: Any) -> Step:
    """The longest step from ``now`` whose neglected terms stay below ``tolerance``, cut at the first deactivation."""
    frame, arithmetic = component.frame, component.arithmetic
    now = _normalised(component, now)
    unit = 1 / _fastest(component, now)
    log_lateral = lateral_unit(component, now)
    a, z, r = _coefficients(component, now, unit, log_lateral)
    length, truncation = _length(component, a, z, r, tolerance)
    length = arithmetic.number(length)
    length, neuron, label = arithmetic.first_crossing(
        a,
        z,
        r,
        component.channel,
        component.turning,
        frame.axes,
        frame.off_axis,
        arithmetic.exp(arithmetic.array([log_lateral])),
        bernstein_matrix(a.shape[1]),
        length,
    )
    dying = ((int(neuron), int(label)),) if neuron >= 0 else ()
    step = Step(component, now, unit, log_lateral, now.t + unit * length, dying, truncation)
    return _closed(step, a, z, r)


def _dying(step: Step, z: Array, r: Array, length: Any) -> tuple[tuple[int, int], ...]:
    """The pair that was found to reach zero, and those that fall through it in the same instant, to rounding."""
    component, powers = step.component, powers_of(length, z.shape[2])
    arithmetic = component.arithmetic
    at_labels = component.at_labels(_plain(component, z @ powers, step.log_lateral))
    push = arithmetic.sign(component.signs)[:, None] * arithmetic.sign(r[: len(component.labels)] @ powers)
    gone = component.active & np.asarray(at_labels <= 16 * arithmetic.epsilon, dtype=bool) & (push < 0)
    gone[step.dying[0]] = True
    return tuple((int(j), int(k)) for j, k in np.argwhere(gone))


def _plain(component: Component, z: Array, log_lateral: float) -> Array:
    """Coordinates (…, k, b) with off-axis entries in the common unit."""
    if log_lateral == 0.0:
        return z
    return z * np.where(component.lateral, np.exp(log_lateral), 1.0)


def finish(step: Step) -> list[tuple[Component, Moment]]:
    """The independent components at the end of the step, with the pair that died switched off."""
    component, now = step.at(step.end)
    return switch_off(component, now, step.dying) if step.dying else [(component, now)]


def _normalised(component: Component, now: Moment) -> Moment:
    """The moment with scales such that α and z are of order one, and with α² − |p|² what it was at the start.

    The scale may be as large as Λ; what it moves by after rounding is what α and z are divided by, so that the outputs
    stay what they were. Without the second a neuron that shrinks along with its coordinates would lose all digits:
    rounding excites the growing mode beside it. Neurons whose α can change sign are left alone.
    """
    size = component.arithmetic.sqrt(now.alpha * now.alpha + (now.z * now.z).sum(axis=1))
    scale = now.log_scale + component.arithmetic.log(size)
    shrink = component.arithmetic.exp(now.log_scale - scale)
    z = now.z * shrink[:, None]
    alpha = component.arithmetic.sqrt(abs((z * z).sum(axis=1) + component.scaled_excess(scale)))
    return replace(now, log_scale=scale, alpha=np.where(component.turning, now.alpha * shrink, alpha), z=z)


def _fastest(component: Component, now: Moment) -> Any:
    """A rate that bounds the growth of every neuron and the decay of the residual."""
    weight = component.weight(now.log_scale)
    mass = ((weight * now.alpha * now.alpha) @ component.active).max()
    spread = (weight * (now.z * now.z).sum(axis=1)).sum()
    growth = abs(now.plain_residual(component.arithmetic)).sum()
    return (mass + spread + growth) / component.n


def _coefficients(component: Component, now: Moment, unit: Any, log_lateral: float) -> tuple[Array, Array, Array]:
    arithmetic, frame = component.arithmetic, component.frame
    k, b = now.z.shape
    size = arithmetic.order + 1
    a, z, r = arithmetic.zeros((k, size)), arithmetic.zeros((k, b, size)), arithmetic.zeros((2 * b, size))
    a[:, 0] = now.alpha
    z[:, :, 0] = np.where(component.lateral, lateral_coordinates(component, now, log_lateral), now.z)
    r[:b, 0] = frame.to_labels(now.plain_residual(arithmetic))
    r[b:, 0] = residual_in_unit(component, now, log_lateral)
    weight = component.signs * component.weight(now.log_scale)
    sideways = component.signs * component.weight(now.log_scale, log_lateral)
    gain = component.signs * (unit / component.n)
    lateral = arithmetic.exp(arithmetic.array([log_lateral]))
    arithmetic.extend(
        a, z, r, component.channel, gain, weight, sideways, frame.axes, frame.framed, frame.off_axis, lateral
    )
    return a, z, r


def _length(component: Component, a: Array, z: Array, r: Array, tolerance: Any) -> tuple[float, Any]:
    """Step length in time units, and the relative size of the first neglected term at its end.

    Neurons, their off-axis parts, and the residual along and off the axes are each held to their own size: the last
    two terms must stay below the tolerance times one of the first three.
    """
    last = a.shape[1] - 1
    orders = np.array([0, 1, 2, last - 1, last])
    k, b = component.active.shape
    largest = component.arithmetic.zeros((2 * k + b + 2, len(orders)))
    frame = component.frame
    component.arithmetic.sizes(a, z, r, orders, component.channel, frame.off_axis, frame.block, largest)
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
