"""The record of a simulation: dense output at every time, deactivations, error estimate, provenance."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import pandas as pd

from verify.errors import InvalidArgument
from verify.flow.arithmetic import Arithmetic, Array
from verify.flow.assembly import Piece, assemble
from verify.flow.boost import to_float
from verify.flow.component import Component, Moment
from verify.flow.constants import Constants, constants_of
from verify.flow.plateau import Plateau
from verify.flow.state import State
from verify.notation import FloatArray
from verify.problem import Problem

TURNS = np.array([0.1, 0.3, 1.0, 3.0, 10.0])
"""Times after the begin of a plateau, in units of the fastest rate's inverse, at which it is looked at."""

REST = 1e-30
"""A label is at rest when its residual is below this fraction of it."""


class Segment(Protocol):
    """A stretch of one component's time: a plateau or a Taylor step."""

    @property
    def component(self) -> Component: ...
    @property
    def start(self) -> Moment: ...
    @property
    def begin(self) -> Any: ...
    @property
    def end(self) -> Any: ...
    @property
    def deactivations(self) -> tuple[tuple[Any, int, int], ...]: ...
    @property
    def truncation(self) -> float: ...
    @property
    def rate(self) -> float:
        """The fastest rate of the segment."""

    def at(self, t: Any) -> tuple[Component, Moment]:
        """Who is active at ``t`` and the state then; times (T,) become the first axis of all that depends on them."""


