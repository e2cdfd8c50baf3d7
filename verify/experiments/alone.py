"""The beginning of a flow from a small start, where outputs are negligible and every neuron moves alone."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from verify.experiments.modes import Modes
from verify.experiments.regression import Regression
from verify.experiments.run import Run
from verify.network import Network
from verify.notation import FloatArray

NEGLIGIBLE = 1e-14
"""Outputs below this share of the largest label do not move the residual."""


def time_alone(data: Regression, start: Network) -> float:
    """Until when every output is certainly below ``NEGLIGIBLE`` of the largest label; 0 when it is not at the start.

    With r = y a neuron's ‖(w_j, a_j)‖² grows at most at the rate 2 σ_max(X)‖y‖/n, since σ'r is y with some entries
    made smaller, and |h(x_k)| ≤ ½‖x_k‖ Σ_j ‖(w_j, a_j)‖². [D]
    """
    rate = float(np.linalg.norm(data.x, 2) * np.linalg.norm(data.y)) / data.n
    output = float(data.lengths.max()) * start.norm_squared() / 2
    return max(0.0, math.log(NEGLIGIBLE * float(np.abs(data.y).max()) / output) / (2 * rate))


def run_alone(data: Regression, start: Network, until: float, rtol: float, times: list[float] | None) -> list[Run]:
    """Each neuron followed by itself up to ``until``, with the residual at the labels."""
    p, runs = data.projections(start), []
    for j in range(start.m):
        own = slice(j, j + 1)
        modes = replace(Modes.of(data, p[own], start.a[own]), feedback=False)
        wanted = None if times is None else [t for t in times if t <= until]
        runs.append(Run(modes, np.append(p[j], start.a[j]), 0.0, until, rtol, wanted))
        while runs[-1].t < until:
            runs[-1].advance()
    return runs


def stacked(states: list[FloatArray]) -> FloatArray:
    """One state (mn + m,) of m states (n + 1,) of single neurons."""
    return np.concatenate([*(state[:-1] for state in states), [state[-1] for state in states]])
