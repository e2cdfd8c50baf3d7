"""Which neurons and labels belong together: connected components of the active pairs."""

from __future__ import annotations

from typing import Any

import numpy as np

from verify.flow.compiled import compiled
from verify.notation import BoolArray, IntArray


def groups(active: BoolArray) -> list[tuple[IntArray, IntArray]]:
    """Split active pairs (m, n) into components: ``(neurons, labels)`` index arrays. [D, section 2.6]

    A component's neurons and labels influence one another and nothing else. Neurons without an active label and
    labels without an active neuron never move again; together they form the last group, when there are any.
    """
    part = parts_of(np.where(active, 0, -1))
    moved, busy = active.any(axis=0), active.any(axis=1)
    of_neuron = np.where(busy, part[active.argmax(axis=1)], -1)
    of_label = np.where(moved, part, -1)
    found = list(dict.fromkeys(of_label[moved].tolist()))
    if not (busy.all() and moved.all()):
        found.append(-1)
    return [((of_neuron == number).nonzero()[0], (of_label == number).nonzero()[0]) for number in found]


@compiled
def parts_of(channel: Any) -> Any:
    """(b,): a number for each label, the same for labels that a chain of neurons joins."""
    k, b = channel.shape
    part = np.arange(b)
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
