"""scipy's DOP853 as a careful user runs it: restarted at deactivations, which one event function watches for all pairs.

The field is continuous across a deactivation, so that an error of its time counts only in second order, and the dense
output need not be polished. One event, the smallest coordinate still active, costs a step what one function costs.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.integrate import solve_ivp

from tests.benchmarks.logarithmic import start_of
from verify.notation import FloatArray
from verify.problem import Problem

RTOL = 1e-12
ATOL_IN_LAMBDA = 1e-14
"""Absolute tolerance of weights, in units of λ: what grows from λ to 1 must be right from the start."""

Answer = tuple[FloatArray, FloatArray]
"""ln|a_j| (m,) and residual (n,)."""


def weights(problem: Problem, end: float, events: bool = True) -> Answer:
    """In the coordinates (a_j, ⟨w_j, x_k⟩); without ``events``, kinks are left to the control of errors."""
    start, y = problem.initialisation, problem.dataset.y
    lam, m, n = math.exp(-start.minus_log_lambda), start.m, len(y)
    active = problem.projections > 0

    def residual(theta):
        p = theta[m:].reshape(m, n)
        return y - theta[:m] @ np.where(active & (p > 0), p, 0.0)

    def slope(t, theta):
        a, p = theta[:m], theta[m:].reshape(m, n)
        on = active & (p > 0) if not events else active
        pull = on * (y - a @ np.where(on, p, 0.0)) / n
        return np.concatenate([(pull * p).sum(axis=1), (a[:, None] * pull).ravel()])

    def smallest(t, theta):
        return np.where(active, theta[m:].reshape(m, n) / lam, np.inf).min(initial=np.inf)

    theta = np.concatenate([start.signs * lam * start.norms, lam * problem.projections.ravel()])
    atol = ATOL_IN_LAMBDA * lam
    t = 0.0
    while t < end:
        t, theta = _stretch(slope, smallest if events else None, t, theta, end, atol)
        if t < end:
            p = np.where(active, theta[m:].reshape(m, n), np.inf)
            active.flat[np.argmin(p)] = False
            theta[m + np.argmin(p)] = 0.0
    return np.log(np.abs(theta[:m])), residual(theta)


def logarithms(problem: Problem, end: float) -> Answer:
    """In the coordinates of :mod:`.logarithmic`, where the tolerance is the same for all and λ does not matter."""
    start = start_of(problem)
    m, active, vector, t = len(start.signs), np.ones(len(start.q)), start.vector, 0.0

    def smallest(t, vector):
        return np.where(active > 0, vector[m:], 1.0).min()

    while t < end:
        t, vector = _stretch(lambda _, v: start.slope(v, active), smallest, t, vector, end, RTOL)
        if t < end:
            gone = np.argmin(np.where(active > 0, vector[m:], 1.0))
            active[gone] = vector[m + gone] = 0.0
    return vector[:m], start.residual(vector, active)


def _stretch(slope, event, t: float, vector: FloatArray, end: float, atol: float) -> tuple[float, FloatArray]:
    """To the first zero of ``event``, or to the end."""
    if event is not None:
        event.terminal, event.direction = True, -1
    with np.errstate(over="ignore", invalid="ignore"):
        run = solve_ivp(slope, (t, end), vector, "DOP853", events=event, rtol=RTOL, atol=atol)
    if not run.success:
        raise ArithmeticError(run.message)
    return (float(run.t[-1]), run.y[:, -1].copy())
