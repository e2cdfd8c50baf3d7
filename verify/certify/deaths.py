"""Which pair of a segment dies first, and when: enclosed, or proved that none does.

A coordinate changes at the rate s_j |a_j| r_k/n, and |a_j| > 0. While the sign of r_k is certified over the whole time
it is monotone, so that the signs at both ends decide: a pair that falls from certainly positive to certainly negative
has one crossing, transversal, in whatever interval its sign changes. Where r_k may change sign, the pair must be
certified positive by the size of the rate. Up to the first death the flow of the present pattern is the flow. [D]

Of a segment on [0, span] this asks, at each fraction of the span that is tried:

1. no time beyond the span is looked at, since nothing is enclosed there: intervals about a crossing are cut off at it;
2. every active pair is certain to rise, to stay positive, or to be below 0 at the end: one doubt and the span shrinks;
3. until the ``first`` of the earliest interval no pair dies; those whose intervals overlap it may come in any order,
   and who is dead after it is proved again, by :mod:`verify.certify.passage`, without any of this.
"""

from __future__ import annotations

from dataclasses import dataclass

from verify.certify.balls import Ball, ball, hull, sign
from verify.certify.moment import Moment, Setting
from verify.certify.plateau import Plateau
from verify.certify.segment import Moving
from verify.errors import PrecisionExhausted

PIECES = 4
"""Times a stretch is halved before the sign of a residual over it counts as unknown."""

ATTEMPTS = 60
"""Steps to a crossing, and widenings of the interval about it."""

SHORTER = (1.0, 0.9, 0.75, 0.5, 0.3, 0.1, 0.01, 1e-4, 1e-8)
"""Fractions of a span that are tried until every sign on it is certain."""


@dataclass(frozen=True)
class Death:
    """Pairs (j, i) that die between the exact times ``first`` and ``last`` after the begin of a segment."""

    first: Ball
    last: Ball
    pairs: tuple[tuple[int, int], ...]


def first_death(segment: Moving, setting: Setting) -> tuple[Ball, Death | None]:
    """How long the segment is followed, exact, and the pairs whose death ends it; None where none dies until then.

    Raises ``PrecisionExhausted`` where the signs of a coordinate cannot be certified over any stretch.
    """
    doubtful: tuple[int, int] | None = None
    for fraction in SHORTER:
        span = (segment.span * ball(fraction)).lower()
        dying, doubtful = falling(segment, setting, span)
        if doubtful is None:
            crossings = [_isolate(segment, j, i, span) for j, i in dying]
            return (span, None) if not crossings else _together(crossings)
    assert doubtful is not None
    j, i = segment.begin.neurons[doubtful[0]], segment.begin.labels[doubtful[1]]
    raise PrecisionExhausted(
        f"whether neuron {j} dies at label {i} soon after t = {float(segment.begin.t):.6g} cannot be told: "
        "its coordinate grazes 0 within the radius of its ball"
    )


def stop(segment: Moving, span: Ball) -> Moment:
    """The component where a segment is left, at an exact time no later than ``span`` and no earlier than its begin."""
    end = (segment.begin.t + span).lower()
    return segment.moment(end) if end > segment.begin.t else segment.begin


def falling(segment: Moving, setting: Setting, span: Ball) -> tuple[list[tuple[int, int]], tuple[int, int] | None]:
    """Pairs certain to die by ``span``, and one of which nothing is certain."""
    begin, dying = segment.begin, []
    directions = [residual_sign(segment, i, ball(0), span) for i in range(len(begin.labels))]
    for j, i in begin.pairs():
        drift = setting.signs[begin.neurons[j]] * directions[i]
        if drift > 0:
            continue
        if drift == 0:
            if not _held_up(segment, setting, j, i, span):
                return [], (j, i)
            continue
        last = sign(segment.coordinate(j, i, span))
        if last == 0:
            return [], (j, i)
        if last < 0:
            dying.append((j, i))
    return dying, None


