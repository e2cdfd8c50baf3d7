"""Where a level passes zero: brackets that shrink by looking at several times at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from verify.notation import FloatArray

LADDER = 16.0 ** np.array([-2, -1, 0, 1])
"""Distances from where the passage is expected, in units of the doubt of it, at which the level is looked at."""

NEAREST = 3
"""Values on either side of the passage that say where it is expected."""

CAP = 1e6
"""Levels are cut off here: they may be infinite."""


def passage(look: Callable[[FloatArray], FloatArray], times: FloatArray, values: FloatArray) -> float:
    """The time, to rounding, at which a level passes zero between the first of ``times`` (T,) where it is not negative
    and the one before; that time where it is 0 there or no other comes before.

    ``look`` gives the levels at sorted times. Where the polynomials through the nearest values, with one more and one
    less of them, expect the passage at the same time to rounding, that is where it is.
    """
    values = np.clip(values, -CAP, CAP)
    while True:
        high = int(np.argmax(values >= 0))
        if high == 0 or values[high] == 0:
            return float(times[high])
        low, rounding = high - 1, 2 * float(np.spacing(times[high]))
        if times[high] - times[low] <= rounding:
            return float(times[high] if values[high] <= -values[low] else times[low])
        expected, doubt = _expected(times, values, high)
        if doubt <= rounding:
            return expected
        fresh = _between(times[low], times[high], expected, max(doubt, rounding))
        found = np.clip(look(fresh), -CAP, CAP)
        times = np.concatenate([times[:high], fresh, times[high:]])
        values = np.concatenate([values[:high], found, values[high:]])


def _between(low: float, high: float, expected: float, doubt: float) -> FloatArray:
    """(G,): times inside the bracket about the one that is expected, and the middle, which halves it at least."""
    steps = doubt * LADDER
    fresh = np.unique(np.concatenate([expected - steps, [expected, (low + high) / 2], expected + steps]))
    return np.asarray(fresh[(fresh > low) & (fresh < high)])


def _expected(times: FloatArray, values: FloatArray, high: int) -> tuple[float, float]:
    """The zero of the level before the place ``high``, from the time as a polynomial in the level, and its doubt.

    By Neville's scheme, as far out as levels rise, in times since the end of the bracket, so that none is rounded as a
    whole; where it leaves the bracket, the zero of the line across that.
    """
    first, last = high - 1, high
    while first > 0 and high - first < NEAREST and values[first - 1] < values[first]:
        first -= 1
    while last + 1 < len(values) and last - high + 1 < NEAREST and values[last + 1] > values[last]:
        last += 1
    origin, width = times[high], times[high] - times[high - 1]
    zeros, before, at = times[first : last + 1] - origin, times[high - 1 : high] - origin, values[first : last + 1]
    for apart in range(1, len(at)):
        before, zeros = zeros, (zeros[1:] * at[:-apart] - zeros[:-1] * at[apart:]) / (at[:-apart] - at[apart:])
    if -width < zeros[0] < 0:
        return float(origin + zeros[0]), float(np.abs(before - zeros[0]).max())
    return float(origin - width * values[high] / (values[high] - values[high - 1])), float(width)
