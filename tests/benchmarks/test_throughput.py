"""All claims on a stream of random problems: problems a second, and how much beside their simulations that takes."""

import multiprocessing
import time
from concurrent.futures import ProcessPoolExecutor
from functools import cache

import pytest

from tests.benchmarks.table import Run, Table
from verify.campaign.config import Config
from verify.campaign.sample import draw
from verify.campaign.work import check_or_say_why
from verify.claims import CLAIMS
from verify.flow.simulate import simulate
from verify.problem import Problem

COUNT = 30
STREAM = Config.from_dict(
    {
        "problems": COUNT,
        "seed": 7,
        "sample": {
            "labels": ["gaussian", "near_tie", "rational"],
            "directions": ["gaussian", "lattice", "wide"],
            "n": {"low": 2, "high": 6},
            "m": {"low": 2, "high": 60},
        },
    }
)
"""The families of examples/two-thousand.toml, each problem at a Λ where the lemmas should hold."""

GROUP = "all claims, n ≤ 6, m ≤ 60, a problem"

MOST = 8.0
"""All claims of a problem cost no more than so many times its simulations."""


@cache
def stream() -> list[Problem]:
    return [draw(STREAM, i).problem for i in range(COUNT)]


def checked(problem: Problem) -> int:
    """The number of rows."""
    return len(check_or_say_why(problem, None, "auto"))


def seconds_in_turn(problems: list[Problem], monkeypatch: pytest.MonkeyPatch) -> tuple[float, float, int]:
    """Processor time of all claims on all problems, what of it goes into simulations, and their number."""
    inside, count = 0.0, 0

    def counted(*arguments, **options):
        nonlocal inside, count
        began = time.process_time()
        try:
            return simulate(*arguments, **options)
        finally:
            inside, count = inside + time.process_time() - began, count + 1

    monkeypatch.setattr("verify.evidence.simulate", counted)
    began = time.process_time()
    assert all(checked(problem) == len(CLAIMS) for problem in problems)
    return time.process_time() - began, inside, count


def test_problems_a_second_in_one_process(timed, table: Table, monkeypatch):
    checked(stream()[0])
    total, inside, count = seconds_in_turn(stream(), monkeypatch)
    note = f"{count / COUNT:.1f} simulations a problem"
    table.add(Run(GROUP, "the simulations alone", inside / COUNT, None, note))
    table.add(Run(GROUP, "simulations and claims", total / COUNT, None, f"{COUNT / total:.3g} problems a second"))
    assert inside < total < MOST * inside


def test_problems_a_second_in_two_processes(timed, table: Table):
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as pool:
        list(pool.map(checked, stream()[:6]))
        began = time.perf_counter()
        rows = list(pool.map(checked, stream()))
        seconds = time.perf_counter() - began
    assert rows == [len(CLAIMS)] * COUNT
    note = f"{COUNT / seconds:.3g} problems a second on the clock"
    table.add(Run(GROUP, "two processes", seconds / COUNT, None, note))


def test_a_problem_is_not_simulated_more_often_than_its_claims_ask(monkeypatch):
    """Once, and once at each of three scales for T1.bias and for C1.exponent."""
    problems = [p for p in stream()[:8] if p.dataset.n > 1]
    assert seconds_in_turn(problems, monkeypatch)[2] <= 7 * len(problems)
