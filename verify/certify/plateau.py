"""Plateaus in balls: while outputs are tiny each neuron is a Lorentz boost, up to a certified distance.

Let v = (p_A, |a|) be a neuron with active set A on a component whose outputs are h(t), so that r = y − h. Then
v' = (M_y + E(t)) v with M_y symmetric, ‖e^(M_y t)‖ = e^(ωt), ω = ‖y_A‖/n, and ‖E(t)‖ ≤ ‖h(t)‖/n. With H(t) = ∫₀ᵗ ‖h‖
Gronwall's inequality and the formula of variation of constants give

    ‖v(t)‖ ≤ ‖v(0)‖ e^(ωt + H/n),      ‖v(t) − e^(M_y t) v(0)‖ ≤ ‖v(0)‖ e^(ωt) (e^(H/n) − 1).

Since ‖h‖ ≤ Σ_j |a_j|‖p_j‖ ≤ ½ Σ_j ‖v_j‖², H(t) ≤ e^(2H/n) B(t) with B(t) = Σ_j ‖v_j(0)‖² (e^(2ω_j t) − 1)/(4ω_j). Where
e^(4B(T)/n) < 2, H cannot reach 2B on [0, T]: it starts at 0, is continuous, and below 2B it is below e^(4B/n) B < 2B.
[D]

The boosts are written down here and not taken from :mod:`verify.flow.boost`, which chooses formulas by comparing
numbers and looks for a deactivation only where a comparison says so: of balls a comparison may be neither true nor
false.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

from verify.certify.balls import Ball, ball, ceil_float, dot, length, square, total, within
from verify.certify.moment import Moment, Setting
from verify.certify.segment import Local


@dataclass(frozen=True)
class Cone:
    """A neuron along û = s y_A/‖y_A‖: ``plus``, ``minus`` = |a| ± ⟨p, û⟩; ``off`` (b,): p − ⟨p, û⟩û; ``rate``: ω.

    ``size``: ‖v‖. Where the component has no active label of the neuron, ``rate`` is 0.
    """

    plus: Ball
    minus: Ball
    off: list[Ball]
    direction: list[Ball]
    rate: Ball
    size: Ball


@dataclass(frozen=True)
class Plateau:
    """A component while its residual is its labels, on 0 ≤ tau ≤ ``span``."""

    begin: Moment
    setting: Setting
    span: Ball
    end: Ball | None = None
    kind = "plateau"

    @cached_property
    def cones(self) -> list[Cone]:
        """One for each neuron."""
        return [_cone(self.begin, self.setting, j) for j in range(len(self.begin.neurons))]

    def certain(self) -> bool:
        """Whether H stays below 2B up to the end, and outputs below every label, so that residuals keep their signs."""
        cones, n = self.cones, self.setting.n
        exponent = (4 * _outputs(cones, self.span.abs_upper()) / n).exp()
        outputs = total(square(cone.size) * (2 * cone.rate * self.span).exp() for cone in cones) / 2 * exponent
        return bool(exponent < 2) and all(outputs < abs(self.setting.y[k]) for k in self.begin.labels)

    def drift(self, tau: Ball) -> Ball:
        """2B(tau), a bound of ∫‖h‖ up to there, and with it the distance to the boosts."""
        return (2 * _outputs(self.cones, tau.abs_upper())).upper()

    def at(self, tau: Ball) -> Local:
        """The component over the times ``tau``; residual from the outputs, which are small."""
        error = (self.drift(tau) / self.setting.n).expm1()
        log_a, q, across = [], [], list[Ball | None]()
        for j, cone in enumerate(self.cones):
            x = cone.rate * tau
            fade = (-2 * x).exp()
            size = (cone.plus + cone.minus * fade) / 2
            doubt = within(cone.size * error)
            along = 1 - 2 * cone.minus * fade / (cone.plus + cone.minus * fade)
            off, relative = (-x).exp() / size, doubt / size
            row = [
                (unit * along + part * off + relative) / (1 + relative) if self.begin.active[j, i] else ball(0)
                for i, (unit, part) in enumerate(zip(cone.direction, cone.off, strict=True))
            ]
            log_a.append(x + (size + doubt).log())
            q.append(row)
            across.append(self._across(j, off, relative))
        return Local(log_a, q, self._residual(log_a, q), across)

    def _across(self, j: int, shrink: Ball, relative: Ball) -> Ball | None:
        """‖q − ⟨q, ŷ⟩ŷ‖² of a neuron that is active on the labels of its sign alone, where û = ŷ."""
        begin, cone = self.begin, self.cones[j]
        side = self.setting.whole_side(begin.labels, begin.active[j], begin.neurons[j])
        if not side or int(begin.active[j].sum()) > len(side):
            return None
        size = length(cone.off) * shrink
        return square((size + 2 * relative) / (1 + relative))

    def _residual(self, log_a: list[Ball], q: list[list[Ball]]) -> list[Ball]:
        setting, begin = self.setting, self.begin
        squares = [setting.signs[j] * (2 * log).exp() for j, log in zip(begin.neurons, log_a, strict=True)]
        return [setting.y[k] - dot(squares, [row[i] for row in q]) for i, k in enumerate(begin.labels)]

    def coordinate(self, j: int, i: int, tau: Ball) -> Ball:
        """p_jk e^−x, x = ω·tau."""
        cone = self.cones[j]
        x = cone.rate * tau
        doubt = within(cone.size * (self.drift(tau) / self.setting.n).expm1())
        forward = cone.direction[i] * (cone.plus - cone.minus * (-2 * x).exp()) / 2
        return cone.off[i] * (-x).exp() + forward + doubt

    def pull(self, i: int, tau: Ball) -> Ball:
        """The residual at a label: of the sign of the label, as ‖h‖ stays below it on a plateau."""
        return self.setting.y[self.begin.labels[i]]

    def crossing(self, j: int, i: int) -> Ball:
        """About the time at which p_jk reaches 0 on the boost. [D, section 2.4]"""
        cone = self.cones[j]
        beta = -cone.off[i] / cone.direction[i]
        rapidity = ((beta + (beta * beta + cone.plus * cone.minus).sqrt()) / cone.plus).log()
        return (rapidity / cone.rate).mid()

    def moment(self, t: Ball) -> Moment:
        """The component at the exact time ``t``."""
        local = self.at(t - self.begin.t)
        a = [log.exp() for log in local.log_a]
        p = [[size * x for x in row] for size, row in zip(a, local.q, strict=True)]
        return replace(self.begin, t=t, a=a, p=p, r=local.r)


def find_plateau(moment: Moment, setting: Setting, depth: float) -> Plateau | None:
    """The plateau on which the neurons begin, as long as B/n stays below e^−``depth``; None where that is too short."""
    plateau = Plateau(moment, setting, ball(0))
    y = [abs(setting.y[k]) for k in moment.labels]
    slowest = setting.n / float(length(y))
    longest = _longest(plateau.cones, math.log(setting.n) - depth)
    if longest < slowest / 4:
        return None
    plateau = Plateau(moment, setting, ball(longest))
    return plateau if plateau.certain() else None


def _cone(moment: Moment, setting: Setting, j: int) -> Cone:
    """Light-cone coordinates; the smaller of plus and minus from their product ‖off‖² + rest, which does not cancel."""
    s = setting.signs[moment.neurons[j]]
    force = [s * setting.y[k] if on else ball(0) for k, on in zip(moment.labels, moment.active[j], strict=True)]
    size, a, p = length(force), moment.a[j], moment.p[j]
    direction = [x / size for x in force]
    b = dot(p, direction)
    off = [x - b * unit if on else ball(0) for x, unit, on in zip(p, direction, moment.active[j], strict=True)]
    product = dot(off, off) + setting.rest[moment.neurons[j]]
    plus, minus = a + b, a - b
    if b > 0:
        minus = product / plus
    elif b < 0:
        plus = product / minus
    return Cone(plus, minus, off, direction, size / setting.n, length([a, *p]).upper())


def _outputs(cones: list[Cone], tau: Ball) -> Ball:
    """B(tau)."""
    return total(square(cone.size) * (2 * cone.rate * tau).expm1() / (4 * cone.rate) for cone in cones)


def _longest(cones: list[Cone], log_level: float) -> float:
    """About the time at which ln B reaches a level: the first at which one term has its share."""
    share = log_level - math.log(len(cones))
    times = [
        (share + math.log(4 * float(cone.rate)) - 2 * ceil_float(cone.size.log())) / (2 * float(cone.rate))
        for cone in cones
    ]
    return min(times)
