"""One problem with n = 5, d = 8, m = 60 at four scales: the cost of a trajectory must not depend on Λ."""

import numpy as np
import pytest

from tests.benchmarks.table import Run, Table, median_seconds
from verify.families import draw_problem
from verify.flow.simulate import simulate
from verify.problem import Problem

SCALES = (18.4, 230.0, 1e4, 1e6)
GROUP = "simulate, n = 5, d = 8, m = 60"
ROUNDS = 15

FACTOR = 4.0
"""The extremes should be within a factor 2 of one another; twice that leaves room for a noisy machine."""


def sixty(minus_log_lambda: float) -> Problem:
    rng = np.random.default_rng(1)
    return draw_problem(rng, inputs="haar", n=5, d=8, m=60, minus_log_lambda=minus_log_lambda)


@pytest.mark.parametrize("minus_log_lambda", SCALES)
def test_simulate(benchmark, minus_log_lambda):
    trajectory = benchmark(simulate, sixty(minus_log_lambda))
    end = trajectory.at(trajectory.t_end)
    assert np.abs(end.residual).max() < 1e-25
    assert trajectory.error < 1e-12 * max(minus_log_lambda, 100.0)


def test_cost_does_not_depend_on_lambda(timed, table: Table):
    """Medians of the same run, measured in turn."""
    problems = {f"Λ = {scale:g}": sixty(scale) for scale in SCALES}
    seconds = median_seconds({name: lambda p=p: simulate(p) for name, p in problems.items()}, ROUNDS)
    for name, problem in problems.items():
        trajectory = simulate(problem)
        note = f"{len(trajectory.segments)} segments, {len(trajectory.deactivations)} deactivations"
        table.add(Run(GROUP, name, seconds[name], trajectory.error, note + ", estimated error"))
    extremes = seconds["Λ = 1e+06"] / seconds["Λ = 18.4"]
    assert 1 / FACTOR < extremes < FACTOR
