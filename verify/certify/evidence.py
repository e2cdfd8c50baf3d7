"""Everything certified claims look at on one problem: the trajectory in balls, constants, phases and their ends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from verify.certify.balls import Ball, ball, sign
from verify.certify.follow import Effort
from verify.certify.moment import Setting, begin
from verify.certify.search import Timeline, Window
from verify.certify.state import CertifiedState, Side, side_of
from verify.certify.trajectory import CertifiedTrajectory, trajectory_of
from verify.notation import BoolArray
from verify.problem import Problem

Conditions = dict[str, tuple[Ball, Ball]]
"""By name: a condition is met when the first number is at least the second."""


Conditioned = Callable[["Evidence", CertifiedState], Conditions]
"""The conditions that end a phase, at a state."""


@dataclass(frozen=True)
class Exit:
    """The end of a phase: a ball that holds its time, and the one condition that is met there; None where unknown.

    ``excess``: where it is certain to end as it begins, by how much in nats the condition is met; None elsewhere.
    """

    t: Ball
    condition: str | None
    excess: Ball | None = None


class Evidence:
    """A problem in the orientation of the proofs, and what is computed from it on demand, at the bits of ``effort``.

    ``brackets``: balls that are certain to hold the ends of phases; those that are given are only confirmed.
    """

    def __init__(self, problem: Problem, effort: Effort, trajectory: CertifiedTrajectory | None = None) -> None:
        self.problem = problem.oriented()
        self.flipped = self.problem is not problem
        self.effort = effort
        self.brackets: dict[str, Ball] = {}
        self._given = trajectory

    @cached_property
    def trajectory(self) -> CertifiedTrajectory:
        """The flow in balls, to its limit."""
        return self._given or trajectory_of(self.problem, self.effort)

    @cached_property
    def setting(self) -> Setting:
        """What never changes, which asks for no trajectory."""
        return begin(self.problem)[0]

    @cached_property
    def timeline(self) -> Timeline:
        """States shared by all claims."""
        return Timeline(self.trajectory)

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

    @cached_property
    def second_exit(self) -> Exit | None:
        """t₂ and what ends phase 2; None where no end of it is certain."""
        return self.exit_by("t₂", second_conditions, self.time_plus)

    @cached_property
    def third_exit(self) -> Exit | None:
        """t₃ and what ends phase 3."""
        second = self.second_exit
        return None if second is None else self.exit_by("t₃", third_conditions, second.t)

    def exit(self, which: int) -> Exit | None:
        """t₂ for +1, t₃ for −1."""
        return self.second_exit if which > 0 else self.third_exit

    def window(self, first: Ball | int, last: Ball | None) -> Window:
        """From one time to another; None for ever."""
        return Window(ball(first), last)

    def exit_by(self, name: str, conditions: Conditioned, start: Ball) -> Exit | None:
        """When the first of some conditions is met from ``start`` on, and which."""

        def met(state: CertifiedState) -> int:
            return _met(conditions(self, state))

        if name in self.brackets:
            t = self.timeline.confirmed(met, start, self.brackets[name])
        else:
            t = self.timeline.first_passage(met, start)
        if t is None:
            return None
        self.brackets[name] = t
        reached = conditions(self, self.timeline.at(t))
        possible = [key for key, (a, b) in reached.items() if sign(a - b) >= 0]
        if len(possible) != 1:
            return Exit(t, None)
        a, b = reached[possible[0]]
        return Exit(t, possible[0], (a / b).log() if a > b else None)


def second_conditions(evidence: Evidence, state: CertifiedState) -> Conditions:
    """What ends phase 2: a norm, the fit, a tilt, as in :func:`verify.phases.second_levels`. [R, eq. 17]"""
    plus, others = evidence.plus, _others(evidence, evidence.plus.key)
    return {
        "norm": (state.largest_norm(others), 2 * evidence.largest_direction * evidence.shrunk(1)),
        "fit": (evidence.shrunk(Fraction(1, 5)), evidence.n * plus.norm - state.key_square(plus)),
        "tilt": (state.largest_tilt(plus), evidence.shrunk(Fraction(1, 2)) / plus.norm),
    }


def third_conditions(evidence: Evidence, state: CertifiedState) -> Conditions:
    """What ends phase 3: a norm, the fit, a tilt, positive labels that are no longer fitted. [R, eq. 23]"""
    minus, others = evidence.minus, _others(evidence, evidence.plus.key + evidence.minus.key)
    return {
        "norm": (state.largest_norm(others), 3 * evidence.largest_direction * evidence.shrunk(1)),
        "fit": (evidence.shrunk(Fraction(1, 29)), evidence.n * minus.norm - state.key_square(minus)),
        "tilt": (state.largest_tilt(minus), evidence.shrunk(Fraction(1, 14)) / minus.norm),
        "unfit": (state.dynamic_target(evidence.plus), evidence.shrunk(Fraction(1, 14))),
    }


def _met(conditions: Conditions) -> int:
    """+1 where some condition is met for certain, −1 where none is."""
    status = [sign(a - b) for a, b in conditions.values()]
    return 1 if 1 in status else 0 if 0 in status else -1


def _others(evidence: Evidence, key: tuple[int, ...]) -> list[int]:
    return [j for j in range(evidence.problem.initialisation.m) if j not in key]
