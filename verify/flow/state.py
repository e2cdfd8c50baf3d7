"""The state of the whole network at one time, in logarithms where numbers may be small."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from verify.flow.arithmetic import Arithmetic, Array
from verify.flow.boost import to_float
from verify.flow.component import Component, Moment
from verify.flow.start import orthogonal_square
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
    - ``parts``: the components with their moments, as the flow keeps them.
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
        return _log_sum(list(2 * self.log_residual), self.arithmetic) - np.log(2 * len(self.residual))

    @property
    def residual_axis(self) -> Array:
        """(2,): sign of ⟨r, ŷ₊⟩ and of ⟨r, ŷ₋⟩, with ŷ₊ = y₊/‖y₊‖ and ŷ₋ = y₋/‖y₋‖, without cancellation."""
        return self._axes[0]

    @property
    def log_residual_axis(self) -> Array:
        """(2,): ln|⟨r, ŷ₊⟩| and ln|⟨r, ŷ₋⟩|."""
        return self._axes[1]

    @property
    def log_off_axis(self) -> Array:
        """(m, 2): ln of the part of the positive (column 0) and negative (column 1) coordinates of w_j orthogonal to
        the labels of that sign, over |a_j|; to relative accuracy for neurons active on all of them.
        """
        return self._axes[2]

    @property
    def log_residual_off_axis(self) -> Array:
        """(2,): ln of the part of the residual on the labels of each sign that is orthogonal to those labels."""
        return self._axes[3]

    @cached_property
    def _axes(self) -> tuple[Array, Array, Array, Array]:
        signs, logs, sideways = np.zeros(2), self.arithmetic.zeros(2), self.arithmetic.zeros(2)
        log_off = self.arithmetic.zeros((len(self.signs), 2))
        for column, side in enumerate((1, -1)):
            signs[column], logs[column], log_off[:, column], sideways[column] = _axis(self, side, column)
        return signs, logs, log_off, sideways

    def parameters(self) -> Network:
        """θ = (a, W) in float64; numbers below the smallest machine float come out as 0."""
        start, dataset = self.problem.initialisation, self.problem.dataset
        a = to_float(self.signs * self.arithmetic.exp(self.log_norms))
        p = to_float(self.arithmetic.exp(self.log_norms)[:, None] * self.directions)
        beyond = start.directions - self.problem.projections @ dataset.x
        scale = np.exp(-start.minus_log_lambda) if -700 < start.minus_log_lambda < 745 else 0.0
        return Network(a, p @ dataset.x + scale * beyond)

    @cached_property
    def log_rest(self) -> Array:
        """(m,): ln of the part of w_j that no longer moves, over |a_j|; minus infinity where there is none."""
        arithmetic = self.arithmetic
        frozen = arithmetic.array(np.minimum(self.problem.projections, 0.0))
        square = (frozen * frozen).sum(axis=1) + orthogonal_square(self.problem, arithmetic)
        return arithmetic.log(square) / 2 - self.log_growth

    def log_misalignment(self, side: int) -> Array:
        """(m,): ln(1 − cos∠(w_j, D₊)) for side +1, ln(1 − cos∠(w_j, −D₋)) for side −1, without cancellation.

        From the parts of w_j orthogonal to the target, 1 − cos = sin²/(1 + cos); directly for a neuron that is frozen
        below 0 on a label of the side, which cannot come near the target. [D, section 2.9]
        """
        log = self.arithmetic.log
        inside = self.problem.dataset.positive if side > 0 else self.problem.dataset.negative
        moving = np.where(self.active, self.directions, self.directions * 0)
        elsewhere = np.where(inside, moving * 0, moving)
        along = moving @ _unit(self.problem, side, self.arithmetic)
        log_sine = _log_sum(
            [
                2 * self.log_off_axis[:, 0 if side > 0 else 1],
                2 * self.log_rest,
                log((elsewhere * elsewhere).sum(axis=1)),
            ],
            self.arithmetic,
        )
        log_square = _log_sum([log_sine, log(along * along)], self.arithmetic)
        cosine = along / self.arithmetic.exp(log_square / 2)
        still = np.where(self.active | ~inside, 0 * self.directions, self.directions)
        frozen = (still < 0).any(axis=1)
        full = cosine + (still @ _unit(self.problem, side, self.arithmetic)) / self.arithmetic.exp(log_square / 2)
        ahead = log_sine - log_square - log(1 + abs(cosine))
        return np.where(frozen, log(abs(1 - full)), np.where(cosine > 0, ahead, log(1 + abs(cosine))))


def assemble(problem: Problem, arithmetic: Arithmetic, t: Any, parts: Sequence[tuple[Component, Moment]]) -> State:
    """The components' states put together."""
    m, n = problem.projections.shape
    log_growth, signs = arithmetic.zeros(m), arithmetic.zeros(m)
    directions, log_residual, residual_sign = arithmetic.zeros((m, n)), arithmetic.zeros(n), np.zeros(n)
    active = np.zeros((m, n), dtype=bool)
    for component, now in parts:
        who, where = component.neurons, np.ix_(component.neurons, component.labels)
        log_growth[who] = now.log_scale + arithmetic.log(abs(now.alpha))
        signs[who] = component.signs * np.sign(to_float(now.alpha))
        directions[where] = component.at_labels(now.z) / abs(now.alpha)[:, None]
        active[where] = component.active
        residual_sign[component.labels], log_residual[component.labels] = _residual_at_labels(component, now)
    frozen = arithmetic.array(np.minimum(problem.projections, 0.0))
    still = (frozen == 0).all(axis=1)
    shrunk = arithmetic.exp(np.where(still, 0 * log_growth, -log_growth))
    return State(
        t=t,
        problem=problem,
        arithmetic=arithmetic,
        log_growth=log_growth,
        signs=signs,
        directions=np.where(active, directions, frozen * shrunk[:, None]),
        active=active,
        residual=residual_sign * arithmetic.exp(log_residual),
        residual_sign=residual_sign,
        log_residual=log_residual,
        parts=parts,
    )


