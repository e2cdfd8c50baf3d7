"""Fewer points of several curves over one time axis, chosen so that straight lines between them stay close."""

from __future__ import annotations

import heapq
from itertools import pairwise

import numpy as np

from verify.notation import FloatArray, IntArray


def simplify(times: FloatArray, curves: FloatArray, tolerance: float, most: int, keep: IntArray) -> IntArray:
    """Indices of times to keep: the ends, ``keep``, and then where straight lines are most wrong.

    ``curves`` (T, C) are in units of the height of the drawing; infinite values are left out of account. Stops when no
    curve is further than ``tolerance`` from its lines, or ``most`` points are kept.

    >>> t = np.linspace(0, 1, 101)
    >>> simplify(t, np.abs(t - 0.5)[:, None], 1e-9, 50, np.array([], dtype=int)).tolist()
    [0, 50, 100]
    """
    kept = sorted({0, len(times) - 1, *keep.tolist()})
    queue: list[tuple[float, int, int, int]] = []
    for left, right in pairwise(kept):
        _queue(queue, times, curves, left, right)
    while queue and len(kept) < most:
        error, worst, left, right = heapq.heappop(queue)
        if -error <= tolerance:
            break
        kept.append(worst)
        _queue(queue, times, curves, left, worst)
        _queue(queue, times, curves, worst, right)
    return np.array(sorted(set(kept)), dtype=int)


def _queue(
    queue: list[tuple[float, int, int, int]], times: FloatArray, curves: FloatArray, left: int, right: int
) -> None:
    """Where between two points the straight line is most wrong, and by how much."""
    if right - left < 2 or times[right] <= times[left]:
        return
    share = ((times[left + 1 : right] - times[left]) / (times[right] - times[left]))[:, None]
    with np.errstate(invalid="ignore"):
        lines = curves[left] + share * (curves[right] - curves[left])
        errors = np.abs(curves[left + 1 : right] - lines)
    worst = np.nan_to_num(errors, nan=0.0, posinf=0.0).max(axis=1)
    at = int(worst.argmax())
    heapq.heappush(queue, (-float(worst[at]), left + 1 + at, left, right))
