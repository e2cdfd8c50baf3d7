"""A second simulator, as plain as can be and independent of verify.flow, for moderate Λ (about 1 to 30).

The gradient flow in its original coordinates (a, W) by scipy's DOP853, restarted at every deactivation.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp

from verify.notation import BoolArray, FloatArray
from verify.problem import Problem

RTOL = 1e-13
ATOL_IN_LAMBDA = 1e-15
"""Absolute tolerance of every coordinate, in units of λ times the smaller of one and the neuron's norm."""
SAME_TIME = 1e-13
"""A falling coordinate this small beside its neuron at a deactivation is taken to reach zero at the same time."""


@dataclass(frozen=True)
class NaiveState:
    """The network at one time: ln|a_j| (m,), p_jk/|a_j| (m, n), residual (n,), loss."""

    log_norms: FloatArray
    directions: FloatArray
    residual: FloatArray
    loss: float


@dataclass(frozen=True)
class NaiveTrajectory:
    """States at the times asked for, and deactivations (time, neuron, label) in order of time."""

    states: list[NaiveState]
    deactivations: list[tuple[float, int, int]]


def naive(problem: Problem, times: Iterable[float]) -> NaiveTrajectory:
    """Integrate from 0 to the last of the sorted ``times``."""
    wanted = list(times)
    flow, t, end = _Flow(problem), 0.0, wanted[-1]
    theta = flow.theta
    states: list[NaiveState] = []
    deactivations: list[tuple[float, int, int]] = []
    while wanted:
        t_next, theta_next, dense = flow.until_deactivation(t, theta, end)
        while wanted and (wanted[0] < t_next or t_next == end):
            states.append(flow.state(dense(wanted.pop(0))))
        t, theta = t_next, theta_next
        deactivations += [(t, j, k) for j, k in flow.switch_off(theta)]
    return NaiveTrajectory(states, deactivations)


class _Flow:
    """Right-hand side with a fixed set of active pairs, and the switching between those sets."""

    def __init__(self, problem: Problem) -> None:
        start, self.data = problem.initialisation, problem.dataset
        lam = math.exp(-start.minus_log_lambda)
        self.w_shape = start.directions.shape
        scale = start.norms if start.output_scale is None else start.output_scale
        self.theta = np.concatenate([start.signs * lam * scale, (lam * start.directions).ravel()])
        size = lam * np.minimum(1.0, np.minimum(start.norms, scale))
        self.atol = ATOL_IN_LAMBDA * np.concatenate([size, np.repeat(size, self.w_shape[1])])
        self.active: BoolArray = start.directions @ self.data.x.T > 0
        self.frozen = np.where(self.active, 0.0, lam * (start.directions @ self.data.x.T))

    def unpack(self, theta: FloatArray) -> tuple[FloatArray, FloatArray]:
        """(a, p): output weights (m,) and ⟨w_j, x_k⟩ on active pairs, 0 elsewhere."""
        m = self.w_shape[0]
        return theta[:m], np.where(self.active, theta[m:].reshape(self.w_shape) @ self.data.x.T, 0.0)

    def residual(self, theta: FloatArray) -> FloatArray:
        a, p = self.unpack(theta)
        return self.data.y - a @ p

    def slope(self, t: float, theta: FloatArray) -> FloatArray:
        a, p = self.unpack(theta)
        pull = self.active * (self.data.y - a @ p) / self.data.n
        return np.concatenate([(pull * p).sum(axis=1), (a[:, None] * (pull @ self.data.x)).ravel()])

    def until_deactivation(
        self, t: float, theta: FloatArray, end: float
    ) -> tuple[float, FloatArray, Callable[[float], FloatArray]]:
        """The first deactivation after ``t``, or ``end``: time, state, and the solution on the way there."""
        if end <= t:
            return end, theta, lambda _: theta
        pairs = np.argwhere(self.active)
        run = self._solve(t, theta, end, [self._watch(j, k) for j, k in pairs])
        if run.status == 0:
            return end, run.y[:, -1], run.sol
        hit = next(i for i, times in enumerate(run.t_events) if len(times))
        t_hit = self._polish(t, theta, run.t_events[hit][0], *pairs[hit])
        again = self._solve(t, theta, t_hit, [])
        return t_hit, again.y[:, -1], again.sol

    def _polish(self, t: float, theta: FloatArray, t_hit: float, j: int, k: int) -> float:
        """The zero of p_jk by Newton's method on whole integrations: dense output alone is less accurate."""
        for _ in range(2):
            there = self._solve(t, theta, t_hit, []).y[:, -1]
            a, p = self.unpack(there)
            t_hit = max(t, t_hit - p[j, k] / (a[j] * self.residual(there)[k] / self.data.n))
        return t_hit

    def _solve(self, t: float, theta: FloatArray, end: float, pairs: list):
        options = {"method": "DOP853", "rtol": RTOL, "atol": self.atol, "dense_output": True, "events": pairs}
        with np.errstate(over="ignore", invalid="ignore"):
            run = solve_ivp(self.slope, (t, end), theta, **options)
        assert run.success, run.message
        return run

    def _watch(self, j: int, k: int):
        def coordinate(t: float, theta: FloatArray) -> float:
            return theta[self.w_shape[0] :].reshape(self.w_shape)[j] @ self.data.x[k]

        coordinate.terminal, coordinate.direction = True, -1
        return coordinate

    def switch_off(self, theta: FloatArray) -> list[tuple[int, int]]:
        """Set to exactly 0, in place, every active coordinate that has arrived there; which pairs those were."""
        a, p = self.unpack(theta)
        falling = a[:, None] * self.residual(theta) < 0
        norms = np.linalg.norm(theta[len(a) :].reshape(self.w_shape), axis=1)
        gone = np.argwhere(self.active & falling & (p <= SAME_TIME * norms[:, None]))
        w = theta[len(a) :].reshape(self.w_shape)
        for j, k in gone:
            w[j] -= (w[j] @ self.data.x[k]) * self.data.x[k]
            self.active[j, k] = False
        return [(int(j), int(k)) for j, k in gone]

    def state(self, theta: FloatArray) -> NaiveState:
        a, p = self.unpack(theta)
        r = self.residual(theta)
        return NaiveState(np.log(np.abs(a)), (p + self.frozen) / np.abs(a)[:, None], r, float(r @ r / (2 * len(r))))
