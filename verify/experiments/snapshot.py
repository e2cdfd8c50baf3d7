"""The network at one time of an experiment."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from verify.experiments.regression import Regression
from verify.network import Network
from verify.notation import BoolArray, FloatArray


@dataclass(frozen=True, eq=False)
class Snapshot:
    """State at time ``t``: p_jk = ⟨w_j, x_k⟩ (m, n) and a (m,); the fields of ``State`` are derived from these."""

    data: Regression
    start: Network
    t: float
    p: FloatArray
    a: FloatArray

    @property
    def signs(self) -> FloatArray:
        """(m,): sign of a_j."""
        return np.sign(self.a)

    @property
    def log_norms(self) -> FloatArray:
        """(m,): ln|a_j|."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(np.abs(self.a)))

    @property
    def directions(self) -> FloatArray:
        """(m, n): p_jk/|a_j|."""
        return self.p / np.abs(self.a)[:, None]

    @property
    def active(self) -> BoolArray:
        """(m, n): p_jk > 0."""
        return self.p > 0

    @cached_property
    def residual(self) -> FloatArray:
        """(n,): y_k − h(x_k)."""
        return self.data.residual(self.p, self.a)

    @cached_property
    def loss(self) -> float:
        """L = (1/2n) Σ r_k²."""
        return float(self.residual @ self.residual) / (2 * self.data.n)

    def parameters(self) -> Network:
        """θ = (a, W); w_j has moved within the span of the inputs only."""
        return self.data.moved(self.start, self.p, self.a)
