"""From a trajectory to the arrays of its figure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from verify.flow.trajectory import Trajectory
    from verify.notation import FloatArray
    from verify.report.trajectory_figure import Curves

GRID, NEAR = 400, 40
"""Times on the even grid, and on each side of a time at which something happens."""
SMALL = 1e-12
"""A loss below this fraction of its start is not drawn any further."""


def curves_of(trajectory: Trajectory, last: float | None = None, detail: float = 1.0) -> Curves:
    """Loss, norms, alignments and phase times of a trajectory of an oriented problem, up to `last` or until fitted.

    `detail` scales the number of times looked at.
    """
    from verify.report.trajectory_figure import Curves

    problem, phases = trajectory.problem, phase_times(trajectory)
    events = np.array([0.0, *(t for t in phases.values() if np.isfinite(t)), *trajectory.nodes])
    rate = max(problem.dataset.norm_plus, problem.dataset.norm_minus)
    end = fitted_time(trajectory) if last is None else last
    times = plot_times(end, events[events <= end], 1.0 / rate, detail)
    states = trajectory.along(times)
    plus, minus = problem.key_plus, problem.key_minus
    return Curves(
        times=times,
        log_loss=np.asarray(states.log_loss, dtype=float),
        log_norms=np.asarray(states.log_norms, dtype=float),
        plus=plus,
        minus=minus,
        log_tilt_plus=np.asarray(states.log_misalignment(+1)[:, plus], dtype=float),
        log_tilt_minus=np.asarray(states.log_misalignment(-1)[:, minus], dtype=float),
        phases=phases,
    )


def phase_times(trajectory: Trajectory) -> dict[str, float]:
    """t₊₁, t₁, t₂, t₃; infinite where the trajectory does not reach them."""
    from verify.phases import first_exit, second_levels, third_levels, time_one, time_plus
    from verify.windows import Timeline

    timeline = Timeline(trajectory)
    first = time_plus(trajectory.problem)
    second = first_exit(timeline, second_levels, first).t
    third = first_exit(timeline, third_levels, second).t
    return {"t_plus1": first, "t1": time_one(trajectory.problem), "t2": second, "t3": third}


def fitted_time(trajectory: Trajectory) -> float:
    """A little after the loss has fallen to `SMALL`, a fraction of its start; t_end if it never falls so low."""
    low, high = 0.0, float(trajectory.t_end)
    floor = float(trajectory.at(low).log_loss) + np.log(SMALL)
    if trajectory.at(high).log_loss > floor:
        return high
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (low, middle) if trajectory.at(middle).log_loss <= floor else (middle, high)
    return min(1.05 * high, float(trajectory.t_end))


def plot_times(t_end: float, events: FloatArray, unit: float, detail: float = 1.0) -> FloatArray:
    """Sorted times in [0, t_end]: an even grid, the events, and times that crowd towards events, down to `unit`/100."""
    grid = np.linspace(0.0, t_end, round(GRID * detail))
    spread = np.geomspace(0.01 * unit, max(t_end / len(grid), 0.1 * unit), round(NEAR * detail))
    chosen = np.unique(events)[:: max(1, len(events) // round(20 * detail))]
    near = (chosen[:, None] + np.concatenate([-spread, spread])).ravel()
    times = np.concatenate([grid, events, near])
    return np.unique(times[(times >= 0.0) & (times <= t_end)])
