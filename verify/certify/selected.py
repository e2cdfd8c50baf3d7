"""θ*, the minimal-norm interpolator that the flow selects as λ → 0, in balls."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from verify.certify.balls import Ball, ball, length, root, square, total
from verify.certify.deaths import first_death, stop
from verify.certify.moment import Moment, Setting, begin
from verify.certify.passage import through
from verify.certify.plateau import Plateau
from verify.certify.state import CertifiedState, Side
from verify.errors import PrecisionExhausted
from verify.problem import Problem

LONG = 60
"""Rapidity after which a neuron that has not lost a label keeps it: e^−2x is below all digits that decide."""


class Linear(Plateau):
    """A neuron under the residual y for ever: a boost, whatever its outputs would be."""

    def drift(self, tau: Ball) -> Ball:
        return ball(0)

    def _residual(self, log_a: list[Ball], q: list[list[Ball]]) -> list[Ball]:
        return [self.setting.y[k] for k in self.begin.labels]


def amplitude(problem: Problem, j: int) -> Ball:
    """A_j = lim e^(−ωt)‖w_j‖/λ under r = y, ω the neuron's final rate, from boosts between deactivations. [D]"""
    setting, moment = begin(problem)
    labels = np.flatnonzero(moment.active[j]).tolist()
    moment = Moment(ball(0), (j,), tuple(labels), moment.active[np.ix_([j], labels)], [moment.a[j]],
                    [[moment.p[j][k] for k in labels]], [setting.y[k] for k in labels])  # fmt: skip
    while True:
        segment = _linear(moment, setting)
        cone = segment.cones[0]
        span, death = first_death(segment, setting)
        if death is None and any(size < 0 for size in cone.direction):
            raise PrecisionExhausted(f"whether neuron {j} loses a label under r = y is not certain")
        if death is None:
            return cone.plus / 2 * (-cone.rate * moment.t).exp() / setting.scale
        passage = through(stop(segment, span), setting, death.pairs, death.last - death.first)
        after = passage.after()
        moment = replace(after, r=[setting.y[k] for k in after.labels])


def _linear(moment: Moment, setting: Setting) -> Linear:
    rate = Linear(moment, setting, ball(0)).cones[0].rate
    return Linear(moment, setting, (LONG / rate).mid())


def selected_sizes(problem: Problem, setting: Setting, sides: tuple[Side, ...]) -> list[Ball]:
    """(m,): c_j = A_j sqrt(n‖D±‖/Σ A²) on the key sets of the sides, zero elsewhere. [D]"""
    sizes = [ball(0)] * len(setting.signs)
    for side in sides:
        found = {j: amplitude(problem, j) for j in side.key}
        scale = (setting.n * side.norm).sqrt() / length(found.values())
        for j, a in found.items():
            sizes[j] = a * scale
    return sizes


def distance(state: CertifiedState, sizes: list[Ball], sides: tuple[Side, ...]) -> Ball:
    """‖θ − θ*‖ over hidden and output weights, θ* with w_j = c_j ŷ along its target."""
    setting, squares = state.setting, []
    for j, (norm, size) in enumerate(zip(state.norms, sizes, strict=True)):
        aim = {
            k: size * unit for side in sides if j in side.key for k, unit in zip(side.labels, side.unit, strict=True)
        }
        row = [norm * x - aim.get(k, ball(0)) for k, x in enumerate(state.directions[j])]
        never = setting.rest[j] - total(x * x for x in setting.frozen[j])
        squares.append(total(x * x for x in row) + never + square(norm - size))
    return root(total(squares))
