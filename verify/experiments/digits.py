"""Gradient descent in any number of digits, in the parameters themselves; for small problems."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from verify.errors import SimulationFailed
from verify.experiments.regression import Regression
from verify.flow.arithmetic import Arithmetic, Array
from verify.flow.multiprecision import multiprecision
from verify.network import Network

TOLD = 50
"""Iterations between two calls of the progress."""
LARGEST = 1e300
"""A loss that counts as divergence, as it does in machine floats."""


@dataclass(frozen=True, eq=False)
class Iterate:
    """What ``Snapshot`` is for machine floats: the network at one time, in mpmath numbers.

    ``p`` (m, n): ⟨w_j, x_k⟩; ``a`` (m,); ``residual`` (n,): y_k − h(x_k); ``loss``: (1/2n) Σ r_k²; ``t``: a float.
    """

    t: float
    w: Array
    a: Array
    p: Array
    residual: Array
    loss: Any
    log_norms: Array
    directions: Array

    @cached_property
    def signs(self) -> Array:
        """(m,): sign of a_j, as floats."""
        return np.array([float((a > 0) - int(a < 0)) for a in self.a])

    def parameters(self) -> Network:
        """θ = (a, W)."""
        return Network(self.a, self.w)


def iterate(
    data: Regression,
    start: Network,
    step: Any,
    iterations: int,
    keep: Collection[int],
    digits: int,
    progress: Callable[[int], object] | None = None,
) -> tuple[Array, dict[int, Iterate]]:
    """The losses (iterations + 1,) and the states after the iterations ``keep``, each to ``digits`` digits.

    θ ← θ − step ∇L(θ) as the definition has it, with guard digits for the number of iterations. Machine floats in
    ``data``, ``start`` and ``step`` are taken as the binary numbers they are. Raises InvalidArgument for other than 20
    to 2000 digits, SimulationFailed when the loss grows beyond 10³⁰⁰.
    """
    arithmetic = multiprecision(digits, size=iterations)
    losses, kept = np.empty(iterations + 1, dtype=object), {}
    with arithmetic.context():
        x, y, eta = arithmetic.array(data.x), arithmetic.array(data.y), arithmetic.number(step)
        w, a = arithmetic.array(start.w), arithmetic.array(start.a)
        for i in range(iterations + 1):
            p = w @ x.T
            slope = np.where(p > 0, arithmetic.number(1), arithmetic.number(data.leak))
            residual = y - a @ (slope * p)
            losses[i] = residual @ residual / (2 * data.n)
            if not losses[i] < LARGEST:
                raise SimulationFailed(f"gradient descent with step = {step} diverged before iteration {i}")
            if i in keep:
                kept[i] = _exported(arithmetic, i * float(step), w, a, p, residual, losses[i])
            pull = eta / data.n * (slope * residual)
            w, a = w + a[:, None] * (pull @ x), a + (pull * p).sum(axis=1)
            if progress is not None and i and (i % TOLD == 0 or i == iterations):
                progress((i - 1) % TOLD + 1)
        return arithmetic.export(losses), kept


def _exported(arithmetic: Arithmetic, t: float, w: Array, a: Array, p: Array, residual: Array, loss: Any) -> Iterate:
    sizes = np.abs(a)
    return Iterate(t, *map(arithmetic.export, (w, a, p, residual, loss, arithmetic.log(sizes), p / sizes[:, None])))
