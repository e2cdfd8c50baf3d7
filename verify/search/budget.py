"""How long a search may go on: processor time or evaluations, which neither interruptions nor other programs change."""

from __future__ import annotations

import math
from dataclasses import dataclass

from verify.errors import InvalidArgument


@dataclass(frozen=True)
class Budget:
    """At most so many seconds of processor time, all processes together, so many evaluations, or both.

    Raises InvalidArgument for a budget of nothing, and for none at all.
    """

    seconds: float | None = None
    evaluations: int | None = None

    def __post_init__(self) -> None:
        if self.seconds is None and self.evaluations is None:
            raise InvalidArgument("a search needs a budget: --seconds such as 60, or --evaluations such as 1000")
        if self.seconds is not None and not 0 < self.seconds < math.inf:
            raise InvalidArgument(f"--seconds = {self.seconds} leaves nothing to search with; give a number above 0")
        if self.evaluations is not None and self.evaluations < 1:
            raise InvalidArgument(f"--evaluations = {self.evaluations} leaves nothing to search with; give at least 1")

    def within(self, other: Budget) -> bool:
        """Whether this asks for no more than another budget does.

        >>> Budget(seconds=10).within(Budget(seconds=60)), Budget(seconds=60).within(Budget(evaluations=100))
        (True, False)
        """
        most = math.inf
        mine, its = (self.seconds or most, self.evaluations or most), (other.seconds or most, other.evaluations or most)
        return mine[0] <= its[0] and mine[1] <= its[1]

    def shared(self, count: int) -> Budget:
        """One of ``count`` equal parts, of at least one evaluation."""
        seconds = None if self.seconds is None else self.seconds / count
        return Budget(seconds, None if self.evaluations is None else max(1, self.evaluations // count))

    def spent(self, seconds: float, evaluations: int) -> float:
        """The share of the budget that is used up, 1 or more when nothing is left.

        >>> Budget(seconds=10, evaluations=100).spent(2.0, 90)
        0.9
        """
        by_time = seconds / self.seconds if self.seconds is not None else 0.0
        return max(by_time, evaluations / self.evaluations if self.evaluations is not None else 0.0)
