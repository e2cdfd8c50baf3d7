"""The two simulators behind one face, and their errors against an answer that is known."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tests.naive import naive
from verify.flow.simulate import simulate
from verify.notation import FloatArray
from verify.problem import Problem

PEERS = ("verify", "DOP853")


def states(peer: str, problem: Problem, times: Sequence[float]) -> list[Any]:
    """States at sorted times, with log_norms (m,) and residual (n,): this package's, or those of scipy's DOP853."""
    if peer == "DOP853":
        return naive(problem, times).states
    trajectory = simulate(problem, until=times[-1])
    return [trajectory.at(t) for t in times]


def largest_error(problem: Problem, found: list[Any], expected: list[tuple[FloatArray, FloatArray]]) -> float:
    """Largest error of log-norms (absolute) and residuals (relative to their labels); expected are pairs of both."""
    y = np.abs(problem.dataset.y)
    worst = 0.0
    for state, (log_norms, residual) in zip(found, expected, strict=True):
        worst = max(worst, float(np.abs(state.log_norms - log_norms).max()))
        worst = max(worst, float((np.abs(state.residual - residual) / y).max()))
    return worst
