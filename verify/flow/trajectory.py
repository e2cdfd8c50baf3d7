"""The record of a simulation: dense output at every time, deactivations, error estimate, provenance."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from verify.errors import InvalidArgument
from verify.flow.arithmetic import Arithmetic, Array, in_context
from verify.flow.assembly import assemble, concatenated, exported
from verify.flow.chain import Chain
from verify.flow.constants import Constants, constants_of
from verify.flow.deaths import Deaths
from verify.flow.estimate import Estimate, Stretch
from verify.flow.fit import Fit
from verify.flow.multiprecision import mpmath_twin
from verify.flow.plateau import Plateau
from verify.flow.segment import Segment
from verify.flow.state import State
from verify.notation import FloatArray
from verify.problem import Problem

TURNS = np.array([0.1, 0.3, 1.0, 3.0, 10.0])
"""Times after the begin of a plateau, in units of the fastest rate's inverse, at which it is looked at."""

PAIRS = 2**22
"""So many pairs (time, neuron, label) at most are worked on at once."""

REST = 1e-30
"""A label is at rest when its residual is below this fraction of it."""


@dataclass(frozen=True)
class Trajectory:
    """A simulated gradient flow on [0, t_end].

    - ``problem``: what was simulated. ``stretches``: plateaus, fits and chains of Taylor steps of all components.
    - ``arithmetic``, ``rtol``: how. ``until``: the end that was asked for, or None.

    ``at(t)`` works for every t in [0, t_end], to the accuracy of the trajectory itself.
    """

    problem: Problem
    stretches: tuple[Stretch, ...]
    arithmetic: Arithmetic
    rtol: Any
    until: Any

    @cached_property
    @in_context
    def segments(self) -> tuple[Segment, ...]:
        """Plateaus, fits and Taylor steps, the parts of the dense output."""
        return tuple(segment for stretch in self.stretches for segment in stretch.segments)

    @cached_property
    @in_context
    def t_end(self) -> Any:
        """Last time: ``until``, or when every component has come to rest."""
        return self.arithmetic.export(self.last)

    @cached_property
    @in_context
    def last(self) -> Any:
        """``t_end`` as a number of the trajectory's own arithmetic."""
        if self.until is not None:
            return self.until
        return max(_rest_time(stretch) if stretch.end == math.inf else stretch.end for stretch in self.stretches)

    @in_context
    def extended(self, until: float) -> Trajectory:
        """The same flow up to a later time; nothing has to be computed, since all components rest.

        Raises ``InvalidArgument`` when some component does not rest yet: simulate again with ``until=``.
        """
        reached = max((float(s.end) for s in self.stretches if s.end != math.inf), default=0.0)
        if self.until is not None and until > self.until and reached >= self.until:
            raise InvalidArgument(f"until = {until} lies beyond t = {self.until}, where the flow is still moving")
        return replace(self, until=self.arithmetic.number(until))

    @cached_property
    @in_context
    def deactivations(self) -> pd.DataFrame:
        """Columns t, neuron, label: when each p_jk that dies reaches 0, in order of time."""
        found = self._deaths
        frame = pd.DataFrame({"t": found.t, "neuron": found.neuron, "label": found.label})
        return frame.assign(t=self.arithmetic.export(found.t)).astype({"t": self.arithmetic.dtype})

    @cached_property
    def estimate(self) -> Estimate:
        """What the trajectory may be off by, at any time."""
        return Estimate(self.stretches, self.arithmetic, self.problem.initialisation.minus_log_lambda)

    @cached_property
    @in_context
    def _deaths(self) -> Deaths:
        return Deaths.joined(stretch.deactivations for stretch in self.stretches).until(self.last)

    @cached_property
    @in_context
    def error(self) -> Any:
        """Estimated error of log-norms and directions (absolute) and residuals (relative to the label).

        Rounding of times and log-scales, which reach Λ in size, plus what every Taylor step adds.
        """
        return self.arithmetic.export(self.estimate.log_norm())

    @cached_property
    @in_context
    def local_error(self) -> Any:
        """What rounding and truncation add up to in quantities that do not feel the length of the plateaus."""
        return self.arithmetic.export(self.estimate.local())

    @cached_property
    def fastest(self) -> float:
        """‖y‖/n, the largest rate at which a neuron can grow while outputs are small."""
        dataset = self.problem.dataset
        return float(np.linalg.norm(dataset.y)) / dataset.n

    @cached_property
    @in_context
    def nodes(self) -> FloatArray:
        """Sorted times between which every component moves smoothly, from 0 to t_end.

        Ends of segments, deactivations, places within a fit, and a few times after the begin of each plateau, where
        neurons turn.
        """
        last = float(self.last)
        times = [np.array([0.0, last]), np.asarray(self._deaths.t, dtype=np.float64)]
        for stretch in self.stretches:
            ends = _ends(stretch)
            times.append(ends[ends <= self.last])
            if isinstance(stretch, Plateau):
                turns = float(stretch.begin) + TURNS / self.fastest
                times.append(turns[turns < min(float(stretch.end), last)])
        return np.unique(np.concatenate(times))

    @cached_property
    def _spans(self) -> tuple[Array, Array]:
        """Where stretches begin and end."""
        begins = np.array([stretch.begin for stretch in self.stretches], dtype=self.arithmetic.dtype)
        return begins, np.array([stretch.end for stretch in self.stretches], dtype=self.arithmetic.dtype)

    @cached_property
    @in_context
    def _constants(self) -> Constants:
        return constants_of(self.problem, self.arithmetic)

    @cached_property
    def _shown(self) -> tuple[Arithmetic, Constants]:
        """The arithmetic of the numbers that users see, and the constants in it."""
        shown = mpmath_twin(self.arithmetic)
        with shown.context():
            return shown, constants_of(self.problem, shown)

    @in_context
    def at(self, t: Any) -> State:
        """The state at time ``t``; with digits, ``t`` may be a float or an mpmath number, and mpmath numbers come back.

        Raises ``InvalidArgument`` for a time outside [0, t_end] or not a number.
        """
        state = self.raw(t)
        return exported(state, *self._shown, self.arithmetic.export) if self.arithmetic.wide else state

    @in_context
    def raw(self, t: Any) -> State:
        """As :meth:`at`, in the trajectory's own arithmetic, within whose context it is to be used."""
        time = self._time(t)
        here = [s for s in self.stretches if s.begin <= time and (time < s.end or not s.end < self.last)]
        pieces = [(..., *stretch.at(time)) for stretch in here]
        return assemble(self.problem, self.arithmetic, self._constants, time, pieces)

    @cached_property
    @in_context
    def _latest(self) -> Any:
        """The end, or the float nearest to it: with digits that may lie beyond it by its rounding."""
        return max(self.last, self.arithmetic.number(float(self.last)))

    def _time(self, t: Any) -> Any:
        try:
            time = self.arithmetic.number(t)
        except (TypeError, ValueError):
            raise InvalidArgument(self._outside(t)) from None
        if not (time >= 0 and (time <= self._begun or time <= self._latest)):
            raise InvalidArgument(self._outside(t))
        return time

    @cached_property
    def _begun(self) -> Any:
        """A time that is not after the end, which is known before that."""
        return self.until if self.until is not None else max(stretch.begin for stretch in self.stretches)

    @in_context
    def along(self, times: Any) -> State:
        """The states at many times (T,), in any order, as one: its arrays have the times as their first axis.

        Each is what :meth:`raw` says, to rounding. Raises ``InvalidArgument`` for a time outside [0, t_end] or not a
        number, and for anything but a list of times.
        """
        times = self.arithmetic.array(times)
        if times.ndim != 1:
            raise InvalidArgument(f"times has shape {times.shape}; it must be a list of times (T,)")
        wrong = times[~((times >= 0) & (times <= self._latest))]
        if len(wrong):
            raise InvalidArgument(self._outside(wrong[0]))
        order = np.argsort(times, kind="stable")
        most = max(1, PAIRS // self._constants.frozen.size)
        parts = [self._along_sorted(times[order[i : i + most]]) for i in range(0, max(1, len(times)), most)]
        states = concatenated(parts)
        return states if (order[1:] > order[:-1]).all() else states[np.argsort(order)]

    def _along_sorted(self, times: Array) -> State:
        """A stretch holds its end only where no other follows."""
        begins, ends = self._spans
        first = np.asarray(np.searchsorted(times, begins))
        last = np.where(ends < self.last, np.searchsorted(times, ends), len(times))
        spans = [(i, slice(first[i], last[i])) for i in np.flatnonzero(first < last)]
        pieces = [(span, *self.stretches[i].at(times[span])) for i, span in spans]
        return assemble(self.problem, self.arithmetic, self._constants, times, pieces)

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


def _ends(stretch: Stretch) -> FloatArray:
    """Where segments begin and end, and places on the way through one that is long."""
    if isinstance(stretch, Fit):
        return stretch.nodes
    ends = stretch.record.end if isinstance(stretch, Chain) else [stretch.end]
    return np.array([stretch.begin, *ends], dtype=np.float64)


def _rest_time(stretch: Stretch) -> Any:
    """When the last moving part of a component has come to rest."""
    last = max(stretch.deactivations.t, default=stretch.begin)
    if not isinstance(stretch, Plateau) or not stretch.fitted.any():
        return last
    return max(last, stretch.fitted_below(REST))
