"""Stage two: a continuous optimiser, started from the best problems that were found so far."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from verify.notation import FloatArray
from verify.problem import Problem
from verify.search.bench import Bench, Objective
from verify.search.chart import Chart
from verify.search.evaluation import Evaluation
from verify.search.space import Space

STEP = 0.3
"""First step in the coordinates of a chart: labels and norms change by a third, directions turn by as much."""
WORST = 1e300
STARTS = 4
"""The rest of the budget is shared among so many starting points at first."""

MISSING = (
    "the optimiser of the second stage, cma, is not installed; scipy's differential evolution takes its place "
    "and finds less: pip install 'relu-flow-verify[search]'"
)


def descend(bench: Bench, space: Space, seed: int, enough: Callable[[], bool]) -> None:
    """Minimise from the best problems of different kinds, one after the other, until the budget is spent.

    The objectives take turns; each has its own ranking, and the kinds that were started from.
    """
    used: list[set[tuple[Any, ...]]] = [set() for _ in bench.objectives]
    fruitless = 0
    attempt = 0
    while bench.spent < 1 and not enough() and fruitless <= STARTS:
        turn = attempt % len(bench.objectives)
        objective = bench.objectives[turn]
        start = _next_start(bench.ranked(objective), used[turn])
        share = bench.spent + (1 - bench.spent) / max(STARTS - attempt, 1)
        before = len(bench.seen)
        chart = Chart(space, bench.claim, Problem.from_json(start.problem))
        _minimise(bench, chart, objective, seed + attempt, share, enough)
        fruitless = fruitless + 1 if len(bench.seen) == before else 0
        attempt += 1


def kind(evaluation: Evaluation) -> tuple[Any, ...]:
    """What no optimiser of real numbers changes: signs of the labels and of the neurons, up to their order."""
    problem = evaluation.problem
    labels = tuple(sorted(float(y) > 0 for y in problem["y"]))
    return labels, tuple(sorted(problem["s"])), len(problem["g"][0])


def _next_start(ranking: list[Evaluation], used: set[tuple[Any, ...]]) -> Evaluation:
    """The best of a kind that was not started from, and mark it; the best of all when every kind was."""
    start = next((one for one in ranking if kind(one) not in used), None)
    if start is None:
        used.clear()
        start = ranking[0]
    used.add(kind(start))
    return start


def _minimise(
    bench: Bench, chart: Chart, objective: Objective, seed: int, share: float, enough: Callable[[], bool]
) -> None:
    def values(vectors: list[FloatArray]) -> list[float]:
        problems = [chart.problem(vector) for vector in vectors]
        found = iter(bench.measure([problem for problem in problems if problem is not None], "descend"))
        scores = [math.inf if problem is None else objective(next(found)) for problem in problems]
        return [float(np.clip(score, -WORST, WORST)) for score in scores]

    def done() -> bool:
        return bench.spent >= share or enough()

    minimise = _with_cma if has_cma() else _with_scipy
    minimise(values, chart.start, seed, done)


def has_cma() -> bool:
    """Whether the library of the second stage is there."""
    try:
        import cma  # noqa: F401
    except ImportError:
        return False
    return True


def _with_cma(
    values: Callable[[list[FloatArray]], list[float]], start: FloatArray, seed: int, done: Callable[[], bool]
) -> None:
    """CMA-ES from a point, until it converges or it is enough."""
    import cma

    options = {"seed": seed % 2**31 + 1, "verbose": -9, "tolfun": 1e-9, "tolx": 1e-7}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        strategy = cma.CMAEvolutionStrategy(start, STEP, options)
        while not strategy.stop() and not done():
            vectors = strategy.ask()
            strategy.tell(vectors, values(vectors))


def _with_scipy(
    values: Callable[[list[FloatArray]], list[float]], start: FloatArray, seed: int, done: Callable[[], bool]
) -> None:
    """Differential evolution in a box around a point, the same way."""
    from scipy.optimize import differential_evolution

    class Done(Exception):
        pass

    def value(vector: FloatArray) -> float:
        if done():
            raise Done
        return values([vector])[0]

    box = [(x - 3 * STEP, x + 3 * STEP) for x in start]
    try:
        differential_evolution(value, box, x0=start, rng=seed, popsize=4, polish=False, maxiter=10_000)
    except Done:
        return
