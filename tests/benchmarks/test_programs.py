"""This package beside every other way to follow the flow, until all labels are fitted: time and accuracy of each."""

import importlib.util
import statistics
import time
from functools import cache

import numpy as np
import pytest

from tests.benchmarks.descent import STEP, descent, two_points
from tests.benchmarks.programs import Program, error, ours, program
from tests.benchmarks.scipy_peer import Answer
from tests.benchmarks.standard import DIGITS, fitted_at, in_digits, wide
from tests.benchmarks.table import Run, Table
from verify.problem import Problem

HEYOKA, LOGARITHMS, COMPILED = "heyoka, events", "DOP853, logarithms, events", "numba RK45, logarithms"
WEIGHTS, BLIND, DESCENT = "DOP853, weights, events", "DOP853, weights, no events", "descent, NumPy"
ONCE = (BLIND, DESCENT)
"""Programs that take seconds: timed once."""

AT_SCALE = {
    18.4: (HEYOKA, COMPILED, LOGARITHMS, WEIGHTS, BLIND, DESCENT),
    230.0: (HEYOKA, COMPILED, LOGARITHMS, WEIGHTS),
    690.0: (HEYOKA, COMPILED, LOGARITHMS, WEIGHTS),
    2300.0: (HEYOKA, COMPILED, LOGARITHMS),
}
WIDE = (HEYOKA, COMPILED, LOGARITHMS)
VERY_WIDE = (HEYOKA, LOGARITHMS)
"""The compiled loop without events takes much longer at m = 2000."""

RIGHT = {"verify": 1e-11, DESCENT: 1e-2}
OTHERS = 1e-8
"""Largest error that each may have."""

HAVE_HEYOKA = importlib.util.find_spec("heyoka") is not None


def compare(table: Table, title: str, problem: Problem, names: tuple[str, ...], rounds: int, place, reference) -> None:
    """Time the programs in turn and add a row for each. ``reference``: the right answer, given problem and time."""
    end = fitted_at(problem)
    expected: Answer = reference(problem, end)
    told = f"against {DIGITS} digits" if reference is in_digits else "difference from verify"
    if HEYOKA in names and not HAVE_HEYOKA:
        table.add(Run(title, HEYOKA, float("nan"), None, "missing: pip install '.[bench]'"))
    tasks = {name: program(name, problem, end) for name in ("verify", *names) if name != HEYOKA or HAVE_HEYOKA}
    seconds, answers = measured(tasks, rounds)
    for name in tasks:
        off = error(problem, answers[name], expected)
        itself = name == "verify" and reference is not in_digits
        table.add(Run(title, name, seconds[name], None if itself else off, "" if itself else told, place))
        assert off < RIGHT.get(name, OTHERS), name


def measured(tasks: dict[str, Program], rounds: int) -> tuple[dict[str, float], dict[str, Answer]]:
    """Median processor time and answer of each, run in turn; programs of ``ONCE`` in the first round only."""
    times: dict[str, list[float]] = {name: [] for name in tasks}
    answers: dict[str, Answer] = {}
    for turn in range(rounds):
        for name, task in tasks.items():
            if turn == 0 or name not in ONCE:
                began = time.process_time()
                answers[name] = task()
                times[name].append(time.process_time() - began)
    return {name: statistics.median(values) for name, values in times.items()}, answers


@pytest.mark.parametrize("scale", AT_SCALE)
def test_time_at_sixty_neurons(timed, table: Table, scale):
    title = f"n = 5, d = 8, m = 60, Λ = {scale:g}"
    compare(table, title, wide(scale, 60), AT_SCALE[scale], 5, ("Λ", scale), in_digits)


def test_time_at_two_hundred_neurons(timed, table: Table):
    title = "n = 5, d = 8, m = 200, Λ = 230"
    compare(table, title, wide(230.0, 200), WIDE, 1, ("m", 200), in_digits)


@pytest.mark.parametrize("scale", [230.0, 18.4])
def test_time_at_two_thousand_neurons(lengthy, table: Table, scale):
    title = f"n = 5, d = 8, m = 2000, Λ = {scale:g}"
    compare(table, title, wide(scale, 2000), VERY_WIDE, 1, ("m", 2000) if scale == 230.0 else None, ours)


def test_time_beside_descent_on_the_example_of_the_paper(timed, table: Table):
    title = "two points, n = d = 2, m = 60, λ = 1e-6/√60"
    compare(table, title, two_points(), (HEYOKA, LOGARITHMS, WEIGHTS, DESCENT), 5, None, in_digits)


@cache
def small() -> tuple[Problem, float, Answer]:
    """Few neurons, where many digits cost little: problem, end, and the right answer there."""
    problem = wide(18.4, 4, n=2)
    end = fitted_at(problem)
    return problem, end, in_digits(problem, end)


@pytest.mark.parametrize("name", ["verify", HEYOKA, LOGARITHMS, WEIGHTS, BLIND])
def test_programs_agree(name):
    if name == HEYOKA and not HAVE_HEYOKA:
        pytest.skip("needs heyoka.py: pip install '.[bench]'")
    problem, end, expected = small()
    assert error(problem, program(name, problem, end)(), expected) < 1e-9


def test_descent_follows_the_flow():
    """To first order in its step."""
    problem = wide(3.0, 4, n=2)
    assert STEP / 100 < error(problem, descent(problem, 4.0), ours(problem, 4.0)) < 10 * STEP


def test_descent_in_single_precision_never_leaves_zero():
    """At Λ = 230, λ is below the smallest float32, and every gradient is exactly 0."""
    log_norms, residual = descent(wide(230.0, 4, n=2), 1.0, np.float32)
    assert np.isneginf(log_norms).all() and (residual == wide(230.0, 4, n=2).dataset.y.astype(np.float32)).all()
