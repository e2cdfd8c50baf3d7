"""diffrax in expert hands: from deactivation to deactivation, in one loop that JAX compiles.

One event function, the smallest coordinate still active, watches all pairs; the field is that of :mod:`.logarithmic`.
"""

from __future__ import annotations

from collections.abc import Callable
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
    """A compiled integrator for one problem; compiling is not part of :meth:`run`."""

    def __init__(self, problem: Problem, method: str) -> None:
        dx = pytest.importorskip("diffrax", reason="needs diffrax: pip install '.[bench]'")
        import jax

        jax.config.update("jax_enable_x64", True)
        start = start_of(problem)
        q = np.zeros((len(start.signs), len(start.y)))
        q[start.neuron, start.label] = start.q
        self.start = (start.log_norms, q, (q > 0).astype(float))
        self.follow = jax.jit(_loop(jax, dx, getattr(dx, method)(), start.signs[:, None], start.y))
        self.run(0.0)

    def run(self, end: float) -> tuple[FloatArray, FloatArray]:
        """ln|a_j| (m,) and residual (n,) at time ``end``, from the start."""
        log_norms, residual = self.follow(*self.start, end)
        return np.asarray(log_norms), np.asarray(residual)


def _loop(jax: Any, dx: Any, method: Any, signs: FloatArray, labels: FloatArray) -> Callable[..., Any]:
    """From ln|a_j| (m,), q and the active pairs (m, n) as ones and zeros, and a time, to the answer there."""
    from optimistix import Newton

    jnp = jax.numpy

    def residual(log_norms: Any, q: Any, active: Any) -> Any:
        return labels - (active * signs * jnp.exp(2 * log_norms)[:, None] * q).sum(axis=0)

    def slope(t: Any, vector: Any, active: Any) -> Any:
        log_norms, q = vector
        push = active * signs * residual(log_norms, q, active) / len(labels)
        growth = (push * q).sum(axis=1)
        return growth, push - active * q * growth[:, None]

    def smallest(t: Any, y: Any, args: Any, **others: Any) -> Any:
        return jnp.where(args > 0, y[1], 1.0).min()

    settings = {
        "stepsize_controller": dx.PIDController(rtol=RTOL, atol=RTOL),
        "event": dx.Event(smallest, Newton(ROOT, ROOT), direction=False),
        "adjoint": dx.ForwardMode(),
        "max_steps": MOST_STEPS,
    }

    def follow(log_norms: Any, q: Any, active: Any, end: float) -> Any:
        def stretch(state: Any) -> Any:
            t, vector, active = state
            run = dx.diffeqsolve(dx.ODETerm(slope), method, t, end, None, vector, active, **settings)
            t, log_norms, q = run.ts[0], run.ys[0][0], run.ys[1][0]
            gone = (t < end) & (active > 0) & (q <= jnp.maximum(smallest(t, (log_norms, q), active), 0.0))
            return t, (log_norms, jnp.where(gone, 0.0, q)), jnp.where(gone, 0.0, active)

        begin = (jnp.zeros(()), (log_norms, q), active)
        _, vector, active = jax.lax.while_loop(lambda state: state[0] < end, stretch, begin)
        return vector[0], residual(*vector, active)

    return follow
