"""Gradient descent at any step size, on data of any geometry."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numba import njit

from verify.errors import InvalidArgument, SimulationFailed
from verify.experiments.digits import Iterate, iterate
from verify.experiments.regression import Regression
from verify.experiments.snapshot import Snapshot
from verify.flow.arithmetic import Array
from verify.network import Network
from verify.notation import FloatArray

CHUNK = 1000
"""Iterations between two calls of the progress."""


@dataclass(frozen=True, eq=False)
class Descent:
    """What gradient descent did: ``losses`` (N + 1,) at every iteration, and the states that were asked for.

    Time is iteration times ``step``, which is the flow's time in the limit step → 0. In digits numbers are mpmath's.
    """

    data: Regression
    start: Network
    step: float
    losses: Array
    kept: Mapping[int, Snapshot | Iterate]

    @cached_property
    def iterations(self) -> int:
        """Number of iterations."""
        return len(self.losses) - 1

    @property
    def t_end(self) -> float:
        """Time of the last iteration."""
        return self.iterations * float(self.step)

    def after(self, iteration: int) -> Snapshot | Iterate:
        """The state after so many iterations. Raises InvalidArgument for one that was not kept."""
        if iteration not in self.kept:
            raise InvalidArgument(f"iteration = {iteration} was not kept; known are {sorted(self.kept)}")
        return self.kept[iteration]


def descend(
    data: Regression,
    start: Network,
    step: float,
    iterations: int,
    keep: Iterable[int] = (),
    progress: Callable[[int], object] | None = None,
    digits: int | None = None,
) -> Descent:
    """θ ← θ − step ∇L(θ), so many times; states after the iterations ``keep``, the first and the last are kept.

    L = (1/2n) Σ r_k², hence a step of the loss (1/n) Σ r_k² is one of twice the size here. ``digits`` None means
    machine floats, compiled; otherwise see ``iterate``. ``progress`` is told how many iterations are new.
    Raises InvalidArgument for a step that is not positive, an iteration out of range or other than 20 to 2000 digits,
    SimulationFailed when the loss is no longer finite. Source: Section 5, Appendix A (T).

    >>> data, start = Regression(np.eye(1), np.ones(1)), Network(np.array([0.5]), np.array([[0.5]]))
    >>> descend(data, start, 0.25, 1).losses
    array([0.28125   , 0.20960283])
    >>> print(descend(data, start, 0.25, 1, digits=30).losses[-1])
    0.209602832794189
    """
    wanted = {0, iterations, *keep}
    if not step > 0 or iterations < 1 or min(wanted) < 0 or max(wanted) > iterations:
        raise InvalidArgument(f"step = {step}, iterations = {iterations}: both positive, and keep within the latter")
    if digits is not None:
        return Descent(data, start, step, *iterate(data, start, step, iterations, wanted, digits, progress))
    return _in_floats(data, start, step, iterations, wanted, progress)


def _in_floats(
    data: Regression,
    start: Network,
    step: float,
    iterations: int,
    wanted: set[int],
    progress: Callable[[int], object] | None,
) -> Descent:
    """The state is (p, a), for which p ← p + (step/n) (a r σ'(p)) G: one product of matrices an iteration."""
    p, a = np.ascontiguousarray(data.projections(start)), start.a.copy()
    losses, now = np.empty(iterations + 1), 0
    kept = {0: Snapshot(data, start, 0.0, p.copy(), a.copy())}
    for end in sorted({*wanted, *range(CHUNK, iterations, CHUNK)} - {0}):
        _descend(p, a, data.gram, data.y, step, data.leak, losses[now:end])
        if not np.isfinite(losses[end - 1]):
            raise SimulationFailed(f"gradient descent with step = {step} diverged before iteration {end}")
        if end in wanted:
            kept[end] = Snapshot(data, start, end * step, p.copy(), a.copy())
        if progress is not None:
            progress(end - now)
        now = end
    losses[-1] = data.loss(p, a)
    return Descent(data, start, step, losses, kept)


@njit(cache=True)
def _descend(
    p: FloatArray, a: FloatArray, gram: FloatArray, y: FloatArray, step: float, leak: float, losses: FloatArray
) -> None:
    """As many iterations as there are losses, in place; each loss is that before its iteration."""
    m, n = p.shape
    pull, change = np.empty((m, n)), np.empty((m, n))
    for i in range(len(losses)):
        residual = y.copy()
        for j in range(m):
            for k in range(n):
                residual[k] -= a[j] * max(p[j, k], leak * p[j, k])
        losses[i] = (residual * residual).sum() / (2 * n)
        residual *= step / n
        for j in range(m):
            growth = 0.0
            for k in range(n):
                slope = 1.0 if p[j, k] > 0 else leak
                pull[j, k] = a[j] * slope * residual[k]
                growth += slope * p[j, k] * residual[k]
            a[j] += growth
        np.dot(pull, gram, change)
        p += change
