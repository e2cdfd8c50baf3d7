"""This package beside every other way to follow the flow, until all labels are fitted: time and accuracy of each."""

import statistics
import time
from functools import cache

import numpy as np
import pytest

from tests.benchmarks.descent import STEP, descent, two_points
from tests.benchmarks.programs import NEEDS, Program, error, missing, ours, program
from tests.benchmarks.scipy_peer import Answer
from tests.benchmarks.standard import DIGITS, fitted_at, in_digits, wide
from tests.benchmarks.table import Run, Table
from verify.problem import Problem

HEYOKA, LOGARITHMS, COMPILED = "heyoka, events", "DOP853, logarithms, events", "numba RK45, logarithms"
TSIT5, DOPRI8 = "diffrax Tsit5, events", "diffrax Dopri8, events"
WEIGHTS, BLIND = "DOP853, weights, events", "DOP853, weights, no events"
DESCENT = ("descent, NumPy", "descent, PyTorch")
ONCE = (BLIND, *DESCENT)
"""Programs that take seconds: timed once."""

AT_SCALE = {
    18.4: (HEYOKA, TSIT5, DOPRI8, COMPILED, LOGARITHMS, WEIGHTS, BLIND, *DESCENT),
    230.0: (HEYOKA, TSIT5, DOPRI8, COMPILED, LOGARITHMS, WEIGHTS),
    690.0: (HEYOKA, TSIT5, DOPRI8, COMPILED, LOGARITHMS, WEIGHTS),
    2300.0: (HEYOKA, TSIT5, DOPRI8, COMPILED, LOGARITHMS),
}
WIDE = (HEYOKA, TSIT5, DOPRI8, COMPILED, LOGARITHMS)
VERY_WIDE = (HEYOKA, TSIT5, LOGARITHMS)
"""The compiled loop without events takes much longer at m = 2000."""

RIGHT = {"verify": 1e-11} | dict.fromkeys(DESCENT, 1e-2)
OTHERS = 1e-8
"""Largest error that each may have."""

COMPILING = 0.1
"""A program that is compiled for more seconds says how many; they are not counted."""


def compare(table: Table, title: str, problem: Problem, names: tuple[str, ...], rounds: int, place, reference) -> None:
    """Time the programs in turn and add a row for each. ``reference``: the right answer, given problem and time."""
    end = fitted_at(problem)
    expected: Answer = reference(problem, end)
    told = f"against {DIGITS} digits" if reference is in_digits else "difference from verify"
    tasks, compiling = made_ready(("verify", *names), problem, end)
    seconds, answers = measured(tasks, rounds)
    for name in ("verify", *names):
        if name not in tasks:
            table.add(Run(title, name, float("nan"), None, missing(name)))
            continue
        off = error(problem, answers[name], expected)
        itself = name == "verify" and reference is not in_digits
        note = compiling[name] if itself else told + compiling[name]
        table.add(Run(title, name, seconds[name], None if itself else off, note, place))
        assert off < RIGHT.get(name, OTHERS), name


def made_ready(names: tuple[str, ...], problem: Problem, end: float) -> tuple[dict[str, Program], dict[str, str]]:
    """The programs that are installed, compiled, and a note on how long that took."""
    tasks, notes = {}, {}
    for name in names:
        if not missing(name):
            began = time.process_time()
            tasks[name] = program(name, problem, end)
            seconds = time.process_time() - began
            notes[name] = f"; compiled in {seconds:.2g} s" if seconds > COMPILING else ""
    return tasks, notes


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
    compare(table, title, two_points(), (HEYOKA, TSIT5, DOPRI8, LOGARITHMS, WEIGHTS, *DESCENT), 5, None, in_digits)


@cache
def small() -> tuple[Problem, float, Answer]:
    """Few neurons, where many digits cost little: problem, end, and the right answer there."""
    problem = wide(18.4, 4, n=2)
    end = fitted_at(problem)
    return problem, end, in_digits(problem, end)


@pytest.mark.parametrize("name", ["verify", HEYOKA, TSIT5, DOPRI8, LOGARITHMS, WEIGHTS, BLIND])
def test_programs_agree(name):
    if missing(name):
        pytest.skip(missing(name))
    problem, end, expected = small()
    assert error(problem, program(name, problem, end)(), expected) < 1e-9


def test_a_program_that_is_not_installed_says_what_it_needs(monkeypatch):
    monkeypatch.setitem(NEEDS, "abacus", ("no_such_package", "bench"))
    assert missing("abacus, events") == "missing: pip install '.[bench]'"
    assert missing("verify") == ""


@pytest.mark.parametrize("name", DESCENT)
def test_descent_follows_the_flow(name):
    """To first order in its step."""
    if missing(name):
        pytest.skip(missing(name))
    problem = wide(3.0, 4, n=2)
    assert STEP / 100 < error(problem, program(name, problem, 4.0)(), ours(problem, 4.0)) < 10 * STEP


def test_descent_in_single_precision_never_leaves_zero():
    """At Λ = 230, λ is below the smallest float32, and every gradient is exactly 0."""
    log_norms, residual = descent(wide(230.0, 4, n=2), 1.0, np.float32)
    assert np.isneginf(log_norms).all() and (residual == wide(230.0, 4, n=2).dataset.y.astype(np.float32)).all()
