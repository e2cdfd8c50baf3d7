"""Shrinking takes away all that does not matter, and nothing else."""

from __future__ import annotations

import numpy as np

from verify.families import draw_problem
from verify.problem import Problem
from verify.search.shrink import cost, shrink


def with_keys(problem: Problem) -> bool:
    return problem.dataset.is_oriented and problem.has_key_sets and bool(problem.dataset.negative.any())


def test_it_ends_with_the_simplest_problem_that_is_kept() -> None:
    problem = draw_problem(np.random.default_rng(5), inputs="standard", n=4, m=6, d=6, labels="gaussian")
    found = shrink(problem, with_keys, lambda other: other.dataset.norm_plus > 0.2, 300)
    values = found.to_json()
    assert (found.dataset.n, found.initialisation.m, found.dataset.d) == (2, 2, 2)
    assert sorted(values["y"]) == [-1.0, 2.0] and values["epsilon"] is None
    assert {abs(entry) for row in values["g"] for entry in row} == {1.0}
    assert cost(found) < cost(problem)


def test_it_keeps_what_matters_and_stops_in_time() -> None:
    problem = draw_problem(np.random.default_rng(6), inputs="standard", n=3, m=5, labels="gaussian")
    asked = []

    def keeps(other: Problem) -> bool:
        asked.append(other)
        return other.initialisation.m == 5 and abs(other.dataset.y).max() == abs(problem.dataset.y).max()

    found = shrink(problem, with_keys, keeps, most=25)
    assert found.initialisation.m == 5 and len(asked) == 25
    assert abs(found.dataset.y).max() == abs(problem.dataset.y).max()
