"""The label frame: coordinates whose first axis is the target, so that off-axis parts never cancel."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from verify.flow.arithmetic import Arithmetic, Array
from verify.notation import BoolArray, IntArray


@dataclass(frozen=True)
class Frame:
    """Orthonormal axes on the labels of a component, one block for each sign of label. [D, section 2.9]

    In a block of at least two labels the axis of index ``pivot`` is |y_B|/‖y_B‖ and the others are orthogonal to it.
    A neuron that is active on the whole block is written along these axes: its off-axis part then stays small to
    *relative* accuracy, where a difference of natural coordinates would leave only rounding. The entries of the axes
    are accurate one by one, even when the labels span many orders of magnitude.

    - ``axes`` (b, b): one row an axis; the identity on labels outside every block.
    - ``block`` (b,): 0 for positive labels, 1 for negative ones. ``framed`` (b,): whether the label has axes.
    - ``axis`` (b,): True at the index of each block's first axis.
    - ``target`` (b,): the labels along the axes, off-axis entries exactly zero.
    """

    axes: Array
    block: IntArray
    framed: BoolArray
    axis: BoolArray
    target: Array

    @staticmethod
    def of(y: Array, arithmetic: Arithmetic, without: BoolArray | None = None) -> Frame:
        """The frame of labels ``y`` (b,), leaving out blocks that contain a label marked in ``without``."""
        size = len(y)
        axes, target = arithmetic.array(np.eye(size)), y.copy()
        negative = np.asarray(y <= 0, dtype=bool)
        framed, axis = np.zeros(size, dtype=bool), np.zeros(size, dtype=bool)
        for sign, inside in ((1, ~negative), (-1, negative)):
            members = inside.nonzero()[0]
            if len(members) < 2 or (without is not None and without[members].any()):
                continue
            pivot, rows, norm = _reflection(abs(y[members]), arithmetic)
            axes[members[:, None], members] = rows
            framed[members] = True
            axis[members[pivot]] = True
            target[members] = 0 * norm
            target[members[pivot]] = sign * norm
        return Frame(axes, negative.astype(np.int64), framed, axis, target)

    def among(self, labels: IntArray) -> Frame | None:
        """The frame of some of the labels; None where it is not a part of this one: where a block comes apart."""
        sizes = np.bincount(self.block[labels], minlength=2)
        for b, members in enumerate((self.block == 0, self.block == 1)):
            whole = members.sum() if (members & self.framed).any() else 1
            if sizes[b] not in (0, whole):
                return None
        inside = labels[:, None], labels
        return Frame(self.axes[inside], self.block[labels], self.framed[labels], self.axis[labels], self.target[labels])

    @cached_property
    def off_axis(self) -> BoolArray:
        """(b,): coordinates that vanish for a neuron aligned with its target."""
        return self.framed & ~self.axis

    def rotated(self, active: BoolArray) -> BoolArray:
        """(…, m, b): the pairs written along the axes, those of neurons active on a whole framed block."""
        out = np.zeros(active.shape, dtype=bool)
        for members in self.blocks:
            out[..., members] = active[..., members].all(axis=-1, keepdims=True)
        return out

    @cached_property
    def blocks(self) -> list[IntArray]:
        """The labels of each framed block."""
        found = [np.flatnonzero(self.framed & (self.block == b)) for b in (0, 1)]
        return [members for members in found if len(members)]

    def channel(self, active: BoolArray, rotated: BoolArray) -> IntArray:
        """(…, m, b): the residual row that drives each pair (see :func:`verify.flow.series.extend`)."""
        index = np.arange(active.shape[-1])
        natural = np.where(active, index, -1)
        return np.ascontiguousarray(np.where(rotated, index + len(index), natural))

    def to_axes(self, natural: Array) -> Array:
        """Coordinates along the axes of vectors (…, b) given at the labels."""
        return natural @ self.axes.T

    def to_labels(self, along: Array) -> Array:
        """Coordinates at the labels of vectors (…, b) given along the axes."""
        return along @ self.axes

    def same_block(self, other: Frame, mine: IntArray, theirs: IntArray) -> BoolArray:
        """(b,): my labels whose block consists of the same labels in ``other`` (label numbers given for both)."""
        out = np.zeros(len(mine), dtype=bool)
        others = [theirs[members].tolist() for members in other.blocks]
        for members in self.blocks:
            out[members] = mine[members].tolist() in others
        return out


def _reflection(y: Array, arithmetic: Arithmetic) -> tuple[int, Array, Any]:
    """Orthonormal rows whose row ``pivot`` is y/‖y‖, for y > 0, entries without cancellation; and ‖y‖."""
    largest = y.max()
    y = y / largest
    norm = arithmetic.sqrt((y * y).sum())
    unit, pivot = y / norm, int(np.argmax(y))
    rows = unit[:, None] * unit / (1 + unit[pivot]) - arithmetic.array(np.eye(len(y)))
    rows[pivot, :] = unit
    rows[:, pivot] = unit
    return pivot, rows, largest * norm
