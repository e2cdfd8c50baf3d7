"""A component: neurons and labels that evolve together, and its state at one moment."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from verify.flow.activity import groups
from verify.flow.arithmetic import Arithmetic, Array
from verify.flow.frame import Frame
from verify.notation import BoolArray, IntArray

LARGEST_EXPONENT = 600.0
"""Cap on exponents of weights over a tiny unit: what has them is multiplied by zero."""


@dataclass(frozen=True)
class Component:
    """Who takes part, and how the coordinates are written. Shapes: k neurons, b labels.

    - ``neurons``, ``labels``: their numbers in the problem. ``signs`` (k,): s_j. ``y`` (b,): labels.
    - ``n``: number of labels of the whole problem (the loss carries 1/n).
    - ``excess`` (k,): the conserved α² − ‖p_A‖² in units of λ²; ``minus_log_lambda``: Λ.
    - ``active`` (k, b): which pairs are on. ``frame``: the label frame.
    """

    neurons: IntArray
    labels: IntArray
    signs: Array
    y: Array
    n: int
    excess: Array
    minus_log_lambda: Any
    active: BoolArray
    frame: Frame
    arithmetic: Arithmetic

    @cached_property
    def rotated(self) -> BoolArray:
        """(k, b): pairs written along the axes of the frame."""
        return self.frame.rotated(self.active)

    @cached_property
    def lateral(self) -> BoolArray:
        """(k, b): rotated pairs off the axis; they vanish for a neuron aligned with its target."""
        return self.rotated & self.frame.off_axis

    @cached_property
    def plain(self) -> BoolArray:
        """(k, b): active pairs that are written at their label."""
        return self.active & ~self.rotated

    @cached_property
    def turning(self) -> BoolArray:
        """(k,): neurons with α² < |p|², the only ones whose α can change sign. [T, Lemma 1]"""
        return np.asarray(self.excess < 0, dtype=bool)

    @cached_property
    def channel(self) -> IntArray:
        """(k, b): the residual row that drives each pair, −1 for pairs that are off."""
        return self.frame.channel(self.active, self.rotated)

    def scaled_excess(self, log_scale: Array) -> Array:
        """(k,): ``excess`` in units of the neurons' squared scales."""
        shrink = np.where(self.excess == 0, 0 * log_scale, -2 * log_scale)
        return self.excess * self.arithmetic.exp(shrink)

    def weight(self, log_scale: Array, log_unit: float = 0.0) -> Array:
        """(k,): squared scales (λ e^ℓ)² over e^log_unit; zero where that underflows, capped where it overflows."""
        if log_unit == 0.0:
            return self.arithmetic.exp(2 * (log_scale - self.minus_log_lambda))
        return np.exp(np.minimum(2 * (log_scale - self.minus_log_lambda) - log_unit, LARGEST_EXPONENT))

    def at_labels(self, z: Array, rows: IntArray | slice = slice(None)) -> Array:
        """(k, b): p_jk from the coordinates of the pairs (of some rows); zero for pairs that are off."""
        if not self.frame.blocks:
            return z
        rotated = self.rotated[rows]
        return np.where(rotated, self.frame.to_labels(z * rotated), z)

    def along_axes(self, z: Array) -> Array:
        """(k, b): all active coordinates of each neuron, written along the axes."""
        return z * self.rotated + self.frame.to_axes(z * ~self.rotated) if self.frame.blocks else z


@dataclass(frozen=True)
class Moment:
    """State of a component at time ``t``.

    - Neuron j is λ e^ℓ (α, z), ℓ = ``log_scale``: ``alpha`` (k,) is s_j a_j, ``z`` (k, b) its coordinates, pairs
      that are off being zero.
    - ``off`` (k, b) in units of λ e^log_off: the same as z on lateral pairs, where z itself may underflow.
    - ``residual`` (b,) along the axes, each entry in units of e^``log_residual`` (b,).
    """

    t: Any
    log_scale: Array
    alpha: Array
    z: Array
    off: Array
    log_off: Array
    residual: Array
    log_residual: Array

    def of(self, neurons: IntArray, labels: IntArray) -> Moment:
        """The state of some of the neurons and labels, at these positions."""
        inside, residual = (neurons[:, None], labels), (self.residual[labels], self.log_residual[labels])
        log_scale, log_off = self.log_scale[neurons], self.log_off[neurons]
        return Moment(self.t, log_scale, self.alpha[neurons], self.z[inside], self.off[inside], log_off, *residual)

    def plain_residual(self, arithmetic: Arithmetic) -> Array:
        """(b,): the residual along the axes; tiny entries may underflow."""
        return self.residual * arithmetic.exp(self.log_residual)


