"""The record of a flow on data of any geometry: dense output at every time, events, ends of steps."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from verify.errors import InvalidArgument
from verify.experiments.alone import stacked
from verify.experiments.passages import value
from verify.experiments.regression import Regression
from verify.experiments.run import Run
from verify.experiments.snapshot import Snapshot
from verify.network import Network
from verify.notation import FloatArray

KINDS = ("off", "on", "slide")
COARSER, COMPARED = 10.0, 100
"""By how much the tolerance of the run is larger that tells the error, and at how many times it is looked at."""


@dataclass(frozen=True, eq=False)
class Path:
    """A simulated flow on [0, t_end], with the names of ``verify.Trajectory``.

    ``together``: the run of the whole network; ``singles``: those of single neurons before it, or none; ``coarser``:
    the same flow up to t_end at so many times the tolerance.
    """

    data: Regression
    start: Network
    rtol: float
    together: Run
    singles: tuple[Run, ...]
    coarser: Callable[[float], Path]

    @property
    def t_end(self) -> float:
        """Last time."""
        return self.together.t

    @cached_property
    def error(self) -> float:
        """Estimated largest error of any neuron (relative to its own size) and residual (to the largest label).

        The difference to the same flow at ``COARSER`` times the tolerance, at the kept times or ``COMPARED`` of the
        nodes; it takes about as long as the flow did. Where a start is so near to one with another order of events that
        the tolerance decides, it is large, and right to be. [D]
        """
        other = self.coarser(COARSER)
        times = self.nodes[:: len(self.nodes) // COMPARED + 1] if self.together.times is None else self.kept_times
        return max(_apart(self.at(t), other.at(t)) for t in (*times, self.t_end))

    @property
    def kept_times(self) -> list[float]:
        """Times at which a state is known although not every step was kept."""
        return sorted({t for run in (*self.singles, self.together) for t in run.kept})

    @cached_property
    def nodes(self) -> FloatArray:
        """Times between which the flow is smooth, from 0 to t_end: ends of steps, among them all events."""
        return np.unique(np.concatenate([run.ends for run in (*self.singles, self.together)]))

    @cached_property
    def events(self) -> pd.DataFrame:
        """Columns t, neuron, label, before, after: each change of a pair between off, on and slide."""
        early = [(t, j, k, b, a) for j, run in enumerate(self.singles) for t, _, k, b, a in run.passages]
        rows = [(t, j, k, KINDS[b], KINDS[a]) for t, j, k, b, a in (*sorted(early), *self.together.passages)]
        return pd.DataFrame(rows, columns=["t", "neuron", "label", "before", "after"])

    @property
    def deactivations(self) -> pd.DataFrame:
        """Columns t, neuron, label: when a pair that was on reaches 0 from above, to slide there or to pass."""
        table = self.events
        return table.loc[table["before"] == "on", ["t", "neuron", "label"]].reset_index(drop=True)

    def at(self, t: float) -> Snapshot:
        """The state at time ``t``. Raises InvalidArgument outside [0, t_end], or at a time that was not kept."""
        if not 0 <= t <= self.t_end:
            raise InvalidArgument(f"t = {t!r} must lie in [0, t_end] = [0, {self.t_end}]; simulate further with until=")
        early = self.singles and t <= self.singles[0].until
        states = [_state(run, float(t)) for run in (self.singles if early else (self.together,))]
        state = stacked(states) if early else states[0]
        size = self.start.m * self.data.n
        return Snapshot(self.data, self.start, float(t), state[:size].reshape(-1, self.data.n), state[size:])

    def losses(self, times: Iterable[float]) -> FloatArray:
        """The loss at each of many times."""
        return np.array([self.at(t).loss for t in times])

    def to_frame(self, times: Iterable[float]) -> pd.DataFrame:
        """One row a time: t, loss, residual_k, log_norm_j."""
        rows = []
        for t in times:
            state = self.at(t)
            row: dict[str, Any] = {"t": t, "loss": state.loss}
            row |= {f"residual_{k}": r for k, r in enumerate(state.residual)}
            rows.append(row | {f"log_norm_{j}": v for j, v in enumerate(state.log_norms)})
        return pd.DataFrame(rows)


def _apart(one: Snapshot, other: Snapshot) -> float:
    length, label = one.data.lengths.max(), np.abs(one.data.y).max()
    change = np.maximum(np.abs(one.p - other.p).max(axis=1) / length, np.abs(one.a - other.a))
    size = np.maximum(np.abs(one.p).max(axis=1) / length, np.abs(one.a))
    return float(max((change / size).max(), np.abs(one.residual - other.residual).max() / label))


def _state(run: Run, t: float) -> FloatArray:
    if t == run.t:
        return run.state
    if run.times is not None:
        if t not in run.kept:
            raise InvalidArgument(f"t = {t!r} was not among times=, which alone were kept")
        return run.kept[t]
    i = min(int(np.searchsorted(run.ends, t, "right")) - 1, len(run.polynomials) - 1)
    return value(run.polynomials[i], (t - run.ends[i]) / (run.ends[i + 1] - run.ends[i]))
