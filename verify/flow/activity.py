"""Which neurons and labels belong together: connected components of the active pairs."""

from __future__ import annotations

import numpy as np

from verify.notation import BoolArray, IntArray


def groups(active: BoolArray) -> list[tuple[IntArray, IntArray]]:
    """Split active pairs (m, n) into components: ``(neurons, labels)`` index arrays. [D, section 2.6]

    A component's neurons and labels influence one another and nothing else. Neurons without an active label and
    labels without an active neuron never move again; together they form the last group, when there are any.
    """
    reach = label_closure(active)
    idle_labels: BoolArray = np.asarray(~active.any(axis=0))
    idle_neurons: BoolArray = np.asarray(~active.any(axis=1))
    out: list[tuple[IntArray, IntArray]] = []
    seen = idle_labels.copy()
    for label in range(active.shape[1]):
        if seen[label]:
            continue
        labels = reach[label]
        seen |= labels
        neurons = active[:, labels].any(axis=1)
        out.append((np.flatnonzero(neurons), np.flatnonzero(labels)))
    if idle_labels.any() or idle_neurons.any():
        out.append((np.flatnonzero(idle_neurons), np.flatnonzero(idle_labels)))
    return out


def label_closure(active: BoolArray) -> BoolArray:
    """(n, n): labels joined by a chain of neurons; an idle label is joined to itself alone."""
    pairs = active.astype(np.float64)
    reach: BoolArray = np.asarray(pairs.T @ pairs + np.eye(active.shape[1]) > 0)
    while True:
        wider: BoolArray = np.asarray(reach.astype(np.float64) @ reach.astype(np.float64) > 0)
        if np.array_equal(wider, reach):
            return reach
        reach = wider
