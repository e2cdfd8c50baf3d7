"""Deactivations: when which pairs (neuron, label) reached zero."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from verify.flow.arithmetic import Array
from verify.notation import IntArray


@dataclass(frozen=True, eq=False)
class Deaths:
    """Times ``t`` (E,) at which pairs died, and their ``neuron`` and ``label`` (E,), numbers in the problem."""

    t: Array
    neuron: IntArray
    label: IntArray

    @staticmethod
    def joined(parts: Iterable[Deaths]) -> Deaths:
        """All of them, in order of time."""
        found = [part for part in parts if len(part)]
        if not found:
            return NONE
        t, neuron, label = (
            np.concatenate([getattr(part, name) for part in found]) for name in ("t", "neuron", "label")
        )
        order = np.argsort(t, kind="stable")
        return Deaths(t[order], neuron[order], label[order])

    def __len__(self) -> int:
        return len(self.t)

    def __iter__(self) -> Iterator[tuple[Any, int, int]]:
        return zip(self.t, self.neuron.tolist(), self.label.tolist(), strict=True)

    def after(self, begin: Any) -> bool:
        """Whether there are any after a time."""
        return len(self) > 0 and bool(self.t[-1] > begin)

    def until(self, end: Any) -> Deaths:
        """Those up to a time."""
        kept = np.asarray(self.t <= end, dtype=bool)
        return self if kept.all() else Deaths(self.t[kept], self.neuron[kept], self.label[kept])


NONE = Deaths(np.empty(0), np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))
