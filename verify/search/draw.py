"""Stage one: Hypothesis draws problems of the whole space, and climbs towards small margins with `target`."""

from __future__ import annotations

import math
from collections.abc import Callable

from hypothesis import HealthCheck, Phase, given, settings, target
from hypothesis import seed as hypothesis_seed

from verify.problem import Problem
from verify.search.bench import Bench
from verify.search.space import Space

MOST = 100_000
LARGEST = 1e300
REPEATS = 300
"""So many draws in a row that were there before say that the space holds no more."""


class _Enough(BaseException):
    """Ends Hypothesis, which would take an Exception for a failing example."""


def draw(bench: Bench, space: Space, seed: int, share: float, enough: Callable[[], bool]) -> None:
    """Draw and measure problems until the share of the budget is spent, it is enough, or nothing new comes."""
    repeats = 0

    @hypothesis_seed(seed)
    @settings(
        max_examples=MOST,
        database=None,
        derandomize=False,
        deadline=None,
        phases=[Phase.generate, Phase.target],
        suppress_health_check=list(HealthCheck),
    )
    @given(space.strategy(bench.claim))
    def one(problem: Problem) -> None:
        nonlocal repeats
        repeats = repeats + 1 if problem.key in bench.seen else 0
        if bench.spent >= share or enough() or repeats > REPEATS:
            raise _Enough
        (found,) = bench.measure([problem], "draw")
        for number, objective in enumerate(bench.objectives):
            value = objective(found)
            if math.isfinite(value):
                target(max(-value, -LARGEST), label=f"objective {number}")

    try:
        one()
    except _Enough:
        return
