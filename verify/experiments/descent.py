"""Gradient descent at any step size, on data of any geometry."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numba import njit

from verify.errors import InvalidArgument, SimulationFailed
from verify.experiments.regression import Regression
from verify.experiments.snapshot import Snapshot
from verify.network import Network
from verify.notation import FloatArray

CHUNK = 1000
"""Iterations between two calls of the progress."""


@dataclass(frozen=True, eq=False)
class Descent:
    """What gradient descent did: ``losses`` (N + 1,) at every iteration, and the states that were asked for.

    Time is iteration times ``step``, which is the flow's time in the limit step → 0.
    """

    data: Regression
    start: Network
    step: float
    losses: FloatArray
    kept: dict[int, tuple[FloatArray, FloatArray]]

    @cached_property
    def iterations(self) -> int:
        """Number of iterations."""
        return len(self.losses) - 1

    @property
    def t_end(self) -> float:
        """Time of the last iteration."""
        return self.iterations * self.step

    def after(self, iteration: int) -> Snapshot:
        """The state after so many iterations. Raises InvalidArgument for one that was not kept."""
        if iteration not in self.kept:
            raise InvalidArgument(f"iteration = {iteration} was not kept; known are {sorted(self.kept)}")
        p, a = self.kept[iteration]
        return Snapshot(self.data, self.start, iteration * self.step, p, a)


def descend(
    data: Regression,
    start: Network,
    step: float,
    iterations: int,
    keep: Iterable[int] = (),
    progress: Callable[[int], object] | None = None,
) -> Descent:
    """θ ← θ − step ∇L(θ), so many times; states after the iterations ``keep``, the first and the last are kept.

    L = (1/2n) Σ r_k², hence a step of the loss (1/n) Σ r_k² is one of twice the size here. The state is (p, a) with
    p_jk = ⟨w_j, x_k⟩, for which p ← p + (step/n) (a r σ'(p)) G: one product of matrices an iteration.
    ``progress`` is told how many iterations are new. Raises InvalidArgument for a step that is not positive or an
    iteration out of range, SimulationFailed when the loss is no longer finite. Source: Section 5, Appendix A (T).
    """
    wanted = sorted({0, iterations, *keep})
    if not step > 0 or iterations < 1 or wanted[0] < 0 or wanted[-1] > iterations:
        raise InvalidArgument(f"step = {step}, iterations = {iterations}: both positive, and keep within the latter")
    p, a = np.ascontiguousarray(data.projections(start)), start.a.copy()
    losses, kept, now = np.empty(iterations + 1), {0: (p.copy(), a.copy())}, 0
    for end in sorted({*wanted[1:], *range(CHUNK, iterations, CHUNK)}):
        _descend(p, a, data.gram, data.y, step, data.leak, losses[now:end])
        if not np.isfinite(losses[end - 1]):
            raise SimulationFailed(f"gradient descent with step = {step} diverged before iteration {end}")
        if end in wanted:
            kept[end] = p.copy(), a.copy()
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
