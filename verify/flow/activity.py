"""Which neurons and labels belong together: connected components of the active pairs."""

from __future__ import annotations

from typing import Any

import numpy as np

from verify.flow.compiled import compilable, compiled
from verify.flow.room import filled, vector
from verify.notation import BoolArray, IntArray

IDLE = -1
"""The number of neurons and labels without any active pair."""


def groups(active: BoolArray) -> list[tuple[IntArray, IntArray]]:
    """Split active pairs (m, n) into components: ``(neurons, labels)`` index arrays. [D, section 2.6]

    A component's neurons and labels influence one another and nothing else. Neurons without an active label and
    labels without an active neuron never move again; together they form the last group, when there are any.
    """
    of_neuron, of_label = _memberships(np.where(active, 0, -1))
    found = [number for number in dict.fromkeys(of_label.tolist()) if number >= 0]
    if IDLE in of_neuron or IDLE in of_label:
        found.append(IDLE)
    return [((of_neuron == number).nonzero()[0], (of_label == number).nonzero()[0]) for number in found]


@compiled
def _memberships(channel: Any) -> tuple[Any, Any]:
    """(m,), (n,): the numbers of the components of all neurons and labels."""
    part = parts_of(channel)
    of_neuron, of_label = filled(channel.shape[0], np.int64, IDLE), filled(channel.shape[1], np.int64, IDLE)
    for j in range(channel.shape[0]):
        for i in range(channel.shape[1]):
            if channel[j, i] >= 0:
                of_neuron[j] = of_label[i] = part[i]
    return of_neuron, of_label


@compilable
def parts_of(channel: Any) -> Any:
    """(b,): a number for each label, the same for labels that a chain of neurons joins."""
    k, b = channel.shape
    part = vector(b, np.int64)
    for i in range(b):
        part[i] = i
    for j in range(k):
        first = -1
        for i in range(b):
            if channel[j, i] < 0:
                continue
            if first < 0:
                first = i
            old, new = part[i], part[first]
            if old != new:
                for label in range(b):
                    if part[label] == old:
                        part[label] = new
    return part
