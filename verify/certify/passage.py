"""Through the death of pairs: a component over the tiny interval in which a coordinate reaches 0 and stays there.

Over [0, w], with ρ = ‖r(0)‖, which bounds ‖r‖ as the loss of a component never rises, and ‖p_j‖ ≤ |a_j|:

    |ln|a_j(t)| − ln|a_j(0)|| ≤ ρw/n,   |p_jk(t) − p_jk(0)| ≤ |a_j| |r_k| w/n,   |r_k(t) − r_k(0)| ≤ (2ρw/n) Σ_j a_j²,

whatever the order in which pairs die. A pair dies within [0, w] when p_jk(0) + w max p_jk' < 0 for the rate
p_jk' = s_j |a_j| r_k/n over the whole interval, as if it never stopped. [D]
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from verify.certify.balls import Ball, ball, from_below, hull, total, within
from verify.certify.moment import Moment, Setting
from verify.certify.segment import Local
from verify.errors import PrecisionExhausted

Pairs = tuple[tuple[int, int], ...]
"""Pairs (j, i) in the numbers of a component."""


@dataclass(frozen=True)
class Passage:
    """A component from ``begin`` to the exact time ``end``, by which the pairs ``dying`` are dead and no other is."""

    begin: Moment
    setting: Setting
    dying: Pairs
    end: Ball
    kind = "death"

    def at(self, tau: Ball) -> Local:
        """The component over the whole interval, whatever the time in it."""
        now = self.over
        q = [[x / size for x in row] for size, row in zip(now.a, now.p, strict=True)]
        return Local([size.log() for size in now.a], q, now.r, [None] * len(q))

    @cached_property
    def over(self) -> Moment:
        """Balls that hold the component throughout; dying coordinates reach down to 0."""
        begin, n = self.begin, self.setting.n
        width = self.end - begin.t
        speed = begin.residual_size * width / n
        a = [x * within(speed).exp() for x in begin.a]
        sway = within(2 * speed * total(x * x for x in a))
        r = [x + sway for x in begin.r]
        p = [[x + within(size * width / n * abs(pull)) for x, pull in zip(row, r, strict=True)]
             for size, row in zip(a, begin.p, strict=True)]  # fmt: skip
        for j, i in begin.pairs():
            p[j][i] = from_below(p[j][i])
        p = [[x if begin.active[j, i] else ball(0) for i, x in enumerate(row)] for j, row in enumerate(p)]
        return replace(begin, a=a, p=p, r=r)

    def after(self) -> Moment:
        """The component at the end. Raises ``PrecisionExhausted`` where it is not certain who is dead."""
        over, begin, n = self.over, self.begin, self.setting.n
        width, active = self.end - begin.t, begin.active.copy()
        for j, i in begin.pairs():
            rate = self.setting.signs[begin.neurons[j]] * over.a[j] * over.r[i] / n
            if (j, i) in self.dying and begin.p[j][i] + width * rate < 0:
                active[j, i] = False
            elif (j, i) in self.dying or not begin.p[j][i] + width * hull(ball(0), rate) > 0:
                raise PrecisionExhausted(
                    f"the death of neuron {begin.neurons[j]} at label {begin.labels[i]} near "
                    f"t = {float(begin.t):.6g} cannot be told from others near it"
                )
        p = [[x if active[j, i] else ball(0) for i, x in enumerate(row)] for j, row in enumerate(over.p)]
        return replace(over, t=self.end, active=active, p=p)


def through(begin: Moment, setting: Setting, dying: Pairs, width: Ball) -> Passage:
    """The passage over a little more than ``width``, for the rate that is not known better than over the interval."""
    return Passage(begin, setting, dying, (begin.t + 2 * width).mid())
