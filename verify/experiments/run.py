"""One run of the integrator: steps cut at their first event, and what has been recorded of them."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.integrate import DOP853

from verify.errors import SimulationFailed
from verify.experiments.field import velocity
from verify.experiments.modes import OFF, ON, Modes
from verify.experiments.passages import LEAVES_OFF, PAIR, TURNS, Event, bernstein_of, first_event, head, value
from verify.notation import FloatArray

STALLED = 20
"""Events without any time between them, in units of the number of pairs, that count as no progress."""

PAIR_SLACK = 2.0
"""How far a pair may be beyond 0 before that is an event, in units of the local error allowed."""


@dataclass(eq=False)
class Run:
    """The flow on its way from ``t`` to ``until``; ``state`` (mn + m,) stacks p and a, of which ``modes`` speaks.

    ``times``: None to keep every step, otherwise the times whose states are to be kept.
    """

    modes: Modes
    state: FloatArray
    t: float
    until: float
    rtol: float
    times: list[float] | None
    still: int = 0
    ends: list[float] = field(default_factory=list)
    polynomials: list[FloatArray] = field(default_factory=list)
    kept: dict[float, FloatArray] = field(default_factory=dict)
    passages: list[tuple[float, int, int, int, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.ends.append(self.t)
        self.longest = float(self.modes.data.lengths.max())
        self.solver = self._solver(None)

    def split(self) -> tuple[FloatArray, FloatArray]:
        """p (m, n) and a (m,), as views."""
        m, n = self.modes.mode.shape
        return self.state[: m * n].reshape(m, n), self.state[m * n :]

    def loss(self) -> float:
        """The loss now."""
        r = self.modes.residual(*self.split())
        return float(r @ r) / (2 * len(r))

    def advance(self) -> None:
        """One step of the integrator, cut at its first event."""
        sizes = self._sizes()
        self.solver.atol = self._tolerance(sizes)
        with np.errstate(over="ignore", invalid="ignore"):  # a trial step that overflows is rejected
            message = self.solver.step()
        if self.solver.status == "failed":
            raise SimulationFailed(f"the flow could not be followed beyond t = {self.t}: {message}")
        width = self.solver.t - self.t
        polynomial = bernstein_of(self.solver.dense_output())
        event = first_event(polynomial, self.modes, PAIR_SLACK * self.rtol * sizes, self._slide_slack())
        if event is None:
            self._record(polynomial, 1.0, width, self.solver.t)
            self.still = 0
            return
        t = min(self.t + event[0] * width, self.solver.t)
        self._count(t, event)
        self._record(polynomial, event[0], width, t)
        self._apply(event)
        self.solver = self._solver(self.solver.h_abs)

    def _sizes(self) -> FloatArray:
        """(m,): the scale of each neuron's p."""
        p, a = self.split()
        return np.asarray(np.maximum(np.abs(p).max(axis=1), self.longest * np.abs(a)) + 1e-290)

    def _slide_slack(self) -> float:
        """The error of the residual: ``rtol`` of the largest sum of terms that it is the difference of."""
        p, a = self.split()
        terms = np.abs(a) @ np.abs(p) * self.modes.feedback + np.abs(self.modes.data.y)
        return float(self.rtol * terms.max())

    def _tolerance(self, sizes: FloatArray) -> FloatArray:
        return self.rtol * np.concatenate([np.repeat(sizes, self.modes.data.n), sizes / self.longest])

    def _solver(self, first_step: float | None) -> DOP853:
        inside = first_step is not None and 0 < first_step < self.until - self.t
        modes, tolerance = self.modes, self._tolerance(self._sizes())
        options = {"rtol": self.rtol, "atol": tolerance, "first_step": first_step if inside else None}
        return DOP853(lambda _, state: velocity(state, modes), self.t, self.state, self.until, **options)

    def _count(self, t: float, event: Event) -> None:
        self.still = self.still + 1 if t == self.t else 0
        if self.still > STALLED * self.modes.mode.size:
            raise SimulationFailed(f"events pile up at t = {t}, the last at neuron {event[2]}, label {event[3]}")

    def _record(self, polynomial: FloatArray, theta: float, width: float, t: float) -> None:
        if self.times is None and t > self.t:
            self.polynomials.append(head(polynomial, theta))
        while self.times and self.times[0] <= t:
            time = self.times.pop(0)
            self.kept[time] = value(polynomial, (time - self.t) / width)
        if t > self.t:
            self.ends.append(t)
        self.t, self.state = t, value(polynomial, theta)

    def _apply(self, event: Event) -> None:
        _, kind, j, k = event
        p, a = self.split()
        before = self.modes.mode[j].copy()
        if kind == TURNS:
            a[j] = 0.0
            self.modes.turn(j)
        elif kind == PAIR:
            p[j, k] = 0.0
            self.modes.settle(j, k, self.modes.residual(p, a))
        else:
            self.modes.leave(j, k, OFF if kind == LEAVES_OFF else ON)
        changed = np.flatnonzero(self.modes.mode[j] != before)
        p[j, changed] = 0.0
        for label in changed:
            self.passages.append((self.t, j, int(label), int(before[label]), int(self.modes.mode[j, label])))
