"""The error estimate of a trajectory by any time: what was neglected, what was rounded, and how long it took."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, wraps
from typing import Any

import numpy as np

from verify.flow.arithmetic import Arithmetic, Array, in_context
from verify.flow.chain import Chain
from verify.flow.fit import Fit
from verify.flow.plateau import Plateau
from verify.flow.step import Step
from verify.notation import BoolArray, FloatArray

Stretch = Plateau | Fit | Chain | Step


def _by_time(method: Callable[[Any, float], Any]) -> Callable[..., Any]:
    """An estimate that is computed once for a time: the same few times are asked for by many claims."""

    def known(self: Estimate, t: float = math.inf) -> Any:
        key = method.__name__, t
        if key not in self.known:
            with self.arithmetic.context():
                self.known[key] = method(self, t)
        return self.known[key]

    return wraps(method)(known)


@dataclass(frozen=True)
class Estimate:
    """What a trajectory may be off by at a time, from its segments up to then: plateaus, fits and Taylor steps. [D]

    - ``truncation``: what plateaus, fits and steps neglect, relative to what they move.
    - ``rounding``: of each segment, in the same units. ``local``: both.
    - ``motion``: ``local`` and the rounding of the time, which a growing neuron feels by its rate: the error of
      directions and of growth since the start.
    - ``log_norm``: ``motion`` and the rounding of logarithms of the size of Λ.

    Estimates are numbers of the trajectory's own arithmetic.
    """

    stretches: Sequence[Stretch]
    arithmetic: Arithmetic
    minus_log_lambda: float
    known: dict[tuple[str, float], Any] = field(default_factory=dict, repr=False, compare=False)

    @_by_time
    def truncation(self, t: float = math.inf) -> Any:
        """Of segments that are over, and what those under way neglect so far; one without end neglects nothing yet.

        A step that has begun counts at once: its neglected terms are not told apart in time.
        """
        begun, ends = self._begun(t), self._spans[1]
        under_way = [(i, plateau) for i, plateau in self._plateaus if begun[i] and ends[i] > t]
        begun[[i for i, _ in under_way]] = False
        done = self._truncations[begun].sum() if begun.any() else 0.0
        return done + sum((plateau.neglected(t) for _, plateau in under_way), 0.0)

    @_by_time
    def rounding(self, t: float = math.inf) -> Any:
        """Eight roundings at the start and four for each segment that has an end."""
        return self.arithmetic.epsilon * (8 + 4 * int(self._begun(t).sum()))

    @in_context
    def local(self, t: float = math.inf) -> Any:
        """The error of quantities that do not feel how long the plateaus are."""
        return self.truncation(t) + self.rounding(t)

    @_by_time
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
        return 4 * self.rounding() + sum((stretch.imbalance for stretch in self.stretches), 0.0)

    def _begun(self, t: float) -> BoolArray:
        begins, ends = self._spans
        return np.asarray((begins <= t) & (ends < np.inf))

    @cached_property
    def _spans(self) -> tuple[FloatArray, FloatArray]:
        """When segments begin and end."""
        begins, ends = (np.concatenate([row[i] for row in self._rows]) for i in (0, 1))
        return np.asarray(begins, dtype=np.float64), np.asarray(ends, dtype=np.float64)

    @cached_property
    def _rates(self) -> FloatArray:
        return np.concatenate([np.asarray(row[2], dtype=np.float64) for row in self._rows])

    @cached_property
    def _truncations(self) -> Array:
        return np.concatenate([np.array(row[3], dtype=self.arithmetic.dtype) for row in self._rows])

    @cached_property
    def _plateaus(self) -> list[tuple[int, Plateau]]:
        """The plateaus, and which segments they are."""
        first = np.cumsum([0] + [len(row[0]) for row in self._rows]).tolist()
        pairs = zip(first, self.stretches, strict=False)
        return [(i, stretch) for i, stretch in pairs if isinstance(stretch, Plateau)]

    @cached_property
    def _rows(self) -> list[tuple[Any, Any, Any, Any]]:
        """Begins, ends, rates and truncations of the segments of each stretch."""
        return [_segments_of(stretch) for stretch in self.stretches]


def _segments_of(stretch: Stretch) -> tuple[Any, Any, Any, Any]:
    if isinstance(stretch, Chain):
        record = stretch.record
        return stretch.begins, record.end, 1 / record.unit, record.truncation
    return [stretch.begin], [stretch.end], [stretch.rate], [stretch.truncation]
