"""Spaces, scales and charts keep to the assumptions of the paper."""

from __future__ import annotations

import numpy as np
import pytest

from verify.check import select
from verify.errors import InvalidArgument
from verify.families import draw_problem
from verify.regime import regime
from verify.search import Budget, Scale, Space
from verify.search.chart import Chart
from verify.search.scales import conditions_of, sufficient

(TIME,) = select("L3.time")


def problem_in(space: Space, seed: int = 0, **options: object):
    drawn = draw_problem(np.random.default_rng(seed), inputs="standard", **options)
    return space.scale.place(drawn, TIME, 0.25)


@pytest.mark.parametrize("labels", ["gaussian", "near_tie", "wide"])
def test_every_vector_of_a_chart_is_a_problem_of_the_space(labels: str) -> None:
    space = Space(m=(2, 8))
    problem = problem_in(space, labels=labels, epsilon_fraction=0.5)
    chart = Chart(space, TIME, problem)
    back = chart.problem(chart.start)
    assert back is not None
    assert np.allclose(np.abs(back.dataset.y / problem.dataset.y), back.dataset.y[0] / problem.dataset.y[0], rtol=1e-4)
    assert np.allclose(back.initialisation.directions, problem.initialisation.directions, rtol=1e-4, atol=1e-4)
    assert back.epsilon / back.dataset.epsilon_max == pytest.approx(0.5, rel=1e-3)
    rng = np.random.default_rng(1)
    for size in (0.3, 3.0, 30.0):
        other = chart.problem(chart.start + size * rng.standard_normal(chart.start.size))
        assert other is not None and other.dataset.is_oriented and space.admits(other, TIME)
        assert 0.29 < other.epsilon / other.dataset.epsilon_max < 0.96


def test_a_chart_ends_where_floats_cannot_tell_times_apart() -> None:
    chart = Chart(Space(), TIME, draw_problem(np.random.default_rng(1), inputs="standard", labels="rational", n=3, m=4))
    lead = 3
    for value, there in ((0.0, True), (np.log(1e-4), True), (np.log(1e-9), False)):
        vector = chart.start.copy()
        vector[:lead] = 0.0
        vector[lead] = value
        assert (chart.problem(vector) is not None) == there


def test_a_claim_asks_for_the_conditions_that_come_before_it() -> None:
    problem = draw_problem(np.random.default_rng(3), inputs="standard")
    every = {condition.name: condition.minus_log_lambda for condition in regime(problem).conditions}
    last = {"L2.norm": "aligned_in_time", "L3.time": "turn_in_time", "L4.time": "phase_three", "T1.loss": "final_ball"}
    for claim, name in last.items():
        (one,) = select(claim)
        names = conditions_of(one)
        assert names == tuple(every)[: list(every).index(name) + 1]
        assert sufficient(problem, one).minus_log_lambda == max(every[other] for other in names)


def test_kappa_places_what_it_says() -> None:
    problem = Scale("kappa", 30, 300).place(draw_problem(np.random.default_rng(0)), TIME, 1.0)
    assert problem.kappa == pytest.approx(300, rel=1e-4)
    assert Scale("kappa", 30, 300).admits(problem, TIME) and not Scale("kappa", 30, 200).admits(problem, TIME)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: Space(n=(1, 3)), "labels of both signs"),
        (lambda: Space(m=(1, 1)), "two neurons"),
        (lambda: Space(n=(4, 2)), "n = 4:2"),
        (lambda: Space(epsilon=(0.5, 1.5)), "epsilon = "),
        (lambda: Space(labels=("gausian",)), "did you mean 'gaussian'"),
        (lambda: Space(n=(2, 3), labels=("equal",)), "tie for n = 2"),
        (lambda: Scale("regime", 0.0, 1.0), "0 < low <= high"),
        (lambda: Budget(), "needs a budget"),
        (lambda: Budget(seconds=0.0), "leaves nothing to search with"),
        (lambda: Budget(evaluations=0), "leaves nothing to search with"),
    ],
)
def test_what_cannot_be_searched_is_told(wrong, message: str) -> None:
    with pytest.raises(InvalidArgument, match=message):
        wrong()
