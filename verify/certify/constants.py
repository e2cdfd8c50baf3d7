"""A problem in the orientation of the proofs, and the constants of its bounds as balls; no trajectory is asked for."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property

import numpy as np

from verify.certify.balls import Ball, ball
from verify.certify.moment import Setting, begin
from verify.certify.state import Side, side_of
from verify.notation import BoolArray
from verify.problem import Problem


class Constants:
    """What bounds are made of, each computed when it is first asked for, with the bits that are set then."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem.oriented()
        self.flipped = self.problem is not problem

    @cached_property
    def setting(self) -> Setting:
        """What never changes on the trajectory."""
        return begin(self.problem)[0]

    @cached_property
    def epsilon(self) -> Ball:
        """ε: the decimal that was given, or exactly the machine float that stands for 0.9 of the largest."""
        exact = self.problem.exact_epsilon
        return ball(self.problem.epsilon if exact is None else exact)

    @cached_property
    def scale(self) -> Ball:
        """Λ."""
        return ball(self.problem.initialisation.exact_minus_log_lambda)

    @cached_property
    def kappa(self) -> Ball:
        """κ = εΛ."""
        return self.epsilon * self.scale

    @cached_property
    def largest_direction(self) -> Ball:
        """c = max ‖g_j‖."""
        return ball(max(self._squares)).sqrt()

    @cached_property
    def smallest_direction(self) -> Ball:
        """c̲ = min ‖g_j‖."""
        return ball(min(self._squares)).sqrt()

    @property
    def _squares(self) -> list[Fraction]:
        return [
            sum((x * x for x in row), Fraction()) for row in self.problem.initialisation.exact_directions.fractions()
        ]

    @cached_property
    def plus(self) -> Side:
        """The positive labels and S₊₁."""
        return self._side(1, self.problem.dataset.positive)

    @cached_property
    def minus(self) -> Side:
        """The negative labels and S₋₁."""
        return self._side(-1, self.problem.dataset.negative)

    def _side(self, which: int, labels: BoolArray) -> Side:
        """The key set by the signs of exact fractions, which machine floats may have rounded to 0."""
        inside = np.asarray(self.problem.exact_projections[:, labels] >= 0, dtype=bool).all(axis=1)
        return side_of(self.setting, which, labels, inside & (self.problem.initialisation.signs == which))

    def side(self, which: int) -> Side:
        """One of them, by its sign."""
        return self.plus if which > 0 else self.minus

    @cached_property
    def ratio(self) -> Ball:
        """r = ‖D₊‖/‖D₋‖."""
        return self.plus.norm / self.minus.norm

    @property
    def n(self) -> int:
        """Number of labels."""
        return self.problem.dataset.n

    @cached_property
    def time_plus(self) -> Ball:
        """t₊₁ = κ/‖D₊‖."""
        return self.kappa / self.plus.norm

    @cached_property
    def time_one(self) -> Ball:
        """t₁ = t₋₁ = κ/‖D₋‖."""
        return self.kappa / self.minus.norm

    def early_time(self, which: int) -> Ball:
        """t₊₁ for +1, t₋₁ for −1."""
        return self.time_plus if which > 0 else self.time_one

    def shrunk(self, power: Ball | Fraction | int) -> Ball:
        """λ^(pε) = e^(−pκ)."""
        return (-ball(power) * self.kappa).exp()

    def others(self, key: tuple[int, ...]) -> list[int]:
        """The neurons outside a set."""
        return [j for j in range(self.problem.initialisation.m) if j not in key]
