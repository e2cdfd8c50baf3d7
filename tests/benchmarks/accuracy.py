"""How far trajectories in float64 are from the flow, and from what they say of themselves, on random problems.

``python -m tests.benchmarks.accuracy reports/performance`` writes accuracy.md there, in some minutes; with a number
behind it, of so many problems only.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from tabulate import tabulate

from verify.families import draw_problem
from verify.flow.arithmetic import Array
from verify.flow.simulate import simulate
from verify.flow.state import State
from verify.flow.trajectory import Trajectory
from verify.notation import FloatArray
from verify.problem import Problem

COUNT, DIGITS = 300, 30
LEAST, MOST = 0.1, 100.0
"""An estimate of error should not be below the first share of the error, nor above the second."""

DEEPEST = -200 * math.log(10)
"""Residuals and 1 − cos are compared down to 10⁻²⁰⁰."""

WAITING = 1e-9
"""Labels wait to be fitted while their residual, in nats, has not fallen by more."""

UNPUSHED = 35.0
"""Where the residual across a target is so many nats below a neuron's own part off it, the neuron is turned by boosts
alone: what it is pushed off is lost in rounding."""

APART = 1e-3
"""Nodes of a trajectory closer than this, in units of the fastest rate's inverse, have no time between them."""


@dataclass(frozen=True)
class Accuracy:
    """One problem: the trajectory's ``estimate`` of its error, and the largest ``error`` that was seen.

    The largest relative errors, of numbers down to ``DEEPEST``: of the ``residual``; of 1 − cos of key neurons, as long
    as outputs do not push them (``tilt``), and at all times (``pushed``).
    """

    problem: Problem
    estimate: float
    error: float
    residual: float
    tilt: float
    pushed: float

    @property
    def ratio(self) -> float:
        """The estimate over the error."""
        return self.estimate / self.error


def sample(count: int, seed: int = 0) -> list[Problem]:
    """Problems with n ≤ 4 and m ≤ 12, every tenth with up to 6 labels and 30 neurons, Λ from 5 to 10⁴."""
    return [_draw(np.random.default_rng([seed, i]), *((7, 31) if i % 10 == 9 else (5, 13))) for i in range(count)]


def _draw(rng: np.random.Generator, labels: int, neurons: int) -> Problem:
    return draw_problem(
        rng,
        inputs="standard",
        labels=str(rng.choice(["gaussian", "near_tie", "rational"])),
        directions=str(rng.choice(["gaussian", "lattice", "wide"])),
        n=int(rng.integers(2, labels)),
        m=int(rng.integers(2, neurons)),
        minus_log_lambda=float(np.round(5 * 2000 ** rng.uniform(), 3)),
    )


def accuracy(problem: Problem) -> Accuracy:
    """The problem in float64 beside ``DIGITS`` digits, at times all over the trajectory."""
    ours, exact = simulate(problem), simulate(problem, digits=DIGITS)
    times = _times(ours, min(float(ours.t_end), float(exact.t_end)))
    with exact.arithmetic.context():
        found, true = ours.along(times), exact.along(times)
        parts = [
            found.log_norms - true.log_norms,
            found.directions - true.directions,
            (found.residual - true.residual) / np.abs(problem.dataset.y),
        ]
        return Accuracy(
            problem,
            float(ours.error),
            max(float(np.abs(_float(part)).max()) for part in parts),
            _relative(found.log_residual, true.log_residual),
            *np.max([_tilts(found, true, side) for side in (1, -1)], axis=0),
        )


def _times(trajectory: Trajectory, last: float) -> FloatArray:
    """About 40 times all over the trajectory, between its nodes: in the instant of a deactivation a coordinate has no
    relative accuracy.
    """
    nodes = np.unique(np.minimum(trajectory.nodes, last))
    middles = ((nodes[1:] + nodes[:-1]) / 2)[np.diff(nodes) > APART / trajectory.fastest]
    times = np.append(middles, last)
    return times[np.unique(np.linspace(0, len(times) - 1, 40).astype(int))]


def _tilts(found: State, true: State, side: int) -> tuple[float, float]:
    """Of key neurons: where outputs do not push them, and at all times."""
    key = found.problem.key_plus if side > 0 else found.problem.key_minus
    ours, exact = (state.log_misalignment(side)[:, key] for state in (found, true))
    axis, unfitted = true.axis(side), _float(true.axis(side).log_along)
    free = _float(axis.log_across)[:, None] < _float(axis.log_off)[:, key] - UNPUSHED
    free &= (unfitted > unfitted[0] - WAITING)[:, None]
    return _relative(ours[free], exact[free]), _relative(ours, exact)


def _relative(found: Array, true: Array) -> float:
    """The largest relative error of numbers given by their logarithms, where they are not below ``DEEPEST``."""
    deep = _float(true) >= DEEPEST
    return float(np.expm1(np.abs(_float(found[deep] - true[deep]))).max(initial=0.0))


def _float(values: Array) -> FloatArray:
    return np.asarray(values, dtype=np.float64)


ROWS = {
    "estimated error / error": "ratio",
    "error": "error",
    "relative error of residuals, down to 10⁻²⁰⁰": "residual",
    "relative error of 1 − cos, down to 10⁻²⁰⁰, where outputs do not push": "tilt",
    "the same at all times": "pushed",
}

HEAD = """# How accurate trajectories are

{count} random problems (n ≤ 4 and m ≤ 12, every tenth up to n = 6 and m = 30; Λ from 5 to 10⁴) in float64, beside
{digits} digits, at about 40 times each, by `python -m tests.benchmarks.accuracy reports/performance {count}`. The error
is the largest of log-norms and directions (absolute) and of residuals (relative to their labels).

The estimate is between {least:g} and {most:g} times the error on {within} of {count} problems; the ratio is never below
{low:.2g} and never above {high:.3g}.

"""


def page(found: Sequence[Accuracy]) -> str:
    """The summary in Markdown."""
    ratios = np.array([one.ratio for one in found])
    within = int(((ratios >= LEAST) & (ratios <= MOST)).sum())
    head = HEAD.format(
        count=len(found), digits=DIGITS, least=LEAST, most=MOST, within=within, low=ratios.min(), high=ratios.max()
    )
    rows = []
    for name, field in ROWS.items():
        values = np.array([getattr(one, field) for one in found])
        rows.append([name, *(f"{value:.2g}" for value in (*np.quantile(values, [0.05, 0.5, 0.95]), values.max()))])
    return (
        head + tabulate(rows, ["", "5 %", "median", "95 %", "largest"], tablefmt="pipe", disable_numparse=True) + "\n"
    )


def main(folder: str, count: str = str(COUNT)) -> None:
    """Measure, and write accuracy.md."""
    found = []
    for i, problem in enumerate(sample(int(count))):
        found.append(accuracy(problem))
        print(f"\r{i + 1} of {count}", end="", file=sys.stderr, flush=True)
    Path(folder).mkdir(parents=True, exist_ok=True)
    (Path(folder) / "accuracy.md").write_text(page(found), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
