"""The two orthogonal points of Section 5, and one run on them: the exact flow, and descent."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from verify.experiments.descent import Descent, descend
from verify.experiments.flow import general_flow
from verify.experiments.followed import Followed
from verify.experiments.regression import Regression
from verify.experiments.starts import gaussian_start

DATA = Regression.on_a_line(np.array([-0.5, 2.0]), np.array([-1.0, 1.0]))
WIDTH, SCALE, STEP, ITERATIONS, SPAN = 60, 1e-6, 1e-3, 20_000, (-3.0, 4.0)
TIME = 2 * STEP
"""Flow time of one iteration: the experiments of the paper use the loss (1/n) Σ r², twice that of its theory."""
MINIMAL = 1 / math.sqrt(5) + 1 / math.sqrt(1.25)
"""F₁ norm of the minimal interpolator: Σ |y_k|/‖x_k‖ for one label of each sign. [R, Proposition 1]"""
LINEAR = 2 * math.hypot(0.8, 0.6)
"""F₁ norm of the linear interpolator 0.8 x − 0.6 = σ(⟨v, x⟩) − σ(−⟨v, x⟩). [D]"""


@dataclass(frozen=True, eq=False)
class Run(Followed):
    """One seed: the exact flow, and descent with the paper's step."""

    descent: Descent

    @cached_property
    def left(self) -> tuple[float, float]:
        """Iterations at which the first and the second saddle are left by 1 %."""
        return self.below(0.99) / TIME, self.below(0.49) / TIME

    def apart(self, descent: Descent) -> float:
        """Largest distance to the flow at the iterations kept, over the final ‖θ‖."""
        return float(self.distances(descent, list(descent.kept)).max())


def one(seed: int, rtol: float = 1e-9) -> Run:
    """Flow and descent from one start."""
    start = gaussian_start(np.random.default_rng(seed), WIDTH, 2, SCALE / math.sqrt(WIDTH))
    path = general_flow(DATA, start, ITERATIONS * TIME, rtol=rtol)
    return Run(path, descend(DATA, start, TIME, ITERATIONS, keep=kept(1)))


def kept(refinement: int) -> range:
    """Iterations of a step so many times smaller whose states are compared with the flow."""
    return range(0, ITERATIONS * refinement + 1, 200 * refinement)
