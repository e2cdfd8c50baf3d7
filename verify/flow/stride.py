"""How long a compiled Taylor step may be: its last terms stay below the tolerance."""

from __future__ import annotations

import math
from typing import Any

from verify.flow.compiled import compilable


@compilable
def stride(largest: Any, order: int, tolerance: float, most: float) -> tuple[float, float]:
    """Step length and relative size of the last term, from the sizes of :func:`verify.flow.crossing.sizes`.

    The last two terms of every row must stay below the tolerance times one of its first three.
    """
    length = most
    for row in range(largest.shape[0]):
        if not _short(largest[row], order, tolerance, length / 0.95):
            length = min(length, 0.95 * _reach(largest[row], order, tolerance))
    truncation = 0.0
    for row in range(largest.shape[0]):
        first = max(largest[row, 0], largest[row, 1] * length, largest[row, 2] * length * length)
        if first > 0.0:
            truncation = max(truncation, largest[row, 4] / first)
    return length, truncation * length**order


@compilable
def _short(row: Any, order: int, tolerance: float, length: float) -> bool:
    """Whether the last two terms of a row are small enough at the length."""
    for p in range(3):
        first = row[p] * tolerance
        power = length ** (order - 1 - p)
        if first > 0.0 and row[3] * power <= first and row[4] * power * length <= first:
            return True
    return bool(row[0] == 0.0 and row[1] == 0.0 and row[2] == 0.0)


@compilable
def _reach(row: Any, order: int, tolerance: float) -> float:
    """The longest step at which the last two terms of a row are small enough."""
    best = 0.0
    for p in range(3):
        if row[p] > 0.0:
            reach = math.inf
            for q in (3, 4):
                if row[q] > 0.0:
                    slack = math.log(tolerance) + math.log(row[p]) - math.log(row[q])
                    reach = min(reach, slack / (order + q - 4 - p))
            best = max(best, math.exp(min(reach, 700.0)))
    return best
