"""A Taylor step of a component: the state at any time of it, and what it leaves behind."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from verify.flow.arithmetic import Array
from verify.flow.classes import Carried, carried_along
from verify.flow.component import Component, Moment, split, switch_off
from verify.flow.deaths import NONE, Deaths
from verify.flow.polynomial import powers_of, values_at
from verify.flow.series import Law, Series
from verify.notation import FloatArray

KEPT_BYTES = 4_000_000
"""Coefficients of one step that take more than this are not kept, only computed again when they are asked for."""


@dataclass(frozen=True, eq=False)
class Step:
    """Taylor polynomials on [begin, end], in powers of (t − begin)/unit.

    - ``law`` (the gain for the time unit 1), ``alpha``, ``z``, ``residual``: what moves, at the begin, off-axis parts
      in units of e^``log_lateral``; the coefficients up to ``order`` follow (:mod:`verify.flow.series`).
    - ``carried``: the neurons of the ``component``, in units of e^``log_scale``, as what moves carries them along.
    - ``dying``: the pairs (neuron, label; positions in the component) that reach zero at ``end``.
    - ``truncation``: relative size of the first neglected term.
    """

    component: Component
    carried: Carried
    law: Law
    log_scale: Array
    log_lateral: float
    begin: Any
    alpha: Array
    z: Array
    residual: Array
    unit: Any
    order: int
    end: Any
    dying: tuple[tuple[int, int], ...]
    truncation: Any

    @property
    def deactivations(self) -> Deaths:
        """The deactivations at the end."""
        if not self.dying:
            return NONE
        (neurons, labels), component = np.array(self.dying).T, self.component
        times = np.full(len(neurons), self.end, dtype=component.arithmetic.dtype)
        return Deaths(times, component.neurons[neurons], component.labels[labels])

    def __len__(self) -> int:
        return 1

    @property
    def segments(self) -> tuple[Step]:
        """The step itself."""
        return (self,)

    def leave(self) -> list[tuple[Component, Moment]]:
        """The independent components at the end."""
        return leave_step(*self.at(self.end), self.dying)

    @property
    def series(self) -> Series:
        """The Taylor coefficients of what moves."""
        if "known" in self.__dict__:
            known: Series = self.__dict__["known"]
            return known
        return _expanded(self)

    def keep(self, series: Series) -> None:
        """Remember the coefficients, unless they are too many."""
        if self.component.arithmetic.bytes_of(series.a.size + 3 * series.z.size) <= KEPT_BYTES:
            self.__dict__["known"] = series

    @property
    def rate(self) -> float:
        """The rate that the step's unit of time stands for."""
        return float(1 / self.unit)

    @property
    def imbalance(self) -> Any:
        """What the first neglected terms do to α² − |z|², with α of order one: about twice α₀α_N − ⟨z₀, z_N⟩.

        For a neuron that points along its target α and z are the same series, and nothing is left.
        """
        first, last = (self._neurons(np.eye(self.order + 1)[p]) for p in (0, self.order))
        products = plain(self.component, first[1], self.log_lateral) * plain(self.component, last[1], self.log_lateral)
        terms = abs(first[0] * last[0] - products.sum(axis=1))
        return 2 * terms.max() * ((self.end - self.begin) / self.unit) ** self.order

    def neglected(self, t: Any) -> Any:
        """The truncation: a step is short, and its neglected terms are not told apart in time."""
        return self.truncation

    def at(self, t: Any) -> tuple[Component, Moment]:
        """Who is active on the step, and the state at time ``t``, or at times (T,), which are then the first axis."""
        powers = powers_of((t - self.begin) / self.unit, self.order + 1)
        residual = values_at(self.series.r[len(self.component.labels) :], powers)
        return self.component, self.moment(t, *self._neurons(powers), residual)

    def _neurons(self, powers: Array) -> tuple[Array, Array]:
        """α (…, k) and z (…, k, b) of the neurons, at the argument with the powers (…, size)."""
        series = self.series
        z = powers @ series.z
        spread = np.zeros((*z.shape[:-1], *series.column.shape), z.dtype)
        spread[..., series.neuron, series.coordinate] = z
        return carried_along(self.carried, powers @ series.a, spread)

    def moment(self, t: Any, alpha: Array, z: Array, residual: Array) -> Moment:
        """The state at a time of the step, from the neurons and the residual in its units."""
        return Moment(
            t=t,
            log_scale=self.log_scale,
            alpha=alpha,
            z=plain(self.component, z, self.log_lateral),
            off=z,
            log_off=self.log_scale + self.log_lateral,
            residual=residual,
            log_residual=np.where(self.component.frame.off_axis, self.log_lateral + 0 * residual, 0 * residual),
        )


@lru_cache(maxsize=2)
def _expanded(step: Step) -> Series:
    arithmetic, law = step.component.arithmetic, step.law._replace(gain=step.law.gain * step.unit)
    series: Series = arithmetic.started(law, step.alpha, step.z, step.residual, step.order + 1)
    arithmetic.extend(series, law, 0, step.order)
    step.keep(series)
    return series


def dying_with(component: Component, now: Moment, pair: tuple[int, int]) -> tuple[tuple[int, int], ...]:
    """The pair that was found to reach zero at the end of a step, and those that fall through it in the same instant,
    to rounding.

    ``now``: the state at the end of the step.
    """
    at_zero = np.asarray(component.at_labels(now.z) <= 16 * component.arithmetic.epsilon, dtype=bool)
    gone = component.active & at_zero & (push_of(component, now) < 0)
    gone[pair] = True
    return tuple((int(j), int(k)) for j, k in np.argwhere(gone))


def plain(component: Component, z: Array, log_lateral: float) -> Array:
    """Coordinates (…, k, b) with off-axis entries in the common unit."""
    if log_lateral == 0.0:
        return z
    return z * np.where(component.lateral, np.exp(log_lateral), 1.0)


def leave_step(component: Component, now: Moment, dying: tuple[tuple[int, int], ...]) -> list[tuple[Component, Moment]]:
    """The independent components at the end of a step, where it is as ``now`` says, with the ``dying`` pairs off."""
    return switch_off(component, now, dying) if dying else split(component, now)


def push_of(component: Component, now: Moment) -> FloatArray:
    """(k, b): the sign of s_j r_k."""
    sign = component.arithmetic.sign
    natural = component.frame.to_labels(now.plain_residual(component.arithmetic))
    return np.asarray(sign(component.signs)[:, None] * sign(natural))