def _axis(state: State, side: int, column: int) -> tuple[Any, Any, Array, Any]:
    """Sign and logarithm of the residual along one target, logarithms of the neurons' off-axis parts and of its own.

    From the label frame of the component that holds all labels of the side, from plain coordinates without one.
    """
    arithmetic = state.arithmetic
    unit = _unit(state.problem, side, arithmetic)
    moving = np.where(state.active & (unit > 0), state.directions, state.directions * 0)
    off = moving - np.outer(moving @ unit, unit)
    log_off = arithmetic.log((off * off).sum(axis=1)) / 2
    logs = np.where(unit > 0, state.log_residual, -np.inf)
    top = max(logs)
    top = top if top > -np.inf else 0.0
    scaled = state.residual_sign * arithmetic.exp(logs - top)
    along, log_along = side * (scaled @ unit), top
    across = scaled - side * along * unit
    log_across = arithmetic.log((across * across).sum()) / 2 + top
    for component, now in state.parts:
        frame = component.frame
        members = frame.framed & (frame.block == column)
        if members.sum() < max(2, int((unit > 0).sum())):
            continue
        axis = int(np.flatnonzero(members & frame.axis)[0])
        along, log_along = side * now.residual[axis], now.log_residual[axis]
        apart = members & ~frame.axis
        log_across = (
            _log_sum(list(2 * (arithmetic.log(abs(now.residual[apart])) + now.log_residual[apart])), arithmetic) / 2
        )
        full = component.rotated[:, members].all(axis=1)
        sideways = now.off[full][:, members & ~frame.axis]
        who = component.neurons[full]
        log_off[who] = arithmetic.log((sideways * sideways).sum(axis=1)) / 2
        log_off[who] += now.log_off[full] - state.log_growth[who]
    return np.sign(float(along)), arithmetic.log(abs(along)) + log_along, log_off, log_across


def _residual_at_labels(component: Component, now: Moment) -> tuple[Array, Array]:
    """Sign and logarithm of the residual at the labels, from its entries along the axes in their own units."""
    arithmetic = component.arithmetic
    mixing = component.frame.axes.T
    sizes = np.where(mixing != 0, now.log_residual + arithmetic.magnitude(now.residual), -np.inf)
    top = sizes.max(axis=1, initial=-np.inf)
    top = np.where(np.isfinite(top), top, 0.0)
    total = (mixing * np.sign(to_float(now.residual)) * arithmetic.exp(sizes - top[:, None])).sum(axis=1)
    return np.sign(to_float(total)), arithmetic.log(abs(total)) + top


def _unit(problem: Problem, side: int, arithmetic: Arithmetic) -> Array:
    """(n,): the labels of one sign in size, normalised; zero elsewhere."""
    y = problem.dataset.y
    inside = arithmetic.array(np.where(y * side > 0, abs(y), 0.0))
    largest = max(inside)
    if not largest > 0:
        return inside
    scaled = inside / largest
    return scaled / arithmetic.sqrt((scaled * scaled).sum())


def _log_sum(logs: list[Array], arithmetic: Arithmetic) -> Array:
    """ln Σ e^logs, elementwise over the list."""
    top = logs[0]
    for other in logs[1:]:
        top = np.where(other > top, other, top)
    safe = np.where(top == -np.inf, 0.0, top)
    return safe + arithmetic.log(sum(arithmetic.exp(values - safe) for values in logs))
