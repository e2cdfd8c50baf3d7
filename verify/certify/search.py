"""Extrema and first passages over continuous time: what enclosures do not decide is bisected.

1. A largest value is bounded from above by the enclosures over stretches that make up the widest window that the balls
   at its ends allow, and from below by single times that are certain to be inside; one stretch without an upper bound
   leaves it without one.
2. After the last end of a segment enclosures depend on when a stretch begins and not on when it ends, so that the last
   stretch of a window without an end stands for all times. A quantity must not depend on the time itself there.
3. A first passage is no earlier than the first stretch on which the contrary is not certain, and no later than the
   first time after the start, of whatever start the ball allows, at which the condition is certain. Stretches that are
   left over when the number allowed is used up count as doubtful.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from verify.certify.balls import Ball, ball, hull
from verify.certify.state import CertifiedState
from verify.certify.trajectory import CertifiedTrajectory

Quantity = Callable[[CertifiedState], Ball]
"""A number that is not negative, of a state at one time or over a stretch of time."""

Met = Callable[[CertifiedState], int]
"""+1 where a condition is certain, −1 where its contrary is, 0 where neither."""

RELATIVE = 1e-6
"""Relative width to which an extremum is enclosed."""

MOST = 400
"""Stretches looked at for one extremum."""

MOST_PASSAGE = 5000
"""Stretches looked at for one first passage; beyond, none is certain."""

NARROW = 2.0**-50
"""Relative width of a stretch on which a first passage is looked for no closer."""


@dataclass(frozen=True)
class Extreme:
    """A largest value, between the exact ``low`` and ``high``, about the time ``t``; ``high`` None where unbounded."""

    low: Ball
    high: Ball | None
    t: float

    @property
    def value(self) -> Ball:
        """The ball, or one that is not finite."""
        return ball(0) / 0 if self.high is None else hull(self.low, self.high)


@dataclass(frozen=True)
class Window:
    """From a time in the ball ``first`` to one in the ball ``last``; None for ever."""

    first: Ball
    last: Ball | None


@dataclass(frozen=True)
class Timeline:
    """States shared by all claims, by the exact ends of their stretch of time.

    ``coarse``: a relative width at which extrema are close enough, whatever is asked for; at 1 any upper bound is.
    """

    trajectory: CertifiedTrajectory
    coarse: float = 0.0
    known: dict[Any, CertifiedState] = field(default_factory=dict)

    def over(self, first: Ball, last: Ball) -> CertifiedState:
        """The state over a stretch of time."""
        key = first.man_exp(), last.man_exp()
        if key not in self.known:
            self.known[key] = self.trajectory.over(first, last)
        return self.known[key]

    def at(self, t: Ball) -> CertifiedState:
        """The state at a time of a ball."""
        return self.over(_start(t), t.upper())

    @property
    def settled(self) -> Ball:
        """The exact time from which on all components are in their tails."""
        return self.trajectory.times[-1]

    def pieces(self, first: Ball, last: Ball | None) -> list[tuple[Ball, Ball]]:
        """Stretches between the ends of segments that make up a window; the last one reaches as far as need be.

        From the last end of a segment on, enclosures only depend on when a stretch begins.
        """
        end = (2 * (first + self.settled + 1)).upper() if last is None else last
        inner = [t for t in self.trajectory.times if first < t and t < end]
        cuts = [first, *inner, end]
        return list(pairwise(cuts)) if first < end else [(first, first)]

    def largest(self, quantity: Quantity, window: Window, relative: float = RELATIVE) -> Extreme:
        """The largest value over the window, whatever times in the balls at its ends it has."""
        relative = max(relative, self.coarse)
        last = None if window.last is None else window.last.upper()
        inner = window.first.upper(), None if window.last is None else window.last.lower()
        rows = [(*self._upper(quantity, a, b), a, b) for a, b in self.pieces(_start(window.first), last)]
        low, witness = None, rows[0][2]
        for _ in range(MOST):
            worst = _worst(rows)
            known, top, a, b = rows[worst]
            for t in (a, b, ((a + b) / 2).mid()):
                if _inside(t, inner):
                    value = quantity(self.over(t, t))
                    if value.is_finite() and (low is None or value.lower() > low):
                        low, witness = value.lower(), t
            if known and low is not None and top - low <= relative * top:
                break
            middle = ((a + b) / 2).mid()
            if not (a < middle and middle < b):
                break
            rows[worst] = (*self._upper(quantity, a, middle), a, middle)
            rows.append((*self._upper(quantity, middle, b), middle, b))
        known, top, _, _ = rows[_worst(rows)]
        return Extreme(ball(0) if low is None else low, top if known else None, float(witness))

    def _upper(self, quantity: Quantity, a: Ball, b: Ball) -> tuple[bool, Ball]:
        value = quantity(self.over(a, b))
        return value.is_finite(), value.upper() if value.is_finite() else value

    def first_passage(self, met: Met, start: Ball) -> Ball | None:
        """A ball that holds the first time from ``start`` at which a condition is met; None where none is certain.

        What is met within the ball of the start may be met before the start: it counts as doubtful.
        """
        if met(self.at(start)) > 0:
            return start
        doubtful: Ball | None = None
        for status, a, b in self._statuses(met, _start(start), self.settled):
            if status > 0 and a >= start.upper():
                return a if doubtful is None else hull(doubtful, a)
            doubtful = a if doubtful is None else doubtful
            if b >= start.upper() and met(self.over(b, b)) > 0:
                return hull(doubtful, b)
        return None

    def confirmed(self, met: Met, start: Ball, t: Ball) -> Ball | None:
        """``t``, if the first time from ``start`` on at which a condition is met is certain to lie in it; else None."""
        if met(self.at(start)) > 0:
            return t if t.contains(start) else None
        last = t.upper()
        if any(True for _ in self._statuses(met, _start(start), _start(t))):
            return None
        return t if last >= start.upper() and met(self.over(last, last)) > 0 else None

    def _statuses(self, met: Met, first: Ball, last: Ball) -> Iterator[tuple[int, Ball, Ball]]:
        """Stretches, in order, on which the contrary of a condition is not certain, as narrow as is reasonable."""
        stack = self.pieces(first, last)[::-1] if first < last else []
        for _ in range(MOST_PASSAGE):
            if not stack:
                return
            a, b = stack.pop()
            status, middle = met(self.over(a, b)), ((a + b) / 2).mid()
            if status == 0 and b - a > NARROW * (1 + b) and a < middle and middle < b:
                stack += [(middle, b), (a, middle)]
            elif status >= 0:
                yield status, a, b
        if stack:
            yield 0, stack[-1][0], stack[0][1]


def _start(t: Ball) -> Ball:
    """The exact lower end of a time, not below 0."""
    return t.lower() if t.lower() >= 0 else ball(0)


def _inside(t: Ball, inner: tuple[Ball, Ball | None]) -> bool:
    return bool(t >= inner[0] and (inner[1] is None or t <= inner[1]))


def _worst(rows: list[tuple[bool, Ball, Ball, Ball]]) -> int:
    """The row of which least is known: one without an upper bound, or the one with the largest."""
    best = 0
    for i, (known, top, _, _) in enumerate(rows):
        if not known:
            return i
        if top > rows[best][1]:
            best = i
    return best