@dataclass(frozen=True)
class Trajectory:
    """A simulated gradient flow on [0, t_end].

    - ``problem``: what was simulated. ``segments``: plateaus and Taylor steps of all components, by start time.
    - ``arithmetic``, ``rtol``: how. ``until``: the end that was asked for, or None.

    ``at(t)`` works for every t in [0, t_end], to the accuracy of the trajectory itself.
    """

    problem: Problem
    segments: tuple[Segment, ...]
    arithmetic: Arithmetic
    rtol: float
    until: float | None

    @cached_property
    def t_end(self) -> Any:
        """Last time: ``until``, or when every component has come to rest."""
        if self.until is not None:
            return self.until
        return max(_rest_time(segment) if segment.end == math.inf else segment.end for segment in self.segments)

    def extended(self, until: float) -> Trajectory:
        """The same flow up to a later time; nothing has to be computed, since all components rest.

        Raises ``InvalidArgument`` when some component does not rest yet: simulate again with ``until=``.
        """
        reached = max((float(s.end) for s in self.segments if s.end != math.inf), default=0.0)
        if self.until is not None and until > self.until and reached >= self.until:
            raise InvalidArgument(f"until = {until} lies beyond t = {self.until}, where the flow is still moving")
        return replace(self, until=until)

    @cached_property
    def deactivations(self) -> pd.DataFrame:
        """Columns t, neuron, label: when each p_jk that dies reaches 0, in order of time."""
        types = {"t": self.arithmetic.dtype, "neuron": int, "label": int}
        return pd.DataFrame(self._events, columns=["t", "neuron", "label"]).astype(types)

    @cached_property
    def _events(self) -> list[tuple[Any, int, int]]:
        events = [event for segment in self.segments for event in segment.deactivations if event[0] <= self.t_end]
        return sorted(events, key=lambda event: event[0])

    @cached_property
    def error(self) -> float:
        """Estimated error of log-norms and directions (absolute) and residuals (relative to the label).

        Rounding of times and log-scales, which reach Λ in size, plus what every Taylor step adds.
        """
        scale = abs(float(self.problem.initialisation.minus_log_lambda))
        return self.local_error + 2 * self.arithmetic.epsilon * (scale + self._longest)

    @cached_property
    def _longest(self) -> float:
        """Largest time in units of the rate at which the component then moves."""
        out = 0.0
        for segment in self.segments:
            last = segment.end if segment.end != math.inf else segment.begin
            out = max(out, float(last) * segment.rate)
        return out

    @cached_property
    def local_error(self) -> float:
        """What rounding and truncation add up to in quantities that do not feel the length of the plateaus."""
        steps = [segment for segment in self.segments if segment.end != math.inf]
        rounding = self.arithmetic.epsilon * (8 + 4 * len(steps))
        return float(rounding + sum(segment.truncation for segment in steps))

    @cached_property
    def fastest(self) -> float:
        """‖y‖/n, the largest rate at which a neuron can grow while outputs are small."""
        dataset = self.problem.dataset
        return float(np.linalg.norm(dataset.y)) / dataset.n

    @cached_property
    def nodes(self) -> FloatArray:
        """Sorted times between which every component moves smoothly, from 0 to t_end.

        Ends of segments, deactivations, and a few times after the begin of each plateau, where neurons turn.
        """
        times = {0.0, float(self.t_end)}
        for segment in self.segments:
            times.update(float(t) for t in (segment.begin, segment.end) if 0 <= t <= self.t_end)
            if isinstance(segment, Plateau):
                turns = float(segment.begin) + TURNS / self.fastest
                times.update(float(t) for t in turns if t < min(float(segment.end), float(self.t_end)))
        times.update(float(t) for t, _, _ in self._events)
        return np.array(sorted(times))

    @cached_property
    def _spans(self) -> tuple[FloatArray, FloatArray]:
        begins = np.array([float(segment.begin) for segment in self.segments])
        ends = np.array([float(segment.end) for segment in self.segments])
        return begins, ends

    @cached_property
    def _constants(self) -> Constants:
        return constants_of(self.problem, self.arithmetic)

    def at(self, t: Any) -> State:
        """The state at time ``t``.

        Raises ``InvalidArgument`` for a time outside [0, t_end] or not a number.
        """
        if not 0 <= t <= self.t_end:
            raise InvalidArgument(self._outside(t))
        begins, ends = self._spans
        covering = np.flatnonzero((begins <= float(t)) & (float(t) <= ends))
        return self._assembled(t, [(..., *self.segments[i].at(t)) for i in covering])

    def along(self, times: Any) -> State:
        """The states at many times (T,), in any order, as one: its arrays have the times as their first axis.

        Each is what :meth:`at` says, to rounding. Raises ``InvalidArgument`` for a time outside [0, t_end] or not a
        number, and for anything but a list of times.
        """
        times = np.asarray(times, dtype=self.arithmetic.dtype)
        if times.ndim != 1:
            raise InvalidArgument(f"times has shape {times.shape}; it must be a list of times (T,)")
        wrong = times[~((times >= 0) & (times <= self.t_end))]
        if len(wrong):
            raise InvalidArgument(self._outside(wrong[0]))
        order = np.argsort(to_float(times), kind="stable")
        states = self._along_sorted(times[order])
        return states if (order[1:] > order[:-1]).all() else states[np.argsort(order)]

    def _along_sorted(self, times: Array) -> State:
        begins, ends = self._spans
        first, last = np.searchsorted(to_float(times), begins), np.searchsorted(to_float(times), ends, "right")
        spans = [(i, slice(first[i], last[i])) for i in np.flatnonzero(first < last)]
        return self._assembled(times, [(span, *self.segments[i].at(times[span])) for i, span in spans])

    def _assembled(self, t: Any, pieces: list[Piece]) -> State:
        return assemble(self.problem, self.arithmetic, self._constants, t, pieces)

    def _outside(self, t: Any) -> str:
        return f"t = {t!r} must lie in [0, t_end] = [0, {self.t_end}]; simulate further with until="

    def to_frame(self, times: Iterable[float]) -> pd.DataFrame:
        """One row a time: t, loss, residual_k, log_norm_j."""
        rows = []
        for t in times:
            state = self.at(t)
            row: dict[str, Any] = {"t": t, "loss": state.loss}
            row |= {f"residual_{k}": value for k, value in enumerate(state.residual)}
            row |= {f"log_norm_{j}": value for j, value in enumerate(state.log_norms)}
            rows.append(row)
        return pd.DataFrame(rows)


def _rest_time(segment: Segment) -> Any:
    """When the last moving part of a component has come to rest."""
    last = max((event[0] for event in segment.deactivations), default=segment.begin)
    if not isinstance(segment, Plateau) or not segment.fitted.any():
        return last
    return max(last, segment.fitted_below(REST))
