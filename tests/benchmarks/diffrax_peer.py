"""diffrax in expert hands: from deactivation to deactivation, in one loop that JAX compiles.

One event function, the smallest coordinate still active, watches all pairs; the field is that of :mod:`.logarithmic`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

from tests.benchmarks.logarithmic import start_of
from verify.notation import FloatArray
from verify.problem import Problem

RTOL = 1e-12
ROOT = 1e-9
"""Tolerance of the time of a deactivation, which counts in second order."""

MOST_STEPS = 1_000_000


class Diffrax:
    """An integrator for one problem; compiling, once for each ``method`` and size, is not part of :meth:`run`."""

    def __init__(self, problem: Problem, method: str) -> None:
        start = start_of(problem)
        q = np.zeros((len(start.signs), len(start.y)))
        q[start.neuron, start.label] = start.q
        self.start = (start.log_norms, q, (q > 0).astype(float), start.signs[:, None], start.y)
        self.follow = _compiled(method)
        self.run(0.0)

    def run(self, end: float) -> tuple[FloatArray, FloatArray]:
        """ln|a_j| (m,) and residual (n,) at time ``end``, from the start."""
        log_norms, residual = self.follow(*self.start, end)
        return np.asarray(log_norms), np.asarray(residual)


@cache
def _compiled(method: str) -> Callable[..., Any]:
    """From ln|a_j| (m,), q and active pairs as ones and zeros (m, n), signs (m, 1), labels and a time to the answer."""
    wanted = "needs diffrax: pip install '.[bench]'"
    dx, jax, optimistix = (pytest.importorskip(name, reason=wanted) for name in ("diffrax", "jax", "optimistix"))
    jnp = jax.numpy
    jax.config.update("jax_enable_x64", True)

    def residual(log_norms: Any, q: Any, active: Any, signs: Any, labels: Any) -> Any:
        return labels - (active * signs * jnp.exp(2 * log_norms)[:, None] * q).sum(axis=0)

    def slope(t: Any, y: Any, args: Any) -> Any:
        (log_norms, q), (active, signs, labels) = y, args
        push = active * signs * residual(log_norms, q, active, signs, labels) / len(labels)
        growth = (push * q).sum(axis=1)
        return growth, push - active * q * growth[:, None]

    def smallest(t: Any, y: Any, args: Any, **others: Any) -> Any:
        return jnp.where(args[0] > 0, y[1], 1.0).min()

    settings: dict[str, Any] = {
        "stepsize_controller": dx.PIDController(rtol=RTOL, atol=RTOL),
        "event": dx.Event(smallest, optimistix.Newton(ROOT, ROOT), direction=False),
        "adjoint": dx.ForwardMode(),
        "max_steps": MOST_STEPS,
    }
    terms, solver = dx.ODETerm(slope), getattr(dx, method)()

    def follow(log_norms: Any, q: Any, active: Any, signs: Any, labels: Any, end: Any) -> Any:
        def stretch(state: Any) -> Any:
            t, y, active = state
            args = (active, signs, labels)
            run = dx.diffeqsolve(terms, solver, t, end, None, y, args, **settings)
            t, log_norms, q = run.ts[0], run.ys[0][0], run.ys[1][0]
            gone = (t < end) & (active > 0) & (q <= jnp.maximum(smallest(t, (log_norms, q), args), 0.0))
            return t, (log_norms, jnp.where(gone, 0.0, q)), jnp.where(gone, 0.0, active)

        begin = (jnp.zeros(()), (log_norms, q), active)
        _, y, active = jax.lax.while_loop(lambda state: state[0] < end, stretch, begin)
        return y[0], residual(y[0], y[1], active, signs, labels)

    compiled: Callable[..., Any] = jax.jit(follow)
    return compiled
