"""Data of any geometry: inputs that need not be orthonormal, seen through their Gram matrix."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from verify.errors import InvalidDataset
from verify.network import Network
from verify.notation import FloatArray

ROUNDING = 8 * 2.0**-52
"""Inner products below this share of the product of the norms are rounding, and count as orthogonal."""


@dataclass(frozen=True, eq=False)
class Regression:
    """Inputs x (n, d) and labels y (n,), with the slope ``leak`` of the activation below 0: σ(p) = max(p, leak·p).

    Raises InvalidDataset for other shapes, entries that are not finite, a zero input, or a leak outside [0, 1).
    Source: Section 2 without Assumption 1; Appendix A (T).

    >>> Regression(np.array([[-0.5, 1.0], [2.0, 1.0]]), np.array([-1.0, 1.0])).gram
    array([[1.25, 0.  ],
           [0.  , 5.  ]])
    """

    x: FloatArray
    y: FloatArray
    leak: float = 0.0

    def __post_init__(self) -> None:
        for name in ("x", "y"):
            object.__setattr__(self, name, np.array(getattr(self, name), dtype=np.float64))
        x, y = self.x, self.y
        if x.ndim != 2 or y.shape != x.shape[:1] or not y.size:
            raise InvalidDataset(f"x has shape {x.shape} and y has shape {y.shape}; x must be (n, d) and y (n,)")
        if not (np.isfinite(x).all() and np.isfinite(y).all()):
            raise InvalidDataset("x and y must be finite")
        if not x.any(axis=1).all():
            k = int(np.flatnonzero(~x.any(axis=1))[0])
            raise InvalidDataset(f"x[{k}] is the zero vector; a network without bias cannot see it")
        if not 0 <= self.leak < 1:
            raise InvalidDataset(f"leak = {self.leak} must be at least 0 (ReLU) and below 1")

    @classmethod
    def on_a_line(cls, x: FloatArray, y: FloatArray, leak: float = 0.0) -> Regression:
        """Scalar inputs x (n,) with a second coordinate 1 for the bias, as in Section 5 and Appendix A.1. [T]"""
        x = np.asarray(x, dtype=np.float64)
        return cls(np.stack([x, np.ones_like(x)], axis=1), y, leak)

    @property
    def n(self) -> int:
        """Number of inputs."""
        return len(self.y)

    @property
    def d(self) -> int:
        """Dimension of the inputs."""
        return int(self.x.shape[1])

    @cached_property
    def lengths(self) -> FloatArray:
        """‖x_k‖ (n,)."""
        return np.asarray(np.linalg.norm(self.x, axis=1))

    @cached_property
    def gram(self) -> FloatArray:
        """G_kl = ⟨x_k, x_l⟩ (n, n), exactly 0 where the inner product is mere rounding."""
        gram = self.x @ self.x.T
        return np.where(np.abs(gram) > ROUNDING * np.outer(self.lengths, self.lengths), gram, 0.0)

    @cached_property
    def _lift(self) -> FloatArray:
        """(n, d): what a change of all ⟨w, x_k⟩ says of w, whose change lies in the span of the inputs."""
        return np.asarray(np.linalg.pinv(self.x.T))

    def projections(self, network: Network) -> FloatArray:
        """p_jk = ⟨w_j, x_k⟩ (m, n)."""
        return network.w @ self.x.T

    def moved(self, start: Network, p: FloatArray, a: FloatArray) -> Network:
        """The network that ``start`` has become when its projections are p (m, n) and its output weights a (m,)."""
        return Network(a, start.w + (p - self.projections(start)) @ self._lift)

    def activated(self, p: FloatArray) -> FloatArray:
        """σ(p), the activation."""
        return np.maximum(p, self.leak * p)

    def residual(self, p: FloatArray, a: FloatArray) -> FloatArray:
        """y_k − h(x_k) (n,)."""
        return self.y - a @ self.activated(p)

    def loss(self, p: FloatArray, a: FloatArray) -> float:
        """L = (1/2n) Σ r_k². [R]"""
        r = self.residual(p, a)
        return float(r @ r) / (2 * self.n)

    def outputs(self, network: Network, x: FloatArray) -> FloatArray:
        """h(x) at other inputs x (N, d)."""
        return network.a @ self.activated(network.w @ x.T)
