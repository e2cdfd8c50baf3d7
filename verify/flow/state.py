"""The state of the whole network at one time, in logarithms where numbers may be small."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from verify.flow.arithmetic import Arithmetic, Array
from verify.flow.axis import Axis, framed_axis, holds_side, log_sum, plain_axis, residual_at_labels
from verify.flow.boost import to_float
from verify.flow.component import Component, Moment
from verify.flow.constants import Constants, Side
from verify.network import Network
from verify.notation import BoolArray
from verify.problem import Problem


@dataclass(frozen=True)
class State:
    """The network at time ``t``. Shapes: m neurons, n labels.

    - ``log_growth`` (m,): ln(|a_j|/λ), of full accuracy also where λ is far below every machine float.
    - ``log_norms`` (m,): ln|a_j|, which is ln‖w_j‖ for a balanced initialisation. ``signs`` (m,): sign of a_j.
    - ``directions`` (m, n): p_jk/|a_j| with p_jk = ⟨w_j, x_k⟩. ``active`` (m, n): p_jk > 0.
    - ``residual`` (n,): y_k − h(x_k); ``residual_sign``, ``log_residual`` (n,): its sign and ln|r_k|, also where r_k
      itself underflows.
    - ``parts``, ``constants``: the components with their moments, as the flow keeps them; constants of the motion.
    """

    t: Any
    problem: Problem
    arithmetic: Arithmetic
    log_growth: Array
    signs: Array
    directions: Array
    active: BoolArray
    residual: Array
    residual_sign: Array
    log_residual: Array
    parts: Sequence[tuple[Component, Moment]] = field(repr=False)
    constants: Constants = field(repr=False)

    @cached_property
    def log_norms(self) -> Array:
        """(m,): ln|a_j|."""
        return self.log_growth - self.problem.initialisation.minus_log_lambda

    @cached_property
    def loss(self) -> Any:
        """L = (1/2n) Σ_k r_k²."""
        return (self.residual * self.residual).sum() / (2 * len(self.residual))

    @cached_property
    def log_loss(self) -> Any:
        """ln L, also where the loss underflows."""
        return log_sum(list(2 * self.log_residual), self.arithmetic) - np.log(2 * len(self.residual))

    @property
    def residual_axis(self) -> Array:
        """(2,): sign of ⟨r, ŷ₊⟩ and of ⟨r, ŷ₋⟩, with ŷ₊ = y₊/‖y₊‖ and ŷ₋ = y₋/‖y₋‖, without cancellation."""
        return np.array([axis.sign for axis in self._axes])

    @property
    def log_residual_axis(self) -> Array:
        """(2,): ln|⟨r, ŷ₊⟩| and ln|⟨r, ŷ₋⟩|."""
        return np.array([axis.log_along for axis in self._axes])

    @property
    def log_residual_off_axis(self) -> Array:
        """(2,): ln of the part of the residual on the labels of each sign that is orthogonal to those labels."""
        return np.array([axis.log_across for axis in self._axes])

    @property
    def log_off_axis(self) -> Array:
        """(m, 2): ln of the part of the positive (column 0) and negative (column 1) coordinates of w_j orthogonal to
        the labels of that sign, over |a_j|; to relative accuracy for neurons active on all of them.
        """
        return np.stack([axis.log_off for axis in self._axes], axis=1)

    @cached_property
    def _axes(self) -> tuple[Axis, Axis]:
        plus, minus = (self._axis(side) for side in self.constants.sides)
        return plus, minus

    def _axis(self, side: Side) -> Axis:
        moving = np.where(self.active, self.directions, 0 * self.directions)
        plain = plain_axis(side, moving, self.residual_sign, self.log_residual, self.arithmetic)
        for component, now in self.parts:
            if holds_side(component, side):
                return framed_axis(component, now, side, plain, self.log_growth)
        return plain

    @cached_property
    def log_rest(self) -> Array:
        """(m,): ln of the part of w_j that no longer moves, over |a_j|; minus infinity where there is none."""
        return self.constants.log_rest - self.log_growth

    def log_misalignment(self, side: int) -> Array:
        """(m,): ln(1 − cos∠(w_j, D₊)) for side +1, ln(1 − cos∠(w_j, −D₋)) for side −1, without cancellation.

        From the parts of w_j orthogonal to the target, 1 − cos = sin²/(1 + cos); directly for a neuron that is frozen
        below 0 on a label of the side, which cannot come near the target. [D, section 2.9]
        """
        return self._misalignment_plus if side > 0 else self._misalignment_minus

    @cached_property
    def _misalignment_plus(self) -> Array:
        return self._misalignment(self.constants.side(1), self._axes[0])

    @cached_property
    def _misalignment_minus(self) -> Array:
        return self._misalignment(self.constants.side(-1), self._axes[1])

    def _misalignment(self, side: Side, axis: Axis) -> Array:
        log, exp = self.arithmetic.log, self.arithmetic.exp
        moving = np.where(self.active, self.directions, 0 * self.directions)
        elsewhere = moving[:, ~side.labels]
        along = moving @ side.unit
        log_sine = log_sum(
            [2 * axis.log_off, 2 * self.log_rest, log((elsewhere * elsewhere).sum(axis=1))], self.arithmetic
        )
        log_square = log_sum([log_sine, log(along * along)], self.arithmetic)
        cosine = along / exp(log_square / 2)
        ahead = log_sine - log_square - log(1 + abs(cosine))
        out = np.where(cosine > 0, ahead, log(1 + abs(cosine)))
        if side.blocked.any():
            below = np.where(self.active, 0 * self.directions, self.directions) @ side.unit
            out = np.where(side.blocked, log(abs(1 - cosine - below / exp(log_square / 2))), out)
        return out

    def parameters(self) -> Network:
        """θ = (a, W) in float64; numbers below the smallest machine float come out as 0."""
        start, dataset = self.problem.initialisation, self.problem.dataset
        a = to_float(self.signs * self.arithmetic.exp(self.log_norms))
        p = to_float(self.arithmetic.exp(self.log_norms)[:, None] * self.directions)
        beyond = start.directions - self.problem.projections @ dataset.x
        scale = np.exp(-start.minus_log_lambda) if -700 < start.minus_log_lambda < 745 else 0.0
        return Network(a, p @ dataset.x + scale * beyond)


def assemble(
    problem: Problem,
    arithmetic: Arithmetic,
    constants: Constants,
    t: Any,
    parts: Sequence[tuple[Component, Moment]],
) -> State:
    """The components' states put together."""
    m, n = constants.frozen.shape
    log_growth, signs = arithmetic.zeros(m), arithmetic.zeros(m)
    directions, residual_sign = arithmetic.zeros((m, n)), np.zeros(n)
    residual, log_residual = arithmetic.zeros(n), arithmetic.zeros(n)
    active = np.zeros((m, n), dtype=bool)
    for component, now in parts:
        who, where = component.neurons, np.ix_(component.neurons, component.labels)
        size = abs(now.alpha)
        log_growth[who] = now.log_scale + arithmetic.log(size)
        signs[who] = component.signs * arithmetic.sign(now.alpha)
        directions[where] = component.at_labels(now.z) / size[:, None]
        active[where] = component.active
        if len(component.labels):
            entries, units = residual_at_labels(component, now)
            residual_sign[component.labels] = arithmetic.sign(entries)
            log_residual[component.labels] = arithmetic.log(abs(entries)) + units
            residual[component.labels] = entries * arithmetic.exp(units)
    shrunk = arithmetic.exp(np.where(constants.mobile, 0 * log_growth, -log_growth))
    return State(
        t=t,
        problem=problem,
        arithmetic=arithmetic,
        log_growth=log_growth,
        signs=signs,
        directions=np.where(active, directions, constants.frozen * shrunk[:, None]),
        active=active,
        residual=residual,
        residual_sign=residual_sign,
        log_residual=log_residual,
        parts=parts,
        constants=constants,
    )
