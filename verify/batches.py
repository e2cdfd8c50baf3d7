"""Measures of many times at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from verify.errors import InvalidArgument
from verify.flow.state import State
from verify.flow.trajectory import PAIRS
from verify.notation import BoolArray, FloatArray, IntArray

Measure = Callable[[State], FloatArray]
"""A quantity for every member (neuron, label, …) of a family, as float64; −inf where it does not apply."""

Level = Callable[[State], float]
"""A number that is negative until something happens."""


@dataclass(frozen=True)
class Batched:
    """A measure or level that takes the states at many times as one, and gives one row or number a time.

    It gets a :class:`State` whose arrays have the times (T,) as their first axis and returns (T, members), or (T,) for
    a level. A measure that is not marked so is given one time after another, which is slower and no less accurate.
    """

    measure: Callable[[State], Any]

    def __call__(self, states: State) -> FloatArray:
        """One row a time. Raises ``InvalidArgument`` when the measure gives anything else.

        One time alone is shown twice: a measure that mistakes it for a single state is found out there too.
        """
        if len(states.t) == 1:
            return self(states[[0, 0]])[:1]
        count = len(states.t)
        values = np.asarray(self.measure(states), dtype=np.float64)
        if values.ndim == 0 or len(values) != count:
            raise InvalidArgument(
                f"a Batched measure gave shape {values.shape} for {count} times; its first axis must be the times "
                f"(index with [..., j], sum with axis=-1), or leave the mark Batched away"
            )
        return values


def joined(count: int, parts: list[tuple[BoolArray, FloatArray]]) -> FloatArray:
    """Rows put back where they belong."""
    if len(parts) == 1:
        return parts[0][1]
    out = np.empty((count, *parts[0][1].shape[1:]))
    for where, rows in parts:
        out[where] = rows
    return out


def measured(measure: Batched, states: State) -> FloatArray:
    """The measure, a part of the times after the other where all at once would be too many pairs."""
    most = max(1, PAIRS // max(1, states.active[0].size))
    if len(states.t) <= most:
        return measure(states)
    return np.concatenate([measure(states[i : i + most]) for i in range(0, len(states.t), most)])


def measured_at(measure: Batched, states: State, places: IntArray) -> FloatArray:
    """The measure at sorted places: on the whole stretch of states, without copies, where it is asked for at most."""
    first, last = int(places[0]), int(places[-1]) + 1
    if last - first > 2 * len(places):
        return measured(measure, states[places])
    return measured(measure, states[first:last])[places - first]
