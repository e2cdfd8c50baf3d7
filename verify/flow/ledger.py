"""The ledger of a plateau: all stays of its neurons between deactivations, and who is where at any time."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from verify.errors import SimulationFailed
from verify.flow.arithmetic import Array, to_float
from verify.flow.component import Component, Moment
from verify.flow.deaths import Deaths
from verify.flow.silence import MOST_TRIALS, Growth, missing_at, silent_until
from verify.flow.stay import Neurons, Pull, Rows
from verify.notation import BoolArray, FloatArray, IntArray

TOLD = 1e12
"""Exponents up to which floats tell outputs, to a thousandth."""
SHORTLY = 1 - 1e-9
"""Where an end lies beyond that: the share of the way after which floats begin again."""


class Outputs(NamedTuple):
    """Outputs as polynomials on panels of time: ``times`` and ``series`` as in :class:`.stay.Pull`."""

    times: FloatArray
    series: FloatArray


@dataclass(frozen=True, eq=False)
class Ledger:
    """Stays of all neurons of the ``component`` (k neurons, b labels), row by row; times of the arithmetic.

    Every neuron has at least one row, and its first begins when the plateau does.
    """

    component: Component
    pull: Pull
    rows: Rows

    @property
    def heard(self) -> bool:
        """Whether outputs count."""
        return len(self.pull.times) > 0

    @cached_property
    def first(self) -> IntArray:
        """(k,): the first row of each neuron."""
        return np.asarray(self.rows.neuron.searchsorted(np.arange(len(self.component.neurons))))

    @cached_property
    def last(self) -> IntArray:
        """(k,): the last row of each neuron."""
        return np.asarray(self.rows.neuron.searchsorted(np.arange(len(self.component.neurons)), "right") - 1)

    @cached_property
    def deaths(self) -> Deaths:
        """All deactivations: rows but the last of a neuron end with one."""
        ending = np.flatnonzero(self.rows.label >= 0)
        neurons, labels = self.component.neurons, self.component.labels
        found = Deaths(self.rows.start[ending + 1], neurons[self.rows.neuron[ending]], labels[self.rows.label[ending]])
        return Deaths.joined([found])

    @cached_property
    def end(self) -> Array:
        """(R,): when the stays end, infinite where they do not."""
        end = np.append(self.rows.start[1:], np.inf)
        end[self.last] = np.inf
        return end

    @cached_property
    def by_row(self) -> Component:
        """The component with a row in the place of a neuron."""
        who, component = self.rows.neuron, self.component
        return replace(
            component,
            neurons=component.neurons[who],
            signs=component.signs[who],
            excess=component.excess[who],
            active=self.rows.active,
        )

    def at(self, t: Any, residual: Moment) -> tuple[Component, Moment]:
        """Who is active at the times ``t`` (…) and the neurons then, with the residual of another moment."""
        component, rows = self.component, self.rows
        here = self.current(t)
        tau, which = np.asarray(t)[..., None] - rows.start[here], here.ravel()
        log_scale, alpha, z = component.arithmetic.advanced(rows, self.pull, which, tau.ravel())
        log_scale, z = log_scale.reshape(here.shape), z.reshape((*here.shape, -1))
        now = Moment(
            t=t,
            log_scale=log_scale,
            alpha=alpha.reshape(here.shape),
            z=z,
            off=z if self.heard else rows.off[here],
            log_off=log_scale if self.heard else rows.log_off[here],
            residual=residual.residual,
            log_residual=residual.log_residual,
        )
        return replace(component, active=rows.active[here]), now

    def current(self, t: Any) -> IntArray:
        """(…, k): the row of every neuron at the times ``t`` (…), its last one that has begun."""
        if len(self.first) == len(self.rows.start):
            return np.zeros((*np.shape(t), 1), dtype=np.int64) + self.first
        begun = to_float(np.asarray(t)[..., None] - self.rows.start) >= 0
        count = np.add.reduceat(begun, self.first, axis=-1, dtype=np.int64)
        return np.asarray(self.first + np.maximum(count, 1) - 1)

    @cached_property
    def growth(self) -> Growth:
        """What bounds the outputs of the neurons, with times since the first start."""
        return self._growth_from(self.rows.start[0])

    def _growth_from(self, t: Any) -> Growth:
        """The same with times since ``t``, where exponents are formed before they are rounded to floats."""
        rows, magnitude = self.rows, self.component.arithmetic.magnitude
        begun = np.maximum(t - rows.start, 0 * rows.start)
        scale, grown = rows.log_scale - self.component.minus_log_lambda, rows.rate * begun
        square = np.einsum("ri,ri->r", rows.off, rows.off)
        return Growth(
            neuron=rows.neuron,
            start=to_float(rows.start + begun - t),
            rate=to_float(rows.rate),
            plus=magnitude(rows.plus) + to_float(scale + grown),
            minus=magnitude(rows.minus) + to_float(scale - grown),
            still=magnitude(square) / 2 + to_float(rows.log_off - self.component.minus_log_lambda),
            active=rows.active,
        )

    def missing_growth(self, t: Any, fitted: BoolArray, level: FloatArray) -> float:
        """As :func:`.silence.missing_growth`, at time ``t``."""
        return float(missing_at(self._growth_from(t), 0.0, ~fitted, level)[0])

    def silent_until(self, fitted: BoolArray, level: FloatArray) -> Any:
        """Time at which the outputs of growing neurons reach their tolerance ``level`` (b,), approached from below.

        With digits, where exponents may be beyond what floats tell, again from shortly before what floats find.
        """
        t, growth, fastest = self.rows.start[0], self.growth, float(to_float(self.rows.rate).max())
        while True:
            length = silent_until(growth, ~fitted, level)
            if math.isnan(length):
                raise SimulationFailed(
                    f"the plateau that starts at t = {self.rows.start[0]} has no end within {MOST_TRIALS} trials: "
                    f"times or scales too far apart for {self.component.arithmetic.name} do this; ask for (more) digits"
                )
            if length == math.inf:
                return math.inf
            if not self.component.arithmetic.wide or length * fastest < TOLD:
                return t + length
            t = t + length * SHORTLY
            growth = self._growth_from(t)


def ledger_of(component: Component, now: Moment, fitted: BoolArray, outputs: Outputs | None = None) -> Ledger:
    """The stays from ``now`` on, under the labels as residual, 0 on those that are ``fitted`` (b,).

    ``outputs``: what is to be taken from the residual while they are under way; None where nothing is.
    """
    target = np.where(fitted, component.frame.target * 0, component.frame.target)
    frame, arithmetic = component.frame, component.arithmetic
    pull = Pull(
        natural=frame.to_labels(target),
        along=target,
        axes=frame.axes,
        block=frame.block,
        framed=frame.framed,
        off_axis=frame.off_axis,
        n=component.n,
        times=np.empty(0) if outputs is None else outputs.times,
        outputs=np.empty((0, 0, 0)) if outputs is None else outputs.series,
    )
    neurons = Neurons(
        now.log_scale, now.alpha, now.z, now.off, now.log_off, component.excess, component.signs, component.active
    )
    panels = 1 if outputs is None else len(outputs.series)
    room = panels * len(component.neurons) + int(component.active.sum())
    count, rows = arithmetic.boosted(now.t, neurons, pull, room, arithmetic.epsilon)
    return Ledger(component, pull, Rows(*(part[:count] for part in rows)))
