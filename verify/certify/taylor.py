"""Taylor steps of a component in balls, with what they omit enclosed.

1. The coefficients are balls: each holds that of every solution that begins in the balls of the moment, for the
   recursion is the flow of the present pattern and every operation encloses. [D]
2. What a polynomial of order N omits at |tau| ≤ θR is bounded by :mod:`verify.certify.majorant`, for ‖v_j‖ and so for
   each of its numbers, and for parts of p_j after a projection, which lengthens nothing; beyond the disc it raises.
3. Quotients and logarithms of what may be 0 are balls that are not finite, of which nothing is concluded.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from verify.certify.balls import Ball, ball, library, square, total, within
from verify.certify.majorant import Majorant, majorant
from verify.certify.moment import Moment, Setting
from verify.certify.segment import Local

FRACTION = 2.0
"""ln of the disc's radius over the step: so a stretch of time costs least, work being quadratic in the terms."""

LONGEST_DECAY = 2.0
"""Longest step in units of the fastest decay: over a stretch of a step e^−x is summed with terms as large as e^x."""


@dataclass(frozen=True)
class Taylor:
    """A component on 0 ≤ tau ≤ ``span``: polynomials ``a`` (k,), ``p`` (k, b), ``r`` (b,) plus what they omit. [D]

    The pattern of active pairs is taken as given; until when it is, :mod:`verify.certify.deaths` finds out.
    """

    begin: Moment
    setting: Setting
    bound: Majorant
    order: int
    a: list[Any]
    p: list[list[Any]]
    r: list[Any]
    span: Ball
    end: Ball | None = None
    kind = "step"

    def at(self, tau: Ball) -> Local:
        """The component over the times ``tau``."""
        log_a = [self._log_size(j, tau) for j in range(len(self.a))]
        inverse = [(-x).exp() for x in log_a]
        q = [[self.coordinate(j, i, tau) * over for i in range(len(self.r))] for j, over in enumerate(inverse)]
        across = [self._across(j, over, tau) for j, over in enumerate(inverse)]
        return Local(log_a, q, [self.pull(i, tau) for i in range(len(self.r))], across)

    def _log_size(self, j: int, tau: Ball) -> Ball:
        """ln|a_j|: over a stretch on which it grows much, from the middle of it by |(ln|a_j|)′| ≤ ‖r‖/n. [D]

        ‖r‖ is largest at the begin. The ball of |a_j| itself would reach below 0.
        """
        a = self._neuron(j, self.a[j], tau)
        if a > 0:
            return a.log()
        middle = self._neuron(j, self.a[j], tau.mid()).log()
        return middle + within(self.begin.residual_size * tau.rad() / self.setting.n)

    def _across(self, j: int, over: Ball, tau: Ball) -> Ball | None:
        """‖q − ⟨q, ŷ⟩ŷ‖²: the polynomials are projected before they are evaluated, so that they do not cancel after."""
        polynomials = self.sideways[j]
        if polynomials is None:
            return None
        parts = [self._neuron(j, polynomial, tau) for polynomial in polynomials]
        return total(square(x * over) for x in parts)

    @cached_property
    def sideways(self) -> list[list[Any] | None]:
        """(k,): p_j − ⟨p_j, ŷ⟩ŷ on the labels of the neuron's sign, which omits no more than p_j does."""
        out: list[list[Any] | None] = []
        for j, neuron in enumerate(self.begin.neurons):
            side = self.setting.whole_side(self.begin.labels, self.begin.active[j], neuron)
            unit = [self.setting.unit[self.begin.labels[i]] for i in side]
            along = sum((self.p[j][i] * u for i, u in zip(side, unit, strict=True)), self.p[j][0] * 0)
            out.append([self.p[j][i] - along * u for i, u in zip(side, unit, strict=True)] if side else None)
        return out

    def coordinate(self, j: int, i: int, tau: Ball) -> Ball:
        """p_jk; 0 where the pair is off."""
        return self._neuron(j, self.p[j][i], tau) if self.begin.active[j, i] else ball(0)

    def pull(self, i: int, tau: Ball) -> Ball:
        """The residual at a label."""
        return self.r[i](tau) + within(self.bound.residual * self.bound.tail(tau, self.order))

    def moment(self, t: Ball) -> Moment:
        """The component at the exact time ``t``."""
        tau = t - self.begin.t
        a = [self._neuron(j, self.a[j], tau) for j in range(len(self.a))]
        p = [[self.coordinate(j, i, tau) for i in range(len(self.r))] for j in range(len(a))]
        return replace(self.begin, t=t, a=a, p=p, r=[self.pull(i, tau) for i in range(len(self.r))])

    def _neuron(self, j: int, polynomial: Any, tau: Ball) -> Ball:
        bound = self.bound
        return polynomial(tau) + within(bound.sizes[j] * bound.growth * bound.tail(tau, self.order))


def taylor_step(moment: Moment, setting: Setting, order: int | None = None) -> Taylor:
    """The step of a component; with None of as many terms as make what they omit as small as rounding."""
    flint = library()
    bound = majorant(moment, setting.n)
    span = _span(bound, setting.n)
    if order is None:
        depth = flint.ctx.prec * math.log(2) + float(bound.growth.log())
        order = math.ceil(depth / float((bound.radius / span).log()))
    signs = [setting.signs[j] for j in moment.neurons]
    a, p, r = recursion(moment, signs, setting.n, order)
    poly = flint.arb_poly
    return Taylor(moment, setting, bound, order, list(map(poly, a)), [list(map(poly, row)) for row in p],
                  list(map(poly, r)), span)  # fmt: skip


def _span(bound: Majorant, n: int) -> Ball:
    """The exact length of a step; ‖K‖/n ≤ Σ_j ‖v_j‖²/n bounds the rates at which a residual decays."""
    decays = total(square(size) for size in bound.sizes) / n
    long, short = bound.radius * ball(math.exp(-FRACTION)), LONGEST_DECAY / decays
    return (long if long < short else short).mid()


Series = list[Ball]


def recursion(
    moment: Moment, signs: Sequence[int], n: int, order: int
) -> tuple[list[Series], list[list[Series]], list[Series]]:
    """Coefficients 0 … order of |a_j| (k), p_jk (k, b) and r_k (b) under the present pattern. [D, section 2.8]

    |a|' = (s/n) Σ_k p_k r_k, p_k' = (s/n)|a| r_k, and those of r of order ≥ 1 are minus those of Σ_j s_j |a_j| p_jk.
    """
    a = [[x] for x in moment.a]
    p = [[[x] for x in row] for row in moment.p]
    r = [[x] for x in moment.r]
    active = [[i for i in range(len(r)) if moment.active[j, i]] for j in range(len(a))]
    one, none = ball(1), ball(0)
    for k in range(order):
        turned = [series[::-1] for series in r]
        outputs = [none for _ in r]
        for j, s in enumerate(signs):
            gain, pull = one * s / (n * (k + 1)), none
            for i in active[j]:
                pull = pull + _dot(p[j][i], turned[i])
                p[j][i].append(gain * _dot(a[j], turned[i]))
            a[j].append(gain * pull)
            back = a[j][::-1]
            for i in active[j]:
                outputs[i] = outputs[i] + s * _dot(p[j][i], back)
        for series, output in zip(r, outputs, strict=True):
            series.append(-output)
    return a, p, r


def _dot(left: Series, right: Series) -> Ball:
    return sum(map(operator.mul, left, right))
