"""A flow that has been followed, and what experiments read off it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from verify.experiments.descent import Descent
from verify.experiments.path import Path
from verify.experiments.saddles import first_below, sampled
from verify.network import Network
from verify.notation import FloatArray


@dataclass(frozen=True, eq=False)
class Followed:
    """One seed of an experiment: the flow, its loss, its networks."""

    path: Path

    @cached_property
    def curve(self) -> tuple[FloatArray, FloatArray]:
        """Times and losses."""
        return sampled(self.path)

    def below(self, share: float) -> float:
        """The first time at which the loss is below this share of its start."""
        times, losses = self.curve
        return first_below(times, losses, share * losses[0])

    def network(self, t: float) -> Network:
        """θ at a time."""
        return self.path.at(t).parameters()

    @cached_property
    def end(self) -> Network:
        """θ at the last time."""
        return self.network(self.path.t_end)

    def distances(self, descent: Descent, iterations: Sequence[int]) -> FloatArray:
        """‖θ_descent − θ_flow‖ after each of these iterations, over the final ‖θ‖ of the flow."""
        states = [descent.after(i) for i in iterations]
        apart = [state.parameters().distance(self.network(state.t)) for state in states]
        return np.array(apart) / math.sqrt(self.end.norm_squared())
