"""Extrema and first passages over continuous time on the dense output of a trajectory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq, minimize_scalar

from verify.errors import InvalidArgument
from verify.flow.state import State
from verify.flow.trajectory import Trajectory
from verify.notation import FloatArray

Measure = Callable[[State], FloatArray]
"""A quantity for every member (neuron, label, …) of a family, as float64; −inf where it does not apply."""

FINE = 0.02
"""Between nodes closer than this, in units of the fastest rate's inverse, no middle is looked at."""

CAP = 1e6
"""Levels are cut off here before their zeros are looked for."""


@dataclass(frozen=True)
class Extreme:
    """The largest value of a family over a stretch of time: the value, its time, and which member attains it."""

    value: float
    t: float
    member: int


class Timeline:
    """States of one trajectory, computed once each, at the ends and middles of all its segments and wherever asked."""

    def __init__(self, trajectory: Trajectory) -> None:
        self.trajectory = trajectory
        self._states: dict[float, State] = {}

    def state(self, t: float) -> State:
        """The state at time ``t``."""
        if t not in self._states:
            self._states[t] = self.trajectory.at(t)
        return self._states[t]

    def samples(self, start: float, end: float) -> FloatArray:
        """Times from ``start`` to ``end``: both, and all ends and middles of segments in between.

        Raises ``InvalidArgument`` for an empty stretch or one that leaves the trajectory.
        """
        if not 0 <= start <= end <= float(self.trajectory.t_end):
            raise InvalidArgument(
                f"the stretch from {start} to {end} must be ordered and lie in [0, {float(self.trajectory.t_end)}]"
            )
        nodes = self.trajectory.nodes
        inside = nodes[(nodes > start) & (nodes < end)]
        ends = np.concatenate([[start], inside, [end]])
        wide = np.diff(ends) > FINE / self.trajectory.fastest
        return np.unique(np.concatenate([ends, ((ends[1:] + ends[:-1]) / 2)[wide]]))

    def largest(self, measure: Measure, start: float, end: float, noise: float = 0.0) -> Extreme:
        """The maximum over all members and all of [start, end], critical points between samples included.

        Rises below ``noise`` are not followed up, and maxima are located as finely as it asks.
        """
        times = self._with_slopes(self.samples(start, end))
        values = np.array([measure(self.state(t)) for t in times])
        best = _best(values, times)
        for member in range(values.shape[1]):
            for left, right in _humps(values[:, member], times, best.value, noise):
                drop = values[left : right + 1, member].max() - values[[left, right], member].min()
                share = np.sqrt(noise / drop) if noise > 0 and np.isfinite(drop) and drop > 0 else 0.0
                width = times[right] - times[left]
                refined = self._refined(measure, member, times[left], times[right], width * np.clip(share, 1e-6, 0.01))
                best = max(best, refined, key=lambda extreme: extreme.value)
        return best

    def _with_slopes(self, times: FloatArray) -> FloatArray:
        """The samples with one more beside either end, which shows the way the values go there."""
        if len(times) < 2:
            return times
        inner = [times[0] + 1e-3 * (times[1] - times[0]), times[-1] - 1e-3 * (times[-1] - times[-2])]
        return np.unique(np.concatenate([times, inner]))

    def _refined(self, measure: Measure, member: int, left: float, right: float, resolution: float) -> Extreme:
        found = minimize_scalar(
            lambda t: -float(measure(self.trajectory.at(float(t)))[member]),
            bounds=(left, right),
            method="bounded",
            options={"xatol": resolution},
        )
        return Extreme(-float(found.fun), float(found.x), member)

    def first_passage(self, level: Callable[[State], float], start: float, end: float) -> float | None:
        """The first time in [start, end] at which ``level`` is not negative; None when there is none.

        Samples bracket the passage and a root search ends within rounding of it.
        """
        times = self.samples(start, end)
        before = times[0]
        for t in times:
            if level(self.state(t)) >= 0:
                return t if t == before else self._passage(level, before, t)
            before = t
        return None

    def monotone_passage(self, level: Callable[[State], float], start: float, end: float) -> float | None:
        """As :meth:`first_passage` for a level that only rises: by bisection, looking at few states."""
        times = self.samples(start, end)
        if level(self.state(times[-1])) < 0:
            return None
        low, high = -1, len(times) - 1
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if level(self.state(times[middle])) >= 0 else (middle, high)
        return float(times[0]) if high == 0 else self._passage(level, times[high - 1], times[high])

    def _passage(self, level: Callable[[State], float], before: float, after: float) -> float:
        def capped(t: float) -> float:
            return float(np.clip(level(self.trajectory.at(t)), -CAP, CAP))

        if capped(after) == 0:
            return after
        return float(brentq(capped, before, after, xtol=1e-300, rtol=4 * np.finfo(float).eps))


def _best(values: FloatArray, times: FloatArray) -> Extreme:
    if values.size == 0:
        return Extreme(-np.inf, float(times[0]), -1)
    row, column = np.unravel_index(int(np.argmax(values)), values.shape)
    return Extreme(float(values[row, column]), float(times[row]), int(column))


def _humps(values: FloatArray, times: FloatArray, best: float, noise: float) -> list[tuple[int, int]]:
    """Sample intervals around local maxima (ends included) that may rise above ``best``.

    In the interior a maximum may rise four times as far above its sample as the parabola through the three samples
    does; at an end, as far as the values fall to the neighbour.
    """
    out: list[tuple[int, int]] = []
    last = len(values) - 1
    with np.errstate(invalid="ignore"):
        rising = np.concatenate([[True], values[1:] >= values[:-1]])
        falling = np.concatenate([values[:-1] >= values[1:], [True]])
    for i in np.flatnonzero(rising & falling & np.isfinite(values)).tolist():
        left, right = max(i - 1, 0), min(i + 1, last)
        drop = values[i] - min(values[left], values[right])
        if drop > noise and values[i] + _rise(values, times, left, i, right) >= best:
            out.append((left, right))
    return out


def _rise(values: FloatArray, times: FloatArray, left: int, here: int, right: int) -> float:
    """How far a maximum between the samples may lie above the one in the middle."""
    if left == here or right == here or not np.isfinite(values[[left, right]]).all():
        return float(np.nan_to_num(values[here] - min(values[left], values[right]), posinf=CAP))
    before = (values[here] - values[left]) / (times[here] - times[left])
    after = (values[right] - values[here]) / (times[right] - times[here])
    bend = (before - after) / (times[right] - times[left])
    slope = (before * (times[right] - times[here]) + after * (times[here] - times[left])) / (times[right] - times[left])
    return float(4 * slope * slope / (4 * bend)) if bend > 0 else 0.0
