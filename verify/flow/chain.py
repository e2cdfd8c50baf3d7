"""A chain of Taylor steps that were taken in one compiled call, each of them made only when it is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from verify.flow.chase import Record, chase
from verify.flow.classes import carried_along, leaders_of
from verify.flow.component import Component, Moment
from verify.flow.deaths import Deaths
from verify.flow.dense import evaluated, last_terms
from verify.flow.departure import first_step, normalised
from verify.flow.float64 import FLOAT64
from verify.flow.polynomial import bernstein_matrix
from verify.flow.single import take_step
from verify.flow.step import Step, dying_with, leave_step
from verify.notation import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Chain:
    """Steps from ``first`` on, neurons in the same units throughout; ``record`` holds what they begin and end with."""

    first: Step
    record: Record

    def __len__(self) -> int:
        return len(self.record.end)

    @property
    def component(self) -> Component:
        """Who takes part, as it is at the begin."""
        return self.first.component

    @property
    def begin(self) -> Any:
        """Start time."""
        return self.first.begin

    @property
    def end(self) -> Any:
        """When the last step ends."""
        return float(self.record.end[-1])

    @property
    def dying(self) -> bool:
        """Whether the last step ends with a deactivation."""
        return bool(self.record.neuron[-1] >= 0)

    @property
    def deactivations(self) -> Deaths:
        """All deactivations, those in the instant of the end included."""
        record, component = self.record, self.component
        inner = np.flatnonzero(record.neuron[:-1] >= 0)
        neurons, labels = component.neurons[record.neuron[inner]], component.labels[record.label[inner]]
        return Deaths.joined([Deaths(record.end[inner], neurons, labels), self._made(len(self) - 1).deactivations])

    @cached_property
    def segments(self) -> tuple[Step, ...]:
        """The steps."""
        return tuple(self._made(i) for i in range(len(self)))

    @cached_property
    def begins(self) -> FloatArray:
        """(steps,): when each step begins; ``record.end`` is when it ends."""
        return np.concatenate([[self.begin], self.record.end[:-1]])

    def at(self, t: Any) -> tuple[Component, Moment]:
        """Who is active at time ``t``, or at sorted times (T,), which are then the first axis, and the states then.

        Where one step ends and another begins, it is the later one that counts.
        """
        if np.ndim(t) == 0:
            return self._at_one(t)
        step = np.minimum(np.searchsorted(self.record.end, t, "right"), len(self) - 1)
        x = (t - self.begins[step]) / self.record.unit[step]
        return self._moment(t, self._during(step), evaluated(self.record, self.first.law, *self._channels, step, x))

    def _at_one(self, t: float) -> tuple[Component, Moment]:
        """As :meth:`at`, at one time: only the step it lies on is looked at."""
        i = min(int(self.record.end.searchsorted(t, "right")), len(self) - 1)
        component, x = self._component(i), (t - self.begins[i]) / self.record.unit[i]
        channels = component.channel[None, leaders_of(self.first.carried.classes)]
        which = np.zeros(len(self), dtype=np.int64)
        moved = evaluated(self.record, self.first.law, channels, which, np.array([i]), np.array([x]))
        return self._moment(t, component, [part[0] for part in moved])

    def _during(self, step: IntArray) -> Component:
        """The component on the steps (T,), which are the first axis of who is active."""
        return replace(self.component, active=self._active[self._deaths_before[step]])

    def _moment(self, t: Any, component: Component, moved: Sequence[Any]) -> tuple[Component, Moment]:
        """The component as given, and its state, from what moves and the residual."""
        alpha, z, residual = moved
        neurons = carried_along(self.first.carried, alpha, z)
        return component, replace(self.first, component=component).moment(t, *neurons, residual)

    @cached_property
    def imbalance(self) -> float:
        """The sum of what the steps neglect of α² − |z|², relative to α²: see :attr:`.step.Step.imbalance`."""
        record, steps = self.record, np.arange(len(self))
        there, (alpha, z, residual) = self._during(steps), (part[:-1] for part in record[:3])
        first = self._moment(self.begins, there, (alpha, z, residual))[1]
        last = self._moment(self.begins, there, (*last_terms(record, self.first.law, *self._channels), residual))[1]
        terms = np.abs(first.alpha * last.alpha - (first.z * last.z).sum(axis=-1)).max(axis=-1)
        return float((2 * terms * record.length**record.order).sum())

    @cached_property
    def _deaths_before(self) -> IntArray:
        """(steps,): how many pairs have died before each step."""
        return np.concatenate([[0], np.cumsum(self.record.neuron[:-1] >= 0)])

    @cached_property
    def _active(self) -> BoolArray:
        """(D + 1, k, b): who is active after each of the D deactivations on the way."""
        died = np.flatnonzero(self.record.neuron[:-1] >= 0)
        active = np.repeat(self.component.active[None], len(died) + 1, axis=0)
        for i, step in enumerate(died):
            active[i + 1 :, self.record.neuron[step], self.record.label[step]] = False
        return active

    @cached_property
    def _channels(self) -> tuple[IntArray, IntArray]:
        """What drives what moves after each deactivation, and how many there were before each step."""
        channel = replace(self.component, active=self._active).channel
        leaders = leaders_of(self.first.carried.classes)
        return np.ascontiguousarray(channel[:, leaders]), self._deaths_before

    def leave(self) -> list[tuple[Component, Moment]]:
        """The independent components at the end."""
        return leave_step(*self._last, self._dying)

    @cached_property
    def _last(self) -> tuple[Component, Moment]:
        """The component as it is on the last step, and its state at the end of that."""
        return self._moment(self.end, self._component(len(self) - 1), [part[-1] for part in self.record[:3]])

    @cached_property
    def _dying(self) -> tuple[tuple[int, int], ...]:
        """All pairs that die in the instant of the end."""
        return dying_with(*self._last, self._pair(len(self) - 1)) if self.dying else ()

    def _pair(self, i: int) -> tuple[int, int]:
        """The pair whose death ends step i."""
        return int(self.record.neuron[i]), int(self.record.label[i])

    def _made(self, i: int) -> Step:
        """Step i, made once."""
        if i not in self._known:
            self._known[i] = self._step(i)
        return self._known[i]

    @cached_property
    def _known(self) -> dict[int, Step]:
        """The steps made so far."""
        return {}

    @cached_property
    def _components(self) -> dict[int, Component]:
        """The components made so far, by how many pairs have died."""
        return {0: self.component}

    def _step(self, i: int) -> Step:
        record, component = self.record, self._component(i)
        return replace(
            self.first,
            component=component,
            law=self.first.law._replace(channel=component.channel[leaders_of(self.first.carried.classes)]),
            begin=self.begin if i == 0 else float(record.end[i - 1]),
            alpha=record.alpha[i],
            z=record.z[i],
            residual=record.residual[i],
            unit=float(record.unit[i]),
            order=int(record.order[i]),
            end=float(record.end[i]),
            dying=self._dying if i == len(self) - 1 else (self._pair(i),) if record.neuron[i] >= 0 else (),
            truncation=float(record.truncation[i]),
        )

    def _component(self, i: int) -> Component:
        """The component as it is on step i: without the pairs that died before."""
        died = np.flatnonzero(self.record.neuron[:i] >= 0)
        if len(died) not in self._components:
            active = self.component.active.copy()
            active[self.record.neuron[died], self.record.label[died]] = False
            self._components[len(died)] = replace(self.component, active=active)
        return self._components[len(died)]


def follow(component: Component, now: Moment, tolerance: Any) -> Chain | Step:
    """From ``now`` up to where the component splits, or where something else may be to be decided."""
    if component.arithmetic is not FLOAT64 or component.turning.any():
        return take_step(component, now, tolerance)
    now = normalised(component, now)
    first = first_step(component, now, FLOAT64.order, 1.0)
    count, record = chase(
        first.begin,
        first.alpha,
        first.z,
        first.residual,
        first.law,
        first.carried,
        component.scaled_excess(now.log_scale)[first.carried.classes.own],
        component.y,
        component.frame.block,
        component.n,
        FLOAT64.order + 1,
        tolerance,
        FLOAT64.longest_decay,
        bernstein_matrix(FLOAT64.order + 1),
    )
    return Chain(first, record.of(count))