def moment(t: Any, log_scale: Array, alpha: Array, z: Array, residual: Array) -> Moment:
    """A moment without separate scales for small parts."""
    return Moment(t, log_scale, alpha, z, z, log_scale, residual, residual * 0)


def reframe(component: Component, now: Moment, active: BoolArray, frame: Frame) -> tuple[Component, Moment]:
    """The same neurons and labels with other active pairs or another frame."""
    after = replace(component, active=active, frame=frame)
    everyone = np.arange(len(component.neurons))
    return after, _rewrite(component, now, after, everyone, np.arange(len(component.labels)))


def switch_off(component: Component, now: Moment, pairs: tuple[tuple[int, int], ...]) -> list[tuple[Component, Moment]]:
    """The components after the pairs (positions within the component) have been switched off."""
    neurons, labels = (np.array(positions) for positions in zip(*pairs, strict=True))
    active = component.active.copy()
    active[neurons, labels] = False
    after = replace(component, active=active)
    rows = np.unique(neurons)
    at_labels = component.at_labels(now.z[rows], rows)
    z = now.z.copy()
    z[rows] = np.where(after.rotated[rows], now.z[rows], np.where(active[rows], at_labels, 0 * at_labels))
    now = replace(now, z=z)
    return [(after, now)] if len(pairs) == 1 and _bridged(active, neurons[0], labels[0]) else split(after, now)


def _bridged(active: BoolArray, neuron: int, label: int) -> bool:
    """Whether another neuron joins the label to one that the neuron keeps: then nothing comes apart."""
    kept = active[neuron]
    return bool(kept.any() and (active[:, label] & active[:, kept].any(axis=1)).any())


def split(component: Component, now: Moment) -> list[tuple[Component, Moment]]:
    """The independent parts, the idle one last; the component itself when it is connected."""
    parts = groups(component.active)
    if len(parts) == 1:
        return [(component, now)]
    return [_part(component, now, neurons, labels) for neurons, labels in parts]


def _part(component: Component, now: Moment, neurons: IntArray, labels: IntArray) -> tuple[Component, Moment]:
    y, frame = component.y[labels], component.frame.among(labels)
    after = replace(
        component,
        neurons=component.neurons[neurons],
        labels=component.labels[labels],
        signs=component.signs[neurons],
        y=y,
        excess=component.excess[neurons],
        active=component.active[neurons[:, None], labels],
        frame=Frame.of(y, component.arithmetic) if frame is None else frame,
    )
    if frame is None:
        return after, _rewrite(component, now, after, neurons, labels)
    return after, now.of(neurons, labels)


def _rewrite(before: Component, now: Moment, after: Component, neurons: IntArray, labels: IntArray) -> Moment:
    """The state in the coordinates of ``after``, whose neurons and labels are at these positions of ``before``.

    Coordinates along the axes of a block that consists of the same labels are kept, so that they stay accurate.
    """
    frame, inside = after.frame, (neurons[:, None], labels)
    written, off = now.z[inside], now.off[inside]
    same = frame.same_block(before.frame, after.labels, before.labels)
    at_labels = np.where(after.active, before.at_labels(now.z)[inside], written * 0)
    kept = same & after.rotated
    z = np.where(kept, written, np.where(after.rotated, frame.to_axes(at_labels), at_labels))
    fresh: BoolArray = np.asarray((after.lateral & ~kept).any(axis=1))
    natural = before.frame.to_labels(now.plain_residual(before.arithmetic))[labels]
    return Moment(
        t=now.t,
        log_scale=now.log_scale[neurons],
        alpha=now.alpha[neurons],
        z=z,
        off=np.where(fresh[:, None], z, off),
        log_off=np.where(fresh, now.log_scale[neurons], now.log_off[neurons]),
        residual=np.where(same, now.residual[labels], frame.to_axes(natural)),
        log_residual=np.where(same, now.log_residual[labels], 0 * natural),
    )
