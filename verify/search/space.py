"""The problems that a search may use, with the assumptions of the paper met by construction."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from verify.claim import Claim
from verify.errors import InvalidArgument
from verify.families.directions import DIRECTIONS
from verify.families.draw import draw_problem, named
from verify.families.labels import LABELS
from verify.problem import Problem
from verify.search.scales import Scale
from verify.strategies import problems
from verify.strategies.problems import DEFAULT_DIRECTIONS

Sizes = tuple[int, int]


@dataclass(frozen=True)
class Space:
    """Sizes, families and scales of a search; labels of both signs, a neuron in each key set, x_k = e_k.

    Claims depend on inner products alone, so that other orthonormal inputs add nothing but a rotation; ``extra_d``
    more dimensions, which no input reaches, do. ``epsilon`` is the range of ε as a fraction of the largest.
    Raises InvalidArgument for sizes or families in which the assumptions cannot be met.
    """

    n: Sizes = (2, 4)
    m: Sizes = (2, 6)
    extra_d: Sizes = (0, 1)
    epsilon: tuple[float, float] = (0.3, 0.95)
    scale: Scale = field(default_factory=Scale)
    labels: tuple[str, ...] = ("rational", "equal", "lone", "gaussian", "near_tie", "wide")
    directions: tuple[str, ...] = DEFAULT_DIRECTIONS

    def __post_init__(self) -> None:
        self._check_sizes("n", self.n, 2, "labels of both signs (Assumption 2) need two inputs")
        self._check_sizes("m", self.m, 2, "a neuron in each of two key sets (Assumption 3) needs two neurons")
        self._check_sizes("extra_d", self.extra_d, 0, "dimensions cannot be taken away")
        if not 0 < self.epsilon[0] <= self.epsilon[1] <= 1:
            raise InvalidArgument(f"epsilon = {self.epsilon} must be a range in (0, 1], fractions of the largest")
        for name in self.labels:
            named(LABELS, name, "labels")
        for name in self.directions:
            named(DIRECTIONS, name, "directions")
        if not self.labels or not self.directions:
            raise InvalidArgument("labels and directions must name at least one family each")
        if self.labels == ("equal",) and self.n[0] < 3:
            raise InvalidArgument(f"n = {self.n}: equal labels of both signs tie for n = 2 (Assumption 2); start at 3")

    @staticmethod
    def _check_sizes(name: str, sizes: Sizes, least: int, why: str) -> None:
        if not least <= sizes[0] <= sizes[1]:
            raise InvalidArgument(f"{name} = {sizes[0]}:{sizes[1]} must be a range from {least} on: {why}")

    def strategy(self, claim: Claim) -> SearchStrategy[Problem]:
        """Problems of the space, at a Λ where the claim should hold."""
        drawn = problems(
            n=self.n,
            m=self.m,
            kappa=(20.0, 20.0),
            epsilon_fraction=self.epsilon,
            extra_d=self.extra_d,
            input_families=("standard",),
            label_families=self.labels,
            direction_families=self.directions,
            sign_case="both",
        )
        return st.builds(lambda problem, place: self.scale.place(problem, claim, place / 99), drawn, st.integers(0, 99))

    def drawn(self, rng: np.random.Generator, claim: Claim) -> Problem:
        """A problem of the space from a numpy generator: sizes, families and Λ each drawn evenly."""
        labels = str(rng.choice(self.labels))
        fewest = max(self.n[0], 3) if labels == "equal" else self.n[0]
        n = int(rng.integers(fewest, max(self.n[1], fewest) + 1))
        problem = draw_problem(
            rng,
            inputs="standard",
            labels=labels,
            directions=str(rng.choice(self.directions)),
            n=n,
            m=int(rng.integers(self.m[0], self.m[1] + 1)),
            d=n + int(rng.integers(self.extra_d[0], self.extra_d[1] + 1)),
            epsilon_fraction=rng.uniform(*self.epsilon),
        )
        return self.scale.place(problem, claim, rng.uniform())

    def admits(self, problem: Problem, claim: Claim) -> bool:
        """Whether an oriented problem is no larger than allowed, meets the assumptions, and has an allowed Λ."""
        data, start = problem.dataset, problem.initialisation
        if data.n > self.n[1] or start.m > self.m[1] or data.d - data.n > self.extra_d[1]:
            return False
        if not data.is_oriented or not data.negative.any():
            return False
        return bool(problem.key_plus.any() and problem.key_minus.any()) and self.scale.admits(problem, claim)

    def brought_in(self, problem: Problem, claim: Claim) -> Problem | None:
        """The problem, oriented, at its own Λ or at the smallest one allowed; None where it does not belong here."""
        problem = problem.oriented()
        if not problem.has_key_sets or not problem.dataset.negative.any():
            return None
        for one in (problem, self.scale.place(problem, claim, 0.0)):
            if self.admits(one, claim):
                return one
        return None

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        scale = {self.scale.kind: [self.scale.low, self.scale.high]}
        sizes: dict[str, Any] = {name: list(getattr(self, name)) for name in ("n", "m", "extra_d", "epsilon")}
        return sizes | scale | {"labels": list(self.labels), "directions": list(self.directions)}
