"""What the pieces of a certified trajectory have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from verify.certify.balls import Ball
from verify.certify.moment import Moment


@dataclass(frozen=True)
class Local:
    """A component over a time: ``log_a`` (k,): ln|a_j|; ``q`` (k, b): p_jk/|a_j| of active pairs, else 0; ``r`` (b,).

    ``across`` (k,): the square of the part of q_j across ŷ on the labels of the neuron's sign, where it is known better
    than from q, over long stretches above all; None elsewhere.
    """

    log_a: list[Ball]
    q: list[list[Ball]]
    r: list[Ball]
    across: list[Ball | None]


class Segment(Protocol):
    """A component from ``begin.t`` to the exact time ``end``, None for ever.

    ``at(tau)`` encloses it at every time of the ball ``tau`` after the begin. ``kind``: for reports.
    """

    kind: str

    @property
    def begin(self) -> Moment: ...

    @property
    def end(self) -> Ball | None: ...

    def at(self, tau: Ball) -> Local: ...


class Moving(Protocol):
    """A segment on which pairs may die: the flow of the present activation pattern, whether or not a pair has died.

    - ``begin``; ``span``: it is enclosed for 0 ≤ tau ≤ span, exact.
    - ``coordinate(j, i, tau)``: p_jk in some positive unit. ``pull(i, tau)``: the residual at a label.
    - ``moment(t)``: the component at the exact time t.
    """

    @property
    def begin(self) -> Moment: ...

    @property
    def span(self) -> Ball: ...

    def coordinate(self, j: int, i: int, tau: Ball) -> Ball: ...

    def pull(self, i: int, tau: Ball) -> Ball: ...

    def moment(self, t: Ball) -> Moment: ...
