"""Everything certified claims look at on one problem: constants, the trajectory in balls, the ends of phases."""

from __future__ import annotations

from functools import cached_property

from verify.certify.balls import Ball, ball
from verify.certify.constants import Constants
from verify.certify.follow import Effort
from verify.certify.phases import Conditioned, Exit, exit_at, met, second_conditions, third_conditions
from verify.certify.search import Timeline, Window
from verify.certify.state import CertifiedState
from verify.certify.trajectory import CertifiedTrajectory, trajectory_of
from verify.problem import Problem


class Evidence(Constants):
    """What is computed from a problem on demand, at the bits of ``effort``.

    ``brackets``: balls that are certain to hold the ends of phases; those that are given are only confirmed.
    """

    def __init__(self, problem: Problem, effort: Effort, trajectory: CertifiedTrajectory | None = None) -> None:
        super().__init__(problem)
        self.effort = effort
        self.brackets: dict[str, Ball] = {}
        self._given = trajectory

    @cached_property
    def trajectory(self) -> CertifiedTrajectory:
        """The flow in balls, to its limit."""
        return self._given or trajectory_of(self.problem, self.effort)

    @cached_property
    def timeline(self) -> Timeline:
        """States shared by all claims."""
        return Timeline(self.trajectory)

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

        def status(state: CertifiedState) -> int:
            return met(conditions(self, state))

        if name in self.brackets:
            t = self.timeline.confirmed(status, start, self.brackets[name])
        else:
            t = self.timeline.first_passage(status, start)
        if t is None:
            return None
        self.brackets[name] = t
        return exit_at(t, conditions(self, self.timeline.at(t)))
