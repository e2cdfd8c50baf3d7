"""The state of the whole network at one time, in logarithms where numbers may be small."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from verify.flow.arithmetic import Arithmetic, Array, in_context
from verify.flow.axis import Axis, Framed, framed_axis, log_sum, plain_axis
from verify.flow.constants import Constants, Side
from verify.flow.start import projections_of
from verify.network import Network
from verify.notation import BoolArray
from verify.problem import Problem

CONSTANT = ("problem", "arithmetic", "constants")
"""What a state carries besides arrays."""


@dataclass(frozen=True)
class State:
    """The network at time ``t``, or at many times (T,): every array then has the times as its first axis.

    Shapes are those of one time, with m neurons and n labels.

    - ``log_growth`` (m,): ln(|a_j|/λ), of full accuracy also where λ is far below every machine float.
    - ``log_norms`` (m,): ln|a_j|, which is ln‖w_j‖ for a balanced initialisation. ``signs`` (m,): sign of a_j.
    - ``directions`` (m, n): p_jk/|a_j| with p_jk = ⟨w_j, x_k⟩. ``active`` (m, n): p_jk > 0.
    - ``residual`` (n,): y_k − h(x_k); ``residual_sign``, ``log_residual`` (n,): its sign and ln|r_k|, also where r_k
      itself underflows.
    - ``framed``, ``constants``: coordinates in label frames and constants of the motion, as the flow keeps them.

    ``states[i]`` is one time of many, ``states[i:j]`` a stretch of them: views, not copies.
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
    framed: Framed = field(repr=False)
    constants: Constants = field(repr=False)

    def __getitem__(self, index: Any) -> State:
        """The state at one of the times (an integer), or at some of them (a slice, a mask, indices).

        What has been derived from the arrays already is taken along. Raises ``TypeError`` for a state of one time.
        """
        if np.ndim(self.t) == 0:
            raise TypeError(f"this is the state at the one time t = {self.t}: there is no other to choose")
        out = object.__new__(State)
        out.__dict__.update({k: v if k in CONSTANT else v[index] for k, v in self.__dict__.items()})
        return out

    @cached_property
    @in_context
    def log_norms(self) -> Array:
        """(m,): ln|a_j|."""
        return self.log_growth - self.constants.minus_log_lambda

    @cached_property
    def moving(self) -> Array:
        """(m, n): ``directions`` of active pairs, zero for the others."""
        return np.where(self.active, self.directions, 0 * self.directions)

    @cached_property
    @in_context
    def loss(self) -> Any:
        """L = (1/2n) Σ_k r_k²."""
        return (self.residual * self.residual).sum(axis=-1) / (2 * self.residual.shape[-1])

    @cached_property
    @in_context
    def log_loss(self) -> Any:
        """ln L, also where the loss underflows."""
        return log_sum(2 * self.log_residual, self.arithmetic) - np.log(2 * self.residual.shape[-1])

    def axis(self, side: int) -> Axis:
        """Residual and neurons along and across the labels of the sign of ``side``, without cancellation."""
        return self._axis_plus if side > 0 else self._axis_minus

    @cached_property
    def _axis_plus(self) -> Axis:
        return self._axis(self.constants.side(1))

    @cached_property
    def _axis_minus(self) -> Axis:
        return self._axis(self.constants.side(-1))

    @in_context
    def _axis(self, side: Side) -> Axis:
        plain = plain_axis(side, self.moving, self.residual_sign, self.log_residual, self.arithmetic)
        return framed_axis(side, self.framed, self.log_growth, plain, self.arithmetic)

    @property
    def residual_axis(self) -> Array:
        """(2,): sign of ⟨r, ŷ₊⟩ and of ⟨r, ŷ₋⟩, with ŷ₊ = y₊/‖y₊‖ and ŷ₋ = y₋/‖y₋‖, without cancellation."""
        return np.stack([self.axis(side).sign for side in (1, -1)], axis=-1)

    @property
    def log_residual_axis(self) -> Array:
        """(2,): ln|⟨r, ŷ₊⟩| and ln|⟨r, ŷ₋⟩|."""
        return np.stack([self.axis(side).log_along for side in (1, -1)], axis=-1)

    @property
    def log_residual_off_axis(self) -> Array:
        """(2,): ln of the part of the residual on the labels of each sign that is orthogonal to those labels."""
        return np.stack([self.axis(side).log_across for side in (1, -1)], axis=-1)

    @property
    def log_off_axis(self) -> Array:
        """(m, 2): ln of the part of the positive (column 0) and negative (column 1) coordinates of w_j orthogonal to
        the labels of that sign, over |a_j|; to relative accuracy for neurons active on all of them.
        """
        return np.stack([self.axis(side).log_off for side in (1, -1)], axis=-1)

    @cached_property
    @in_context
    def log_rest(self) -> Array:
        """(m,): ln of the part of w_j that no longer moves, over |a_j|; minus infinity where there is none."""
        return self.constants.log_rest - self.log_growth

    def log_misalignment(self, side: int) -> Array:
        """(m,): ln(1 − cos∠(w_j, D₊)) for side +1, ln(1 − cos∠(w_j, −D₋)) for side −1, without cancellation.

        From the parts of w_j orthogonal to the target, 1 − cos = sin²/(1 + cos); directly for a neuron that is frozen
        below 0 on a label of the side, which cannot come near the target. [D, section 2.9] A neuron whose w_j is 0 has
        no angle and counts as orthogonal.
        """
        return self._misalignment_plus if side > 0 else self._misalignment_minus

    @cached_property
    def _misalignment_plus(self) -> Array:
        return self._misalignment(self.constants.side(1), self.axis(1).log_off)

    @cached_property
    def _misalignment_minus(self) -> Array:
        return self._misalignment(self.constants.side(-1), self.axis(-1).log_off)

    @in_context
    def _misalignment(self, side: Side, log_off: Array) -> Array:
        log, exp = self.arithmetic.log, self.arithmetic.exp
        elsewhere = self.moving[..., ~side.labels]
        along = self.moving @ side.unit
        parts = [2 * log_off, 2 * self.log_rest, log((elsewhere * elsewhere).sum(axis=-1))]
        log_sine = log_sum(np.stack(parts, axis=-1), self.arithmetic)
        log_square = log_sum(np.stack([log_sine, log(along * along)], axis=-1), self.arithmetic)
        log_square = np.where(exp(log_square / 2) > 0, log_square, 0 * along)
        size = exp(log_square / 2)
        cosine = along / size
        ahead = log_sine - log_square - log(1 + abs(cosine))
        out = np.where(cosine > 0, ahead, log(1 + abs(cosine)))
        if side.blocked.any():
            below = (self.directions - self.moving) @ side.unit
            out = np.where(side.blocked, log(abs(1 - cosine - below / size)), out)
        return out

    @in_context
    def parameters(self) -> Network:
        """θ = (a, W) of one time; in float64 numbers below the smallest machine float come out as 0."""
        start, dataset, arithmetic = self.problem.initialisation, self.problem.dataset, self.arithmetic
        size = arithmetic.exp(self.log_norms)
        x = arithmetic.array(dataset.x if dataset.exact_x is None else dataset.exact_x)
        beyond = arithmetic.array(start.exact_directions) - projections_of(self.problem, arithmetic) @ x
        capped = max(self.constants.minus_log_lambda, -700) if not arithmetic.wide else self.constants.minus_log_lambda
        return Network(self.signs * size, (size[:, None] * self.directions) @ x + arithmetic.exp(-capped) * beyond)
