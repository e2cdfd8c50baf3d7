"""heyoka.py in expert hands: compiled Taylor series of adaptive order, one terminal event an active pair.

The event of a dead pair is the constant −1 (``act·q + act − 1``), so that it cannot fire again.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.benchmarks.logarithmic import Start, start_of
from verify.notation import FloatArray
from verify.problem import Problem


class Heyoka:
    """A compiled integrator for one problem; compiling is not part of :meth:`run`."""

    def __init__(self, problem: Problem) -> None:
        hy = pytest.importorskip("heyoka", reason="needs heyoka.py: pip install '.[bench]'")
        self.start = start_of(problem)
        m, pairs = len(self.start.signs), len(self.start.q)
        log_a, q = hy.make_vars(*(f"l{j}" for j in range(m))), hy.make_vars(*(f"q{i}" for i in range(pairs)))
        system = _system(hy, self.start, log_a, q)
        watched = [
            hy.t_event(hy.par[i] * q[i] + hy.par[i] - 1, direction=hy.event_direction.negative, callback=_Death(m, i))
            for i in range(pairs)
        ]
        self.pairs = np.arange(pairs)
        self.integrator = hy.taylor_adaptive(
            system, self.start.vector, pars=np.ones(pairs), t_events=watched, compact_mode=True
        )
        self.done = hy.taylor_outcome.time_limit

    def run(self, end: float) -> tuple[FloatArray, FloatArray]:
        """ln|a_j| (m,) and residual (n,) at time ``end``, from the start."""
        ta = self.integrator
        ta.time, ta.state[:], ta.pars[:] = 0.0, self.start.vector, 1.0
        ta.reset_cooldowns()
        outcome = ta.propagate_until(end)[0]
        assert outcome == self.done, outcome
        return ta.state[: len(self.start.signs)].copy(), self.start.residual(ta.state, ta.pars)


class _Death:
    """What happens when pair i, the coordinate m + i, arrives at zero."""

    def __init__(self, m: int, i: int) -> None:
        self.m, self.i = m, i

    def __call__(self, integrator: Any, sign: int) -> bool:
        integrator.state[self.m + self.i], integrator.pars[self.i] = 0.0, 0.0
        return True


def _system(hy: Any, start: Start, log_a: list[Any], q: list[Any]) -> list[tuple[Any, Any]]:
    """Equations of motion, with ``par[i]`` = 1 while pair i is active."""
    n = len(start.y)
    weight = [float(s) * hy.exp(2.0 * x) for s, x in zip(start.signs, log_a, strict=True)]
    live = [hy.par[i] * q[i] for i in range(len(q))]
    members = [np.flatnonzero(start.label == k) for k in range(n)]
    residual = [float(start.y[k]) - hy.sum([weight[start.neuron[i]] * live[i] for i in members[k]]) for k in range(n)]
    push = [float(start.signs[j]) / n * residual[k] for j, k in zip(start.neuron, start.label, strict=True)]
    growth = []
    for j in range(len(log_a)):
        mine = np.flatnonzero(start.neuron == j)
        growth.append(hy.sum([push[i] * live[i] for i in mine]) if len(mine) else hy.expression(0.0))
    turn = [hy.par[i] * (push[i] - q[i] * growth[j]) for i, j in enumerate(start.neuron)]
    return list(zip([*log_a, *q], [*growth, *turn], strict=True))
