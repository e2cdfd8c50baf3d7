"""Local maxima of many functions at once, between the samples that show them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from verify.notation import BoolArray, FloatArray, IntArray

LADDER = 0.25 ** np.arange(1, 8)
"""Distances, in units of the bracket, at which points are put on either side of where a parabola has its vertex."""

EVEN = np.arange(1, 18) / 18
"""Points in the bracket, where no parabola can be laid."""

GRADED = np.concatenate([0.25 ** np.arange(1, 12), [0.4, 0.5, 0.6, 0.7, 0.8, 0.9]])
"""Distances from an end of the stretch, in units of the bracket, at which points are put beside it, and from where a
value is missing."""

APART = 4
"""Units in the last place from a sample to the times beside it, where a value that jumps has its limits."""

CAP = 1e6
"""What counts as an infinite rise."""

BEND = 8.0
"""So many times what the samples show of its change a slope may change beside an end of the stretch."""

ROUNDS = 60
"""More are never needed: each leaves less than two thirds of a bracket."""


@dataclass(frozen=True)
class Humps:
    """Brackets around local maxima, H of them: three times (H, 3) with their values (H, 3), the middle one highest.

    At an end of the stretch two of the three are the same. ``member`` (H,): whose value. ``resolution`` (H,): how
    closely, in time, the maximum is to be located.
    """

    times: FloatArray
    values: FloatArray
    member: IntArray
    resolution: FloatArray

    def __getitem__(self, keep: BoolArray) -> Humps:
        """Some of the humps."""
        return Humps(self.times[keep], self.values[keep], self.member[keep], self.resolution[keep])

    @property
    def drop(self) -> FloatArray:
        """(H,): how far the values fall to the lower neighbour."""
        return np.asarray(self.values[:, 1] - np.minimum(self.values[:, 0], self.values[:, 2]))

    @property
    def limit(self) -> FloatArray:
        """(H,): how high the maximum may be.

        In the interior it may rise four times as far above its sample as the parabola through the three samples does;
        at an end, as far as the values fall to the neighbour.
        """
        steps, slopes, smooth = self._slopes()
        bend = (slopes[:, 0] - slopes[:, 1]) / steps.sum(axis=1)
        slope = (slopes[:, 0] * steps[:, 1] + slopes[:, 1] * steps[:, 0]) / steps.sum(axis=1)
        curved = np.where(bend > 0, slope * slope / np.where(bend > 0, bend, 1.0), 0.0)
        return np.asarray(self.values[:, 1] + np.where(smooth, curved, np.nan_to_num(self.drop, posinf=CAP)))

    @property
    def vertex(self) -> FloatArray:
        """(H,): time of the highest point of the parabola; NaN where there is none."""
        steps, slopes, smooth = self._slopes()
        bend = slopes[:, 0] - slopes[:, 1]
        smooth &= bend > 0
        ahead = (slopes[:, 0] * steps[:, 1] + slopes[:, 1] * steps[:, 0]) / (2 * np.where(smooth, bend, 1.0))
        return np.where(smooth, self.times[:, 1] + ahead, np.nan)

    def _slopes(self) -> tuple[FloatArray, FloatArray, BoolArray]:
        """Widths and slopes (H, 2) to either neighbour, and where all three values can be used."""
        smooth = np.asarray(np.isfinite(self.values).all(axis=1) & (np.diff(self.times, axis=1) > 0).all(axis=1))
        steps = np.where(smooth[:, None], np.diff(self.times, axis=1), 1.0)
        rises = np.diff(np.where(smooth[:, None], self.values, 0.0), axis=1)
        return steps, rises / steps, smooth

    def points(self) -> FloatArray:
        """(H, G): times in the brackets, crowded where the maxima are expected."""
        left, middle, right = self.times.T[:, :, None]
        width, vertex = right - left, self.vertex[:, None]
        halves = [(left + middle) / 2, (middle + right) / 2]
        crowded = np.concatenate([vertex - width * LADDER, vertex, vertex + width * LADDER, *halves], axis=1)
        points = np.where(np.isnan(vertex), left + width * EVEN, crowded)
        missing = ~np.isfinite(self.values)
        points = np.where((left == middle) | missing[:, :1], left + width * GRADED, points)
        points = np.where((right == middle) | missing[:, 2:], right - width * GRADED, points)
        return np.asarray(np.clip(points, left, right))

    def edges(self) -> FloatArray:
        """(H, 4): times next to the three of each bracket, where a value that jumps at one of them has its limits."""
        left, middle, right = self.times.T
        beside = APART * np.spacing(np.abs(self.times).max(axis=1))
        edges = np.stack([left + beside, middle - beside, middle + beside, right - beside], axis=1)
        return np.asarray(np.clip(edges, left[:, None], right[:, None]))


def humps_of(values: FloatArray, times: FloatArray, best: float, noise: float) -> Humps:
    """Brackets around local maxima of sampled values (T, members) that may rise above ``best``, ends included."""
    with np.errstate(invalid="ignore"):
        falling = values[:-1] >= values[1:]
        rising = values[1:] >= values[:-1]
    always = np.ones((1, values.shape[1]), dtype=bool)
    peaks = np.concatenate([always, rising]) & np.concatenate([falling, always]) & np.isfinite(values)
    rows, members = np.nonzero(peaks)
    candidates = ~_sloping(values, times, rows, members)
    rows, members = rows[candidates], members[candidates]
    around = np.clip(rows[:, None] + np.array([-1, 0, 1]), 0, len(times) - 1)
    humps = Humps(times[around], values[around, members[:, None]], members, np.zeros(len(rows)))
    humps = humps[humps.drop > noise]
    humps = humps[humps.limit >= best]
    return Humps(humps.times, humps.values, humps.member, _resolution(humps, noise))


def _sloping(values: FloatArray, times: FloatArray, rows: IntArray, members: IntArray) -> BoolArray:
    """(H,): maxima at an end of the stretch, from which values fall too fast for a higher one to lie beside it.

    For that the slope would have to vanish between the end and the sample next to it. How much it changes there shows
    in what it is between that sample and the one after.
    """
    count = len(times)
    if count < 3:
        return np.zeros(len(rows), dtype=bool)
    first = rows == 0
    beside, beyond = np.where(first, 1, count - 2), np.where(first, 2, count - 3)
    near, far = np.abs(times[beside] - times[rows]), np.abs(times[beyond] - times[rows])
    with np.errstate(invalid="ignore", divide="ignore"):
        slope = (values[rows, members] - values[beside, members]) / near
        change = slope - (values[beside, members] - values[beyond, members]) / (far - near)
        return np.asarray((first | (rows == count - 1)) & (slope > BEND * np.abs(change) * near / far))


def _resolution(humps: Humps, noise: float) -> FloatArray:
    """At this distance from its top a parabola has fallen by the noise: between 1e-6 and 1e-2 of the bracket."""
    drop = humps.values[:, 1] - humps.values.min(axis=1)
    share = np.sqrt(noise / np.where(np.isfinite(drop), drop, np.inf))
    return np.asarray((humps.times[:, 2] - humps.times[:, 0]) * np.clip(share, 1e-6, 1e-2))


def highest(
    look: Callable[[FloatArray], FloatArray], humps: Humps, best: float, noise: float
) -> tuple[float, float, int]:
    """Value, time and member of the highest of the maxima, NaN where a value is; ``look`` gives values (T, members).

    Brackets shrink around their highest points, all together; those that cannot rise above the best by more than the
    noise are dropped.
    """
    found = -np.inf, float(humps.times[0, 1]), int(humps.member[0])
    for turn in range(ROUNDS):
        points = humps.points() if turn else np.concatenate([humps.points(), humps.edges()], axis=1)
        seen = look(points.ravel()).reshape(*points.shape, -1)
        values = np.take_along_axis(seen, humps.member[:, None, None], axis=2)[:, :, 0]
        if np.isnan(values).any():
            h, i = np.argwhere(np.isnan(values))[0]
            return np.nan, float(points[h, i]), int(humps.member[h])
        humps = _narrowed(humps, points, values)
        top = int(np.argmax(humps.values[:, 1]))
        found = float(humps.values[top, 1]), float(humps.times[top, 1]), int(humps.member[top])
        best = max(best, found[0])
        wide = humps.times[:, 2] - humps.times[:, 0] > 2 * humps.resolution
        going = wide & (humps.drop > noise) & (humps.limit > best + noise)
        if not going.any():
            break
        humps = humps[going | (np.arange(len(going)) == top)]
    return found


def _narrowed(humps: Humps, points: FloatArray, values: FloatArray) -> Humps:
    """The brackets given by the highest of the old and the new points and their neighbours, which lie apart from it.

    Points beside one another in :meth:`Humps.edges` may be told apart by rounding alone: the bracket takes in both.
    """
    times = np.concatenate([humps.times, points], axis=1)
    values = np.concatenate([humps.values, values], axis=1)
    rows, top = np.arange(len(times)), np.argmax(values, axis=1)
    highest = times[rows, top, None]
    beside = 2 * APART * np.spacing(np.abs(times).max(axis=1, keepdims=True))
    before, after = times < highest - beside, times > highest + beside
    left = np.where(before.any(axis=1), np.argmax(np.where(before, times, -np.inf), axis=1), top)
    right = np.where(after.any(axis=1), np.argmin(np.where(after, times, np.inf), axis=1), top)
    around = np.stack([left, top, right], axis=1)
    return Humps(
        np.take_along_axis(times, around, axis=1),
        np.take_along_axis(values, around, axis=1),
        humps.member,
        humps.resolution,
    )