def residual_sign(segment: Moving, i: int, first: Ball, last: Ball, depth: int = PIECES) -> int:
    """The sign of a residual over all times between, 0 where it is not certain."""
    over = sign(segment.pull(i, hull(first, last)))
    if over != 0 or depth == 0 or sign(segment.pull(i, first)) * sign(segment.pull(i, last)) <= 0:
        return over
    middle = ((first + last) / 2).mid()
    left = residual_sign(segment, i, first, middle, depth - 1)
    return left if left and left == residual_sign(segment, i, middle, last, depth - 1) else 0


def _held_up(segment: Moving, setting: Setting, j: int, i: int, span: Ball) -> bool:
    """Whether a coordinate stays positive however its residual turns: |p_k'| ≤ |a||r_k|/n, |a| ≤ |a(0)|e^(‖r‖t/n).

    The loss of a component never rises, so that ‖r‖ is largest at the begin.
    """
    begin = segment.begin
    size = begin.a[j] * (begin.residual_size * span / setting.n).exp()
    sway = hull(*(segment.pull(i, span * ball(part) / 8 + hull(ball(0), span / 8)) for part in range(8)))
    return bool(begin.p[j][i] - span * size * abs(sway) / setting.n > 0)


def _isolate(segment: Moving, j: int, i: int, span: Ball) -> Death:
    """An interval in which one monotone coordinate changes its sign."""
    low, high = ball(0), span
    if isinstance(segment, Plateau):
        guess = segment.crossing(j, i)
        for width in (1e-12, 1e-6):
            near = ((guess * ball(1 - width)).mid(), (guess * ball(1 + width)).mid())
            if near[1] < span and segment.coordinate(j, i, near[0]) > 0 and segment.coordinate(j, i, near[1]) < 0:
                low, high = near
                break
    root, width = _root(segment, j, i, low, high)
    for _ in range(ATTEMPTS):
        first, last = (root - width).mid(), (root + width).mid()
        last = span if last > span else last
        if first > 0 and segment.coordinate(j, i, first) > 0 and segment.coordinate(j, i, last) < 0:
            return Death(first, last, ((j, i),))
        width = width * 4
    neuron, label = segment.begin.neurons[j], segment.begin.labels[i]
    raise PrecisionExhausted(f"the death of neuron {neuron} at label {label} near t = {float(segment.begin.t):.6g} "
                             "cannot be enclosed")  # fmt: skip


def _root(segment: Moving, j: int, i: int, low: Ball, high: Ball) -> tuple[Ball, Ball]:
    """About the zero of a coordinate that changes sign between, and how far off it may be: the Illinois method."""
    below, above = segment.coordinate(j, i, low).mid(), segment.coordinate(j, i, high).mid()
    slope = (above - below) / (high - low)
    root, kept = low, 0
    for _ in range(ATTEMPTS):
        root = (low - below * (high - low) / (above - below)).mid()
        value = segment.coordinate(j, i, root)
        if value.contains(0):
            break
        if value > 0:
            slope = (above - value.mid()) / (high - root)
            low, below = root, value.mid()
            above = above / 2 if kept > 0 else above
            kept = 1
        else:
            slope = (value.mid() - below) / (root - low)
            high, above = root, value.mid()
            below = below / 2 if kept < 0 else below
            kept = -1
    value = segment.coordinate(j, i, root)
    return root, (8 * value.abs_upper() / abs(slope.mid())).mid()


def _together(crossings: list[Death]) -> tuple[Ball, Death]:
    """The earliest crossing, and those that overlap it."""
    crossings = sorted(crossings, key=lambda death: float(death.first))
    first, rest = crossings[0], crossings[1:]
    again = True
    while again:
        again = False
        for other in list(rest):
            if not other.first > first.last:
                earliest = first.first if first.first <= other.first else other.first
                latest = first.last if first.last >= other.last else other.last
                first, again = Death(earliest, latest, first.pairs + other.pairs), True
                rest.remove(other)
    return first.first, first
