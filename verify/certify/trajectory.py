"""A certified trajectory: at any time, or over any stretch of time, balls that hold the true state.

The segments of a component follow one another without a gap, each beginning at the exact time at which another ends,
so that those about a stretch hold every neuron and label throughout it; their balls are joined. A pair of which one
segment speaks and a later one no more has died in between, and the ball of the segment in which it may die reaches down
to 0. Frozen coordinates are their value at the start. [D]
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from verify.certify.balls import Ball, ball, hull, library, precision
from verify.certify.follow import Effort, effort_for, follow
from verify.certify.moment import Setting
from verify.certify.segment import Segment
from verify.certify.state import CertifiedState
from verify.decimals import exact_number
from verify.errors import InvalidArgument, PrecisionExhausted
from verify.flow.multiprecision import FEWEST, MOST
from verify.notation import ObjectArray
from verify.problem import Problem

DIGITS = 15
"""Digits that states have where none are asked for."""

DOUBLINGS = 2
"""Times the bits are doubled where a proof obligation cannot be met."""


@dataclass(frozen=True)
class CertifiedTrajectory:
    """The flow of a problem in balls, each of its ``segments`` with its proof obligations met.

    - ``t_end``: the exact time up to which it was asked for, None for ever.
    """

    problem: Problem
    setting: Setting
    segments: tuple[Segment, ...]
    effort: Effort
    t_end: Ball | None

    def at(self, t: Any) -> CertifiedState:
        """Balls that hold the state at ``t``: a number or a decimal string, taken exactly, or a ball of times.

        Raises ``InvalidArgument`` for a time before 0 or after ``t_end``.

        >>> from verify import Dataset, Initialisation, Problem
        >>> start = Initialisation([[1.0, -0.5], [-0.25, 1.0]], [1, -1], minus_log_lambda=100)
        >>> trajectory = certified(Problem(Dataset.standard([1, -0.5]), start))
        >>> trajectory.at(300).residual[0].contains(0)
        True
        """
        with precision(self.effort.bits):
            moment = _time(t)
            if not moment.upper() >= 0 or (self.t_end is not None and not moment.lower() <= self.t_end):
                last = "" if self.t_end is None else f" and at most {float(self.t_end):.6g}"
                raise InvalidArgument(f"t = {t} must be at least 0{last}")
            return self.over(moment.lower(), moment.upper())

    def over(self, first: Ball, last: Ball) -> CertifiedState:
        """Balls that hold the state at all times between two exact ones; at the precision that is set."""
        m, n = len(self.setting.signs), self.setting.n
        log_norms: ObjectArray = np.full(m, None, dtype=object)
        directions: ObjectArray = np.full((m, n), None, dtype=object)
        residual: ObjectArray = np.full(n, None, dtype=object)
        across: ObjectArray = np.full(m, None, dtype=object)
        seen: set[int] = set()
        for segment in self._about(first, last):
            begin = segment.begin
            low = begin.t if begin.t > first else first
            high = last if segment.end is None or segment.end > last else segment.end
            local = segment.at(hull(low, high) - begin.t if low < high else low - begin.t)
            for j, (log_a, row) in enumerate(zip(local.log_a, local.q, strict=True)):
                neuron, square = begin.neurons[j], local.across[j]
                log_norms[neuron] = _joined(log_norms[neuron], log_a)
                unknown = square is None or (neuron in seen and across[neuron] is None)
                across[neuron] = None if unknown else _joined(across[neuron], square)
                seen.add(neuron)
                for i, x in enumerate(row):
                    place = begin.neurons[j], begin.labels[i]
                    directions[place] = _joined(directions[place], x)
            for i, x in enumerate(local.r):
                residual[begin.labels[i]] = _joined(residual[begin.labels[i]], x)
        directions = self._filled(directions, log_norms)
        return CertifiedState(hull(first, last), self.setting, log_norms, directions, residual, across)

    def _about(self, first: Ball, last: Ball) -> list[Segment]:
        near = self._segments_between(float(first), float(last))
        return [s for s in near if s.begin.t <= last and (s.end is None or s.end >= first)]

    def _segments_between(self, first: float, last: float) -> list[Segment]:
        """Those about a stretch of time, and perhaps a few more."""
        begins, ends = self._spans
        slack = 1e-9 * (1 + abs(last))
        return [self.segments[i] for i in np.flatnonzero((begins <= last + slack) & (ends >= first - slack)).tolist()]

    @cached_property
    def _spans(self) -> tuple[Any, Any]:
        begins = np.array([float(segment.begin.t) for segment in self.segments])
        return begins, np.array([math.inf if s.end is None else float(s.end) for s in self.segments])

    def _filled(self, directions: ObjectArray, log_norms: ObjectArray) -> ObjectArray:
        """Pairs of different components: 0, or what is frozen below 0 since the start."""
        for j, row in enumerate(self.setting.frozen):
            for k, frozen in enumerate(row):
                still = ball(0) if frozen.is_zero() else frozen * (-log_norms[j]).exp()
                if directions[j, k] is None or not frozen.is_zero():
                    directions[j, k] = still
        return directions

    @cached_property
    def times(self) -> list[Ball]:
        """The exact times at which segments begin or end, in order."""
        with precision(self.effort.bits):
            exact = [s.begin.t for s in self.segments] + [s.end for s in self.segments if s.end is not None]
            distinct: list[Ball] = []
            for t in sorted(exact):
                if not distinct or t > distinct[-1]:
                    distinct.append(t)
            return distinct

    @cached_property
    def deactivations(self) -> pd.DataFrame:
        """Columns ``t`` (a ball), ``neuron``, ``label``, in order; pairs of which it is not certain are not in it."""
        rows = []
        with precision(self.effort.bits):
            for segment in self.segments:
                for j, i in getattr(segment, "dying", ()):
                    when = hull(segment.begin.t, segment.end)
                    rows.append((when, segment.begin.neurons[j], segment.begin.labels[i]))
        rows.sort(key=lambda row: float(row[0]))
        return pd.DataFrame(rows, columns=["t", "neuron", "label"])


def certified(problem: Problem, until: Any = None, digits: int | None = None) -> CertifiedTrajectory:
    """Follow the gradient flow of ``problem`` in balls, to its limit or to the time ``until``.

    ``digits``: about as many the state has at all times, residuals relative to the labels; 15 where None.
    Raises ``MissingExtra`` without python-flint, ``InvalidProblem`` or ``InvalidInitialisation`` for a problem that has
    no certified trajectory, ``PrecisionExhausted`` with the bits to try where a proof obligation cannot be met, after
    the bits have been doubled twice.
    """
    effort = effort_for(problem, checked_digits(digits))
    for _ in range(DOUBLINGS):
        try:
            return trajectory_of(problem, effort, until)
        except PrecisionExhausted:
            effort = effort.doubled
    return trajectory_of(problem, effort, until)


def checked_digits(digits: object) -> int:
    """The digits, ``DIGITS`` for None. Raises ``InvalidArgument`` for what is no number of digits."""
    if digits is None:
        return DIGITS
    if isinstance(digits, bool) or not isinstance(digits, (int, np.integer)) or not FEWEST <= digits <= MOST:
        raise InvalidArgument(
            f"digits = {digits!r} must be a whole number from {FEWEST} to {MOST}, or None for {DIGITS}"
        )
    return int(digits)


def trajectory_of(problem: Problem, effort: Effort, until: Any = None) -> CertifiedTrajectory:
    """The same, with a given effort and no other."""
    with precision(effort.bits):
        end = None if until is None else _time(until).upper()
        if end is not None and not end >= 0:
            raise InvalidArgument(f"until = {until!r} must be a finite time ≥ 0, or None for the whole flow")
    setting, segments = follow(problem, effort, end)
    return CertifiedTrajectory(problem, setting, tuple(segments), effort, end)


def _time(t: Any) -> Ball:
    """The ball of a time: machine floats and mpmath's numbers as they are, decimals and decimal strings exactly."""
    if hasattr(t, "rad") or hasattr(t, "_mpf_"):
        moment = library().arb(t)
    elif isinstance(t, (float, np.floating)):
        moment = ball(float(t))
    else:
        moment = ball(exact_number(t, "t"))
    if not moment.is_finite():
        raise InvalidArgument(f"t = {t} must be a finite time")
    return moment


def _joined(known: Ball | None, more: Ball) -> Ball:
    return more if known is None else known.union(more)
