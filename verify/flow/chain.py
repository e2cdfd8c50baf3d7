"""A chain of Taylor steps that were taken in one compiled call, each of them made only when it is asked for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from verify.flow.balance import lateral_unit
from verify.flow.chase import Record, chase
from verify.flow.component import Component, Moment
from verify.flow.float64 import FLOAT64
from verify.flow.polynomial import bernstein_matrix
from verify.flow.step import Step, dying_with, in_units, law_of, leave_step, moment_of, normalised, take_step


@dataclass(frozen=True, eq=False)
class Chain:
    """Steps from ``start`` on, neurons in the same units throughout; ``record`` holds what they begin and end with."""

    component: Component
    start: Moment
    log_lateral: float
    record: Record

    def __len__(self) -> int:
        return len(self.record.end)

    @property
    def end(self) -> Any:
        """When the last step ends."""
        return float(self.record.end[-1])

    @property
    def dying(self) -> bool:
        """Whether the last step ends with a deactivation."""
        return bool(self.record.neuron[-1] >= 0)

    @property
    def deactivations(self) -> tuple[tuple[Any, int, int], ...]:
        """All deactivations, those in the instant of the end included."""
        record, component = self.record, self.component
        inner = np.flatnonzero(record.neuron[:-1] >= 0)
        neurons, labels = component.neurons[record.neuron[inner]], component.labels[record.label[inner]]
        before = zip(record.end[inner].tolist(), neurons.tolist(), labels.tolist(), strict=True)
        return (*before, *self._last[0].deactivations)

    @cached_property
    def segments(self) -> tuple[Step, ...]:
        """The steps."""
        return (*(self._step(i) for i in range(len(self) - 1)), self._last[0])

    def leave(self) -> list[tuple[Component, Moment]]:
        """The independent components at the end."""
        return leave_step(*self._last)

    @cached_property
    def _last(self) -> tuple[Step, Moment]:
        """The last step, with all pairs that die in the instant of its end, and the state there."""
        last = len(self) - 1
        step, record = self._step(last), self.record
        now = moment_of(step, step.end, record.alpha[-1], record.z[-1], record.residual[-1])
        return (replace(step, dying=dying_with(step, now)) if step.dying else step), now

    def _step(self, i: int) -> Step:
        record = self.record
        begin = self.start.t if i == 0 else float(record.end[i - 1])
        dying = ((int(record.neuron[i]), int(record.label[i])),) if record.neuron[i] >= 0 else ()
        step = Step(
            component=self._components[i],
            start=self.start,
            unit=float(record.unit[i]),
            log_lateral=self.log_lateral,
            order=int(record.order[i]),
            end=float(record.end[i]),
            dying=dying,
            truncation=float(record.truncation[i]),
        )
        return replace(step, start=moment_of(step, begin, record.alpha[i], record.z[i], record.residual[i]))

    @cached_property
    def _components(self) -> list[Component]:
        """The component as it is on each step."""
        out = [self.component]
        for neuron, label in zip(self.record.neuron[:-1].tolist(), self.record.label[:-1].tolist(), strict=True):
            component = out[-1]
            if neuron >= 0:
                active = component.active.copy()
                active[neuron, label] = False
                component = replace(component, active=active)
            out.append(component)
        return out


def follow(component: Component, now: Moment, tolerance: Any) -> Chain | Step:
    """From ``now`` up to where the component splits, or where something else may be to be decided."""
    if component.arithmetic is not FLOAT64 or component.turning.any():
        return take_step(component, now, tolerance)
    now = normalised(component, now)
    log_lateral = lateral_unit(component, now)
    count, record = chase(
        now.t,
        now.alpha,
        *in_units(component, now, log_lateral),
        law_of(component, now, 1.0, log_lateral),
        now.log_scale,
        component.scaled_excess(now.log_scale),
        component.y,
        component.frame.block,
        component.n,
        FLOAT64.order + 1,
        tolerance,
        FLOAT64.longest_decay,
        bernstein_matrix(FLOAT64.order + 1),
    )
    return Chain(component, now, log_lateral, record.of(count))
