"""The flow in the coordinates an expert would choose for a general solver: ln|a_j| and q_jk = ⟨w_j, x_k⟩/|a_j|.

No λ underflows in them, and on a plateau a logarithm grows evenly, so that steps are long. Only pairs that are active
at the start are kept: an inactive pair never moves again. Inputs are e_1 … e_n.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from verify.notation import FloatArray, IntArray
from verify.problem import Problem


@dataclass(frozen=True)
class Start:
    """The P active pairs: ``neuron``, ``label``, ``q`` (P,); ``log_norms``, ``signs`` (m,); labels ``y`` (n,)."""

    neuron: IntArray
    label: IntArray
    log_norms: FloatArray
    q: FloatArray
    signs: FloatArray
    y: FloatArray

    @property
    def vector(self) -> FloatArray:
        """All coordinates (m + P,): ln|a_j|, then q."""
        return np.concatenate([self.log_norms, self.q])

    def residual(self, vector: FloatArray, active: FloatArray) -> FloatArray:
        """y − h (n,) with the pairs that are ``active`` (P,), as ones and zeros."""
        m = len(self.signs)
        parts = active * (self.signs * np.exp(2 * vector[:m]))[self.neuron] * vector[m:]
        return self.y - np.bincount(self.label, parts, len(self.y))

    def slope(self, vector: FloatArray, active: FloatArray) -> FloatArray:
        """d/dt of all coordinates."""
        m, n = len(self.signs), len(self.y)
        push = active * self.signs[self.neuron] * self.residual(vector, active)[self.label] / n
        growth = np.bincount(self.neuron, push * vector[m:], m)
        return np.concatenate([growth, push - active * vector[m:] * growth[self.neuron]])


def start_of(problem: Problem) -> Start:
    """Where the problem starts; inputs must be the standard basis and the initialisation balanced."""
    begin = problem.initialisation
    q = problem.projections / begin.norms[:, None]
    neuron, label = np.nonzero(q > 0)
    log_norms = np.log(begin.norms) - begin.minus_log_lambda
    return Start(neuron, label, log_norms, q[neuron, label], begin.signs, problem.dataset.y)
