"""The label frame: coordinates whose first axis is the target, so that off-axis parts never cancel."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

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
    """

    axes: Array
    block: IntArray
    framed: BoolArray
    axis: BoolArray

    @staticmethod
    def of(y: Array, arithmetic: Arithmetic, without: BoolArray | None = None) -> Frame:
        """The frame of labels ``y`` (b,), leaving out blocks that contain a label marked in ``without``."""
        size = len(y)
        axes = arithmetic.array(np.eye(size))
        negative = np.asarray(y <= 0, dtype=bool)
        framed = np.zeros(size, dtype=bool)
        axis = np.zeros(size, dtype=bool)
        for inside in (~negative, negative):
            members = inside.nonzero()[0]
            if len(members) < 2 or (without is not None and without[members].any()):
                continue
            pivot, rows = _reflection(abs(y[members]), arithmetic)
            axes[members[:, None], members] = rows
            framed[members] = True
            axis[members[pivot]] = True
        return Frame(axes, negative.astype(np.int64), framed, axis)

    @cached_property
    def off_axis(self) -> BoolArray:
        """(b,): coordinates that vanish for a neuron aligned with its target."""
        return self.framed & ~self.axis

    def rotated(self, active: BoolArray) -> BoolArray:
        """(…, m, b): the pairs written along the axes, those of neurons active on a whole framed block."""
        out = np.zeros(active.shape, dtype=bool)
        for members in self._blocks:
            out[..., members] = active[..., members].all(axis=-1, keepdims=True)
        return out

    @cached_property
    def _blocks(self) -> list[IntArray]:
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
        others = [theirs[members].tolist() for members in other._blocks]
        for members in self._blocks:
            out[members] = mine[members].tolist() in others
        return out


def _reflection(y: Array, arithmetic: Arithmetic) -> tuple[int, Array]:
    """Orthonormal rows whose row ``pivot`` is y/‖y‖, for y > 0; entries without cancellation."""
    y = y / max(y)
    unit = y / arithmetic.sqrt((y * y).sum())
    pivot = int(np.argmax(unit))
    rows = np.outer(unit, unit) / (1 + unit[pivot]) - arithmetic.array(np.eye(len(y)))
    rows[pivot, :] = unit
    rows[:, pivot] = unit
    return pivot, rows
