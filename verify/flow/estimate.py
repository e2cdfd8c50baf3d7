"""The error estimate of a trajectory by any time: what was neglected, what was rounded, and how long it took."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from verify.flow.arithmetic import Arithmetic, in_context
from verify.flow.segment import Segment
from verify.notation import BoolArray, FloatArray


@dataclass(frozen=True)
class Estimate:
    """What a trajectory may be off by at a time, from its segments up to then. [D]

    - ``truncation``: what plateaus and steps neglect, relative to what they move.
    - ``rounding``: of each segment, in the same units. ``local``: both.
    - ``motion``: ``local`` and the rounding of the time, which a growing neuron feels by its rate: the error of
      directions and of growth since the start.
    - ``log_norm``: ``motion`` and the rounding of logarithms of the size of Λ.

    Estimates are numbers of the trajectory's own arithmetic.
    """

    segments: Sequence[Segment]
    arithmetic: Arithmetic
    minus_log_lambda: float

    @in_context
    def truncation(self, t: float = math.inf) -> Any:
        """Of segments that are over, and what those under way neglect so far; one without end neglects nothing yet."""
        if t not in self._known:
            self._known[t] = self._truncation(t)
        return self._known[t]

    @cached_property
    def _known(self) -> dict[float, Any]:
        """Truncations by the times they were asked for: the same few times are asked for by many claims."""
        return {}

    def _truncation(self, t: float) -> Any:
        over = self._over(t)
        under_way = np.flatnonzero(self._begun(t) & ~over).tolist()
        done = sum((self.segments[i].truncation for i in np.flatnonzero(over).tolist()), 0.0)
        return done + sum((self.segments[i].neglected(t) for i in under_way), 0.0)

    @in_context
    def rounding(self, t: float = math.inf) -> Any:
        """Eight roundings at the start and four for each segment that has an end."""
        return self.arithmetic.epsilon * (8 + 4 * int(self._begun(t).sum()))

    @in_context
    def local(self, t: float = math.inf) -> Any:
        """The error of quantities that do not feel how long the plateaus are."""
        return self.truncation(t) + self.rounding(t)

    @in_context
    def motion(self, t: float = math.inf) -> Any:
        """The error of directions and of growth since the start."""
        begins, ends = self._spans
        last = np.where(ends < np.inf, np.minimum(ends, t), begins)
        reached = np.where(begins <= t, last * self._rates, 0.0).max(initial=0.0)
        return self.local(t) + 2 * self.arithmetic.epsilon * float(reached)

    @in_context
    def log_norm(self, t: float = math.inf) -> Any:
        """The error of ln|a_j|."""
        return self.motion(t) + 2 * self.arithmetic.epsilon * abs(float(self.minus_log_lambda))

    @cached_property
    @in_context
    def balance(self) -> Any:
        """Error of a_j² − ‖w_j‖² relative to a_j²: boosts keep it, so that they only round, in two squares."""
        return 4 * self.rounding() + sum((segment.imbalance for segment in self.segments), 0.0)

    def _begun(self, t: float) -> BoolArray:
        begins, ends = self._spans
        return np.asarray((begins <= t) & (ends < np.inf))

    def _over(self, t: float) -> BoolArray:
        ends = self._spans[1]
        return np.asarray((ends <= t) & (ends < np.inf))

    @cached_property
    def _spans(self) -> tuple[FloatArray, FloatArray]:
        begins = np.array([float(segment.begin) for segment in self.segments])
        return begins, np.array([float(segment.end) for segment in self.segments])

    @cached_property
    def _rates(self) -> FloatArray:
        return np.array([float(segment.rate) for segment in self.segments])
