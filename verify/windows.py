"""Extrema and first passages over continuous time on the dense output of a trajectory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from verify.batches import Batched, Level, Measure, joined, measured, measured_at
from verify.errors import InvalidArgument
from verify.flow.assembly import concatenated
from verify.flow.state import State
from verify.flow.trajectory import Trajectory
from verify.humps import Humps, highest, humps_of
from verify.notation import FloatArray
from verify.roots import passage

FINE = 0.02
"""Between nodes closer than this, in units of the fastest rate's inverse, no middle is looked at."""

PROBES = 9
"""Samples looked at together in the search for the passage of a batched level."""


@dataclass(frozen=True)
class Extreme:
    """The largest value of a family over a stretch of time: the value, its time, and which member attains it."""

    value: float
    t: float
    member: int


class Timeline:
    """States of one trajectory, computed once, at the ends and middles of all its segments and wherever asked."""

    def __init__(self, trajectory: Trajectory, stretches: Sequence[tuple[float, float]] = ()) -> None:
        """``stretches``: those known to be asked for."""
        self.trajectory = trajectory
        self._stretches = stretches
        self._states: dict[float, State] = {}
        self._looked_at: dict[float, tuple[State, int]] = {}
        self._beside: dict[bytes, State] = {}

    def state(self, t: float) -> State:
        """The state at time ``t``."""
        if t not in self._states:
            self._states[t] = self._found(t)
        return self._states[t]

    def look(self, times: Sequence[float]) -> State:
        """The states at a few times all at once; one of them that is asked for later has what was derived from all."""
        states = self.trajectory.along(times)
        self._looked_at |= {t: (states, i) for i, t in enumerate(times)}
        return states

    def _found(self, t: float) -> State:
        if t in self._looked_at:
            states, place = self._looked_at[t]
            return states[place]
        if "_kept" in self.__dict__:
            times, states = self._kept
            place = int(np.searchsorted(times, t))
            if place < len(times) and times[place] == t:
                return states[place]
        return self.trajectory.raw(t)

    @cached_property
    def _kept(self) -> tuple[FloatArray, State]:
        """Sorted times, all samples among them, and the states there, with what many claims derive from them."""
        times = self._wanted((0.0, float(self.trajectory.t_end)), *self._stretches)
        return times, _derived(self.trajectory.along(times))

    def keep(self, *stretches: tuple[float, float]) -> None:
        """Look at some stretches of time all at once, for whoever will ask for what is :meth:`largest` on them."""
        known, states = self._kept
        fresh = np.setdiff1d(self._wanted(*stretches), known)
        if len(fresh):
            times = np.concatenate([known, fresh])
            order = np.argsort(times)
            both = concatenated([states, _derived(self.trajectory.along(fresh))])
            self.__dict__["_kept"] = times[order], both[order]

    def _wanted(self, *stretches: tuple[float, float]) -> FloatArray:
        """Sorted times at which :meth:`largest` looks on the stretches."""
        return np.unique(np.concatenate([self._with_slopes(self.samples(*stretch)) for stretch in stretches]))

    def values(self, measure: Measure | Batched, times: FloatArray, few: bool = False) -> FloatArray:
        """The measure at sorted times (T,): (T, members).

        States at samples of the trajectory are computed all at once and kept, unless only ``few`` will be wanted.
        """
        if not isinstance(measure, Batched):
            return np.array([measure(self.state(t)) for t in times])
        if few and "_kept" not in self.__dict__:
            return measured(measure, self._at(times))
        kept, states = self._kept
        place = np.minimum(np.searchsorted(kept, times), len(kept) - 1)
        known = kept[place] == times
        parts = [(known, measured_at(measure, states, place[known]))] if known.any() else []
        if not known.all():
            parts.append((~known, measured(measure, self._at(times[~known]))))
        return joined(len(times), parts)

    def _at(self, times: FloatArray) -> State:
        """States at times that are not kept: the same few are asked for by several claims."""
        key = times.tobytes()
        if key not in self._beside:
            self._beside[key] = self.trajectory.along(times)
        return self._beside[key]

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

    def largest(self, measure: Measure | Batched, start: float, end: float, noise: float = 0.0) -> Extreme:
        """The maximum over all members and all of [start, end], critical points between samples included.

        ``measure`` takes a state and gives a number for every member; marked :class:`Batched` it takes the states at
        many times as one, with a leading time axis. Rises below ``noise`` are not followed up, and maxima are located
        as finely as it asks. A measure that is not a number somewhere has no maximum: NaN.
        """
        times = self._with_slopes(self.samples(start, end))
        values = self.values(measure, times)
        if values.ndim != 2:
            raise InvalidArgument(f"the measure gave shape {values.shape[1:]} a time; it must be (members,)")
        if values.size == 0:
            return Extreme(-np.inf, float(times[0]), -1)
        row, column = np.unravel_index(int(np.argmax(values)), values.shape)
        best = Extreme(float(values[row, column]), float(times[row]), int(column))
        humps = humps_of(values, times, best.value, noise)
        if not len(humps.member):
            return best
        refined = self._highest(measure, humps, best.value, noise)
        return best if refined.value <= best.value else refined

    def _highest(self, measure: Measure | Batched, humps: Humps, best: float, noise: float) -> Extreme:
        def look(times: FloatArray) -> FloatArray:
            if isinstance(measure, Batched):
                return measured(measure, self.trajectory.along(times))
            return np.array([measure(self.trajectory.raw(float(t))) for t in times])

        return Extreme(*highest(look, humps, best, noise))

    def _with_slopes(self, times: FloatArray) -> FloatArray:
        """The samples with one more beside either end, which shows the way the values go there."""
        if len(times) < 2:
            return times
        inner = [times[0] + 1e-3 * (times[1] - times[0]), times[-1] - 1e-3 * (times[-1] - times[-2])]
        return np.unique(np.concatenate([times, inner]))

    def first_passage(self, level: Level | Batched, start: float, end: float) -> float | None:
        """The first time in [start, end] at which ``level`` is not negative; None when there is none.

        Samples bracket the passage and a root search ends within rounding of it.
        """
        times = self.samples(start, end)
        if isinstance(level, Batched):
            values = self.values(level, times)
            return self._passage(level, times, values) if (values >= 0).any() else None
        found: list[float] = []
        for t in times:
            found.append(float(level(self.state(t))))
            if found[-1] >= 0:
                return self._passage(level, times[: len(found)], np.array(found))
        return None

    def monotone_passage(self, level: Level | Batched, start: float, end: float) -> float | None:
        """As :meth:`first_passage` for a level that only rises: by bisection, looking at few states."""
        times = self.samples(start, end)
        known: dict[int, float] = {}
        low, high = -1, len(times)
        while high - low > 1:
            count = PROBES if isinstance(level, Batched) else 1
            probes = np.unique(np.linspace(low, high, count + 2).astype(int))[1:-1]
            known |= zip(probes.tolist(), self._look(level, times[probes]).tolist(), strict=True)
            high = min((i for i in known if known[i] >= 0), default=len(times))
            low = max((i for i in known if i < high), default=-1)
        if high == len(times):
            return None
        places = sorted(known)
        return self._passage(level, times[places], np.array([known[i] for i in places]))

    def _passage(self, level: Level | Batched, times: FloatArray, values: FloatArray) -> float:
        return passage(partial(self._look, level), times, values)

    def _look(self, level: Level | Batched, times: FloatArray) -> FloatArray:
        if not isinstance(level, Batched):
            return np.array([level(self.trajectory.raw(float(t))) for t in times])
        states = self.trajectory.along(times)
        return np.asarray(level.measure(states)) if len(times) == 1 else measured(level, states)


def _derived(states: State) -> State:
    """The states, with what many claims derive from them."""
    for side in (1, -1):
        states.log_misalignment(side)
    return states
