"""The two orthogonal points of Section 5, and one run on them: the exact flow, and descent."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from verify.experiments.descent import Descent, descend
from verify.experiments.flow import general_flow
from verify.experiments.path import Path
from verify.experiments.regression import Regression
from verify.experiments.saddles import first_below, sampled
from verify.experiments.starts import gaussian_start
from verify.notation import FloatArray

DATA = Regression.on_a_line(np.array([-0.5, 2.0]), np.array([-1.0, 1.0]))
WIDTH, SCALE, STEP, ITERATIONS, SPAN = 60, 1e-6, 1e-3, 20_000, (-3.0, 4.0)
TIME = 2 * STEP
"""Flow time of one iteration: the experiments of the paper use the loss (1/n) Σ r², twice that of its theory."""
MINIMAL = 1 / math.sqrt(5) + 1 / math.sqrt(1.25)
"""F₁ norm of the minimal interpolator: Σ |y_k|/‖x_k‖ for one label of each sign. [R, Proposition 1]"""
LINEAR = 2 * math.hypot(0.8, 0.6)
"""F₁ norm of the linear interpolator 0.8 x − 0.6 = σ(⟨v, x⟩) − σ(−⟨v, x⟩). [D]"""


@dataclass(frozen=True, eq=False)
class Run:
    """One seed: the exact flow, and descent with the paper's step."""

    path: Path
    descent: Descent

    @cached_property
    def curve(self) -> tuple[FloatArray, FloatArray]:
        """Times and losses of the flow."""
        return sampled(self.path)

    @cached_property
    def left(self) -> tuple[float, float]:
        """Iterations at which the first and the second saddle are left by 1 %."""
        times, losses = self.curve
        return first_below(times, losses, 0.99 * losses[0]) / TIME, first_below(times, losses, 0.49 * losses[0]) / TIME

    def apart(self, descent: Descent) -> float:
        """Largest ‖θ_descent − θ_flow‖ at the iterations kept, over the final ‖θ‖."""
        final = math.sqrt(self.path.at(self.path.t_end).parameters().norm_squared())
        states = [descent.after(i) for i in descent.kept]
        return max(s.parameters().distance(self.path.at(s.t).parameters()) for s in states) / final


def one(seed: int, rtol: float = 1e-9) -> Run:
    """Flow and descent from one start."""
    start = gaussian_start(np.random.default_rng(seed), WIDTH, 2, SCALE / math.sqrt(WIDTH))
    until = ITERATIONS * TIME
    return Run(general_flow(DATA, start, until, rtol=rtol), descend(DATA, start, TIME, ITERATIONS, keep=kept(1)))


def kept(refinement: int) -> range:
    """Iterations of a step so many times smaller whose states are compared with the flow."""
    return range(0, ITERATIONS * refinement + 1, 200 * refinement)
