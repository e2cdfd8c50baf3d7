"""Plateaus of the loss: when a saddle is left, and how slow the loss gets near it."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from verify.errors import InvalidArgument
from verify.experiments.path import Path
from verify.notation import FloatArray


def sampled(path: Path, most: int = 2000) -> tuple[FloatArray, FloatArray]:
    """Times and losses at the nodes of the flow and between them; the loss is smooth from node to node."""
    nodes = path.nodes
    per = max(2, min(8, most // len(nodes)))
    parts = [np.linspace(begin, end, per, endpoint=False) for begin, end in pairwise(nodes)]
    times = np.append(np.concatenate(parts), nodes[-1])
    return times, path.losses(times)


def first_below(times: FloatArray, losses: FloatArray, level: float) -> float:
    """The first time with a loss below ``level``, linear between samples; infinity when there is none.

    >>> first_below(np.array([0.0, 1.0, 2.0]), np.array([1.0, 1.0, 0.0]), 0.25)
    1.75
    """
    below = np.flatnonzero(losses < level)
    if not len(below):
        return float("inf")
    i = int(below[0])
    if i == 0:
        return float(times[0])
    share = (losses[i - 1] - level) / (losses[i - 1] - losses[i])
    return float(times[i - 1] + share * (times[i] - times[i - 1]))


def last_standstill(times: FloatArray, losses: FloatArray) -> tuple[float, float, float]:
    """Time, loss and depth of the last place of a loss that is left standing: the rate of ln L there, of its fastest.

    >>> t = np.linspace(0, 30, 3001)
    >>> time, loss, depth = last_standstill(t, 0.3 + 0.7 / (1 + np.exp(t - 10)))
    >>> round(loss, 3), depth < 1e-3
    (0.3, True)
    """
    rates = -np.diff(np.log(losses)) / np.diff(times)
    begin = int(rates.argmax())
    i = begin + int(rates[begin:].argmin())
    return float(times[i]), float(losses[i]), float(max(rates[i], 0.0) / rates[begin])


def slowest(times: FloatArray, losses: FloatArray, high: float, low: float) -> tuple[float, float, float]:
    """Time, loss and depth of the place between the levels ``high`` and ``low`` where the loss stands most still.

    The depth is the rate −d ln L/dt there over the smaller of its largest values before and after: 0 at a saddle met
    exactly, 1 where the loss never slows down. Raises InvalidArgument where the losses do not pass both levels.
    """
    begin, end = first_below(times, losses, high), first_below(times, losses, low)
    inside = np.flatnonzero((times >= begin) & (times <= end))
    if not np.isfinite(end) or len(inside) < 4:
        raise InvalidArgument(f"the loss does not pass from {high} to {low}, or too fast to be seen; follow it further")
    t, logs = times[inside], np.log(losses[inside])
    keep = np.append(True, np.diff(t) > 1e-6 * (end - begin))
    t, logs = t[keep], logs[keep]
    rates = -np.diff(logs) / np.diff(t)
    before, after = np.maximum.accumulate(rates), np.maximum.accumulate(rates[::-1])[::-1]
    depths = np.maximum(rates, 0.0) / np.minimum(before, after)
    i = int(np.argmin(depths))
    return float(t[i]), float(np.exp(logs[i])), float(depths[i])
