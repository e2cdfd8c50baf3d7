"""From the components' moments to the state of the whole network, at one time or at many."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from verify.flow.arithmetic import Arithmetic, Array
from verify.flow.axis import Framed, Timed
from verify.flow.component import Component, Moment
from verify.flow.constants import Constants
from verify.flow.state import CONSTANT, State
from verify.notation import BoolArray
from verify.problem import Problem

NUMBERS = ("t", "log_growth", "directions", "residual", "log_residual")
"""Fields of a state that hold numbers of the arithmetic, signs being floats."""

Piece = tuple[Any, Component, Moment]
"""A component with its moment at some of the times: their positions, ``...`` for one time, a slice of many."""


@dataclass(frozen=True)
class Sheet:
    """What the components say, neuron by neuron and label by label, the times (if many) first.

    ``scale``, ``alpha`` (m,); ``p`` (m, n): coordinates at the labels, in units of λ e^scale; ``active`` (m, n);
    ``residual`` (n,) at the labels in units of e^``log_unit`` (n,); ``framed``: the same along the axes.
    """

    scale: Array
    alpha: Array
    p: Array
    active: BoolArray
    residual: Array
    log_unit: Array
    framed: Framed

    @staticmethod
    def blank(times: tuple[int, ...], m: int, n: int, arithmetic: Arithmetic) -> Sheet:
        """Nothing known yet."""
        neurons, labels, pairs = (*times, m), (*times, n), (*times, m, n)
        zeros = arithmetic.zeros
        return Sheet(
            scale=zeros(neurons),
            alpha=zeros(neurons),
            p=zeros(pairs),
            active=np.zeros(pairs, dtype=bool),
            residual=zeros(labels),
            log_unit=zeros(labels),
            framed=Framed(
                rotated=np.zeros(pairs, dtype=bool),
                off=zeros(pairs),
                log_off=zeros(pairs),
                labels=np.zeros(labels, dtype=bool),
                pivot=np.zeros(labels, dtype=bool),
                residual=zeros(labels),
                log_unit=zeros(labels),
            ),
        )

    def write(self, where: Any, component: Component, now: Moment) -> None:
        """Enter a component at the positions ``where`` of the times."""
        who, labels = component.neurons, component.labels
        pairs = where, who[:, None], labels
        self.scale[where, who] = now.log_scale
        self.alpha[where, who] = now.alpha
        self.p[pairs] = component.at_labels(now.z)
        self.active[pairs] = component.active
        if len(labels):
            self.residual[where, labels], self.log_unit[where, labels] = residual_at_labels(component, now)
        if component.frame.blocks:
            self._write_framed(where, component, now)

    def _write_framed(self, where: Any, component: Component, now: Moment) -> None:
        who, inside = component.neurons, component.frame.framed
        labels, framed = component.labels[inside], self.framed
        pairs = where, who[:, None], labels
        framed.rotated[pairs] = component.rotated[..., inside]
        framed.off[pairs] = now.off[..., inside]
        framed.log_off[pairs] = now.log_off[..., None]
        framed.labels[where, labels] = True
        framed.pivot[where, labels] = component.frame.axis[inside]
        framed.residual[where, labels] = now.residual[..., inside]
        framed.log_unit[where, labels] = now.log_residual[..., inside]


def assemble(problem: Problem, arithmetic: Arithmetic, constants: Constants, t: Any, pieces: Sequence[Piece]) -> State:
    """The components' states put together, at the time ``t`` or at times (T,); later pieces go before earlier ones."""
    m, n = constants.frozen.shape
    sheet = Sheet.blank(np.shape(t), m, n, arithmetic)
    for piece in pieces:
        sheet.write(*piece)
    size = abs(sheet.alpha)
    log_growth = sheet.scale + arithmetic.log(size)
    shrunk = arithmetic.exp(np.where(constants.mobile, 0 * log_growth, -log_growth))
    return State(
        t=t,
        problem=problem,
        arithmetic=arithmetic,
        log_growth=log_growth,
        signs=problem.initialisation.signs * arithmetic.sign(sheet.alpha),
        directions=np.where(sheet.active, sheet.p / size[..., None], constants.frozen * shrunk[..., None]),
        active=sheet.active,
        residual=sheet.residual * arithmetic.exp(sheet.log_unit),
        residual_sign=arithmetic.sign(sheet.residual),
        log_residual=arithmetic.log(abs(sheet.residual)) + sheet.log_unit,
        framed=sheet.framed,
        constants=constants,
    )


def concatenated(states: Sequence[State]) -> State:
    """States at many times, one part after the other, with what has been derived from all of the parts already."""
    if len(states) == 1:
        return states[0]
    every = [vars(state) for state in states]
    names = [name for name in every[0] if name not in CONSTANT and all(name in part for part in every)]
    out = object.__new__(State)
    out.__dict__.update({name: every[0][name] for name in CONSTANT})
    out.__dict__.update({name: _one_after_the_other([part[name] for part in every]) for name in names})
    return out


def _one_after_the_other(parts: Sequence[Any]) -> Any:
    """Arrays, or dataclasses of arrays."""
    return type(parts[0]).joined(parts) if isinstance(parts[0], Timed) else np.concatenate(parts)


def residual_at_labels(component: Component, now: Moment) -> tuple[Array, Array]:
    """The residual (…, b) at the labels from its entries along the axes: numbers, and the logarithms of their units."""
    if not component.frame.blocks:
        return now.residual, now.log_residual
    if not now.log_residual.any():
        return component.frame.to_labels(now.residual), now.log_residual
    mixing = component.frame.axes.T
    entries, log_units = now.residual[..., None, :], now.log_residual[..., None, :]
    heard = (mixing != 0) & (entries != 0)
    units = np.where(heard, log_units, -np.inf)
    top = units.max(axis=-1, initial=-np.inf)
    top = np.where(top == -np.inf, 0.0, top)
    return (mixing * entries * component.arithmetic.exp(units - top[..., None])).sum(axis=-1), top


def exported(state: State, shown: Arithmetic, constants: Constants, export: Callable[[Array], Array]) -> State:
    """The state in the numbers that users see, with their arithmetic and the constants in it."""
    values = {name: export(value) for name, value in vars(state).items() if name in NUMBERS}
    framed = {f.name: getattr(state.framed, f.name) for f in fields(state.framed)}
    framed = {name: export(value) if value.dtype == object else value for name, value in framed.items()}
    return replace(state, **values, framed=Framed(**framed), arithmetic=shown, constants=constants)
