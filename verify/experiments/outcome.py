"""What one seed of Appendix A.2 comes to: its saddle, its principal components, descent beside the flow."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from verify.experiments.regression import Regression
from verify.experiments.saddles import first_below, last_standstill, slowest
from verify.experiments.student import EVERY, ITERATIONS, Record
from verify.experiments.teacher import draw, explained
from verify.network import Network
from verify.notation import FloatArray

LEFT = 0.02
"""Share of the loss at the start below which no saddle is looked for."""
SLOWED = 0.5
"""A saddle shows where the rate of the loss falls to this share of the largest before and after."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """The records of ``student`` for one seed; ``flow`` is None where it was not followed."""

    seed: int
    descent: Record
    flow: Record | None = None

    @cached_property
    def problem(self) -> tuple[Regression, Network]:
        """Data and start."""
        return draw(self.seed)

    @property
    def losses(self) -> FloatArray:
        """Of descent, every hundredth iteration."""
        return self.descent["losses"]

    @property
    def iterations(self) -> FloatArray:
        """The iterations of ``losses``."""
        return np.arange(0.0, ITERATIONS + 1, EVERY)

    @property
    def left(self) -> float:
        """Iteration after which the loss is 1 % lower than at the start."""
        return first_below(self.iterations, self.losses, 0.99 * self.losses[0])

    @cached_property
    def saddle(self) -> tuple[float, float, float]:
        """Iteration, loss and depth of the saddle between 98 and 2 % of the loss at the start, or at which it stays."""
        start = self.losses[0]
        passed = slowest(self.iterations, self.losses, 0.98 * start, max(LEFT * start, 1.2 * self.losses[-1]))
        if passed[2] < SLOWED:
            return passed
        return min(passed, last_standstill(self.iterations, self.losses), key=lambda place: place[2])

    @property
    def stuck(self) -> bool:
        """Whether a saddle is met, and not left: the loss never falls to half of what it is there."""
        return bool(self.saddle[2] < SLOWED and self.losses[-1] > 0.5 * self.saddle[1])

    @property
    def cosine(self) -> float:
        """The largest |cos| between two inputs."""
        data = self.problem[0]
        cosines = data.gram / np.outer(data.lengths, data.lengths)
        return float(np.abs(cosines[~np.eye(data.n, dtype=bool)]).max())

    def networks(self, record: Record) -> list[Network]:
        """θ at the iterations ``SHOWN``, or the flow at their times."""
        data, start = self.problem
        return [data.moved(start, p, a) for p, a in zip(record["p"], record["a"], strict=True)]

    @cached_property
    def shares(self) -> FloatArray:
        """Of the principal components of the last hidden weights."""
        return explained(self.networks(self.descent)[-1])

    @cached_property
    def apart(self) -> FloatArray:
        """(5,): distance of descent to the flow, of the final norm. Needs the flow."""
        assert self.flow is not None
        flow = self.networks(self.flow)
        final = math.sqrt(flow[-1].norm_squared())
        return np.array([a.distance(b) / final for a, b in zip(self.networks(self.descent), flow, strict=True)])
