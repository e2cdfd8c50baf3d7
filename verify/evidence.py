"""Everything claims look at on one problem, computed once: trajectory, timeline, phases, limits."""

from __future__ import annotations

import math
from contextlib import AbstractContextManager
from functools import cached_property
from typing import Any

from verify.flow.arithmetic import Arithmetic, Array
from verify.flow.simulate import arithmetic_for, simulate
from verify.flow.trajectory import Trajectory
from verify.limits import log_amplitudes, shares_of, sizes_of
from verify.notation import BoolArray, FloatArray
from verify.phases import Exit, first_exit, second_levels, third_levels, time_one, time_plus, turn_levels
from verify.problem import Problem
from verify.windows import Timeline

SETTLING = 200.0
"""Nats by which the loss falls between t₃ and the horizon at the rate ‖D₋‖ of Lemma 12."""


class Evidence:
    """A problem in the orientation of the proofs (‖D₊‖ > ‖D₋‖), and what is computed from it on demand."""

    def __init__(self, problem: Problem, digits: int | None = None, rtol: float | None = None) -> None:
        self.problem = problem.oriented()
        self.flipped = self.problem is not problem
        self.digits = digits
        self.rtol = rtol
        self.share_errors: dict[int, float] = {}
        """What :func:`verify.bars.share` has found, by side."""
        self._origin: Evidence | None = None
        self._until: float | None = None

    def at_scale(self, minus_log_lambda: float) -> Evidence:
        """The same problem at another Λ; what does not depend on Λ is not computed again."""
        other = Evidence(self.problem.at_scale(minus_log_lambda), self.digits, self.rtol)
        other._origin = self
        return other

    def up_to(self, t: float) -> Evidence:
        """The same problem, its flow followed no further than ``t``: what comes later is not asked for."""
        other = self.at_scale(self.problem.initialisation.minus_log_lambda)
        other._until = t
        return other

    def context(self) -> AbstractContextManager[Any]:
        """Where numbers of the trajectory are to be used: at its precision."""
        return self._arithmetic.context()

    @cached_property
    def _arithmetic(self) -> Arithmetic:
        return arithmetic_for(self.problem, self.digits)

    @cached_property
    def trajectory(self) -> Trajectory:
        """The flow, unless less was asked for up to the last time a claim speaks of; its end is a machine float."""
        natural = simulate(self.problem, self._until, self.digits, self.rtol)
        if self._until is not None:
            return natural
        last = max(self.horizon, float(natural.t_end))
        return natural if last == natural.t_end else natural.extended(last)

    @cached_property
    def horizon(self) -> float:
        """A time past every bound of the lemmas, by which the flow has come to rest if they hold; in any arithmetic.

        (1 + 3rε)Λ/‖D₋‖ bounds t₃, and 3rε ≤ 1; from there on the loss falls by ``SETTLING`` nats or more.
        """
        data, start = self.problem.dataset, self.problem.initialisation
        slowest = data.norm_minus if data.norm_minus > 0 else data.norm_plus
        return (2.1 * max(start.minus_log_lambda, 0.0) + SETTLING) / slowest

    @cached_property
    def timeline(self) -> Timeline:
        """States shared by all claims, at once for the stretches of time whose ends are known beforehand."""
        ends = (0.0, self.time_plus), (0.0, self.time_one), (self.time_plus, math.inf)
        return Timeline(self.trajectory, self._stretches(*ends))

    @property
    def kappa(self) -> float:
        """κ = εΛ."""
        return self.problem.kappa

    @property
    def error(self) -> float:
        """The trajectory's error estimate."""
        return float(self.trajectory.error)

    @property
    def local_error(self) -> float:
        """The part of it that does not grow with the length of the plateaus."""
        return float(self.trajectory.local_error)

    @cached_property
    def time_plus(self) -> float:
        """t₊₁."""
        return time_plus(self.problem)

    @cached_property
    def time_one(self) -> float:
        """t₁ = t₋₁."""
        return time_one(self.problem)

    @cached_property
    def turn_exit(self) -> Exit:
        """t_u and the condition that ends the first part of phase 2."""
        return first_exit(self.timeline, turn_levels, self.time_plus)

    @cached_property
    def second_exit(self) -> Exit:
        """t₂ and the condition that ends phase 2."""
        return first_exit(self.timeline, second_levels, self.time_plus)

    @cached_property
    def third_exit(self) -> Exit:
        """t₃ and the condition that ends phase 3.

        All phases are known then, and the states that claims ask for on them are computed at once.
        """
        second = self.second_exit.t
        third = first_exit(self.timeline, third_levels, second)
        phases = (0.0, second), (self.time_plus, second), (self.time_one, third.t), (second, third.t)
        self.timeline.keep(*self._stretches(*phases, (0.0, third.t), (third.t, math.inf)))
        return third

    @cached_property
    def log_amplitudes(self) -> Array:
        """(m,): ln A_j of the linearised flow, in the arithmetic of the trajectory."""
        if self._origin is not None:
            return self._origin.log_amplitudes
        with self.context():
            return log_amplitudes(self.problem, self._arithmetic)

    @cached_property
    def selected_shares(self) -> Array:
        """(m,): shares of the neurons of θ* in the norm of their key set, in the arithmetic of the trajectory."""
        if self._origin is not None:
            return self._origin.selected_shares
        with self.context():
            return shares_of(self.problem, self.log_amplitudes, self._arithmetic)

    @cached_property
    def selected_sizes(self) -> FloatArray:
        """(m,): sizes of the neurons of θ*."""
        if self._origin is not None:
            return self._origin.selected_sizes
        return sizes_of(self.problem, self.selected_shares)

    def _stretches(self, *ends: tuple[float, float]) -> list[tuple[float, float]]:
        """Windows that begin; where λ > 1, t₊₁ and t₁ lie before the start."""
        return [self.window(*pair) for pair in ends if pair[0] >= 0]

    def key(self, side: int) -> BoolArray:
        """(m,) mask: S₊₁ or S₋₁."""
        return self.problem.key_plus if side > 0 else self.problem.key_minus

    def window(self, start: float, end: float) -> tuple[float, float]:
        """The stretch [start, end] as far as the trajectory reaches."""
        last = float(self.trajectory.t_end)
        start = min(start, last)
        return start, max(start, min(end, last))
