"""Evidence: orientation, horizon, what is computed once, and error bars against coarser integrations."""

import math

import numpy as np
import pytest

import verify.evidence
from tests.problems import decoupled, small
from verify.check import select
from verify.claim import Margin
from verify.dataset import Dataset
from verify.evidence import Evidence
from verify.families import draw_problem
from verify.flow.simulate import simulate
from verify.initialisation import Initialisation
from verify.limits import selected_sizes
from verify.phases import time_one, time_plus
from verify.precision import measure
from verify.problem import Problem
from verify.strategies import problems, sample

TRAJECTORY_CLAIMS = ["L2.align+", "L2.align-", "L2.norm", "L3.time", "L3.exit", "L3.align"]


def test_an_oriented_problem_is_taken_as_it_is():
    problem = small()
    evidence = Evidence(problem)
    assert evidence.problem is problem and not evidence.flipped
    assert evidence.kappa == problem.kappa
    assert (evidence.time_plus, evidence.time_one) == (time_plus(problem), time_one(problem))
    assert evidence.key(1).tolist() == [True, False, False, False]
    assert evidence.key(-1).tolist() == [False, False, True, False]
    np.testing.assert_array_equal(evidence.selected_sizes, selected_sizes(problem))


def test_an_unoriented_problem_is_flipped():
    start = small().initialisation
    evidence = Evidence(Problem(Dataset.standard([-2, 1], d=3), start.flipped()))
    assert evidence.flipped
    assert evidence.problem.dataset.y.tolist() == [2.0, -1.0]
    assert evidence.problem.initialisation.signs.tolist() == start.signs.tolist()
    assert evidence.problem.epsilon == small().epsilon


def test_everything_is_computed_once(monkeypatch):
    runs = []

    def counted(*arguments, **options):
        runs.append(arguments)
        return simulate(*arguments, **options)

    monkeypatch.setattr(verify.evidence, "simulate", counted)
    evidence = Evidence(small())
    for claim in select(TRAJECTORY_CLAIMS):
        measure(claim, evidence)
    assert evidence.trajectory is evidence.timeline.trajectory
    assert len(runs) == 1


@pytest.mark.parametrize("minus_log_lambda", [1.0, 50.0, 1e6])
@pytest.mark.parametrize("y", [(2.0, -1.0), (2.0, -1e-4), (1.0, -0.999)])
def test_the_trajectory_reaches_past_every_bound(y, minus_log_lambda):
    """Past (1 + 3ε)Λ/‖D₊‖, (1 + 3rε)Λ/‖D₋‖ and κ/‖D₋‖, also where the key neurons are missing."""
    start = Initialisation([[1.0, -1.0], [-1.0, 0.5]], [1, -1], minus_log_lambda)
    for problem in (decoupled(minus_log_lambda, y), Problem(Dataset.standard(list(y)), start)):
        data, epsilon = problem.dataset, problem.epsilon
        t_end = Evidence(problem).trajectory.t_end
        assert t_end >= (1 + 3 * epsilon) * minus_log_lambda / data.norm_plus
        assert t_end >= (1 + 3 * data.ratio * epsilon) * minus_log_lambda / data.norm_minus
        assert t_end >= time_one(problem)


@pytest.mark.parametrize("minus_log_lambda", [0.0, -2.0])
def test_a_large_initialisation_is_simulated_to_rest(minus_log_lambda):
    evidence = Evidence(small(minus_log_lambda))
    state = evidence.trajectory.at(evidence.trajectory.t_end)
    assert np.abs(state.residual).max() < 1e-25


def test_another_scale_keeps_what_does_not_depend_on_it():
    evidence = Evidence(small(100.0), rtol=1e-9)
    other = evidence.at_scale(500.0)
    assert other.problem.key == small(100.0).at_scale(500.0).key
    assert other.selected_sizes is evidence.selected_sizes
    assert (other.rtol, other.trajectory.rtol) == (1e-9, 1e-9)
    np.testing.assert_array_equal(selected_sizes(other.problem), evidence.selected_sizes)


def test_one_sided_problem():
    evidence = Evidence(Problem(Dataset.standard([3.0, 4.0]), Initialisation([[1.0, 1.0]], [1], 100.0)))
    assert evidence.time_one == math.inf
    assert evidence.trajectory.t_end >= 100.0 / 2.5
    assert evidence.second_exit.condition == "fit"


def test_evidence_at_another_scale_is_of_the_same_accuracy():
    evidence = Evidence(small(), rtol=1e-9).at_scale(50.0)
    assert evidence.problem.key == small(50.0).key
    assert evidence.trajectory.rtol == 1e-9


@pytest.mark.parametrize("minus_log_lambda", [20.0, 1e3, 1e6])
def test_error_is_small_and_grows_with_lambda_only_by_rounding(minus_log_lambda):
    assert 0 < Evidence(small(minus_log_lambda)).error < 1e-11 + 1e-13 * minus_log_lambda


def margins(problem, rtol):
    evidence = Evidence(problem, rtol=rtol)
    return {claim.id: measure(claim, evidence) for claim in select(TRAJECTORY_CLAIMS)}


def test_error_bars_cover_the_difference_between_tolerances():
    """On 60 drawn problems: default rtol against 1e-10, which takes other steps and commits other errors."""
    compared = 0
    for problem in sample(problems(n=(2, 4), m=(2, 6), kappa=(2.0, 200.0)), 60, 7):
        fine, coarse = (margins(problem, rtol) for rtol in (None, 1e-10))
        for name, one in fine.items():
            other = coarse[name]
            assert type(one) is type(other), name
            if not isinstance(one, Margin) or one.value == other.value:
                continue
            compared += 1
            difference = abs(one.value - other.value)
            assert difference <= one.uncertainty + other.uncertainty, (name, problem.to_json(), one, other)
    assert compared > 100


@pytest.mark.parametrize("seed", range(12))
def test_error_bars_cover_what_the_order_of_neurons_and_labels_changes(seed):
    """The same problem with neurons and labels in another order: every margin is the same up to its error bar."""
    rng = np.random.default_rng(seed)
    problem = draw_problem(rng, inputs="standard", n=4, m=7, kappa=(2.0, 2000.0))
    data, start = problem.dataset, problem.initialisation
    neurons, labels = rng.permutation(start.m), rng.permutation(data.n)
    moved = Initialisation(start.directions[neurons][:, labels], start.signs[neurons], start.minus_log_lambda)
    here, there = Evidence(problem), Evidence(Problem(Dataset.standard(data.y[labels]), moved, problem.epsilon))
    for claim in select(TRAJECTORY_CLAIMS):
        one, other = measure(claim, here), measure(claim, there)
        assert type(one) is type(other)
        if isinstance(one, Margin) and isinstance(other, Margin) and one.value != other.value:
            assert abs(one.value - other.value) <= one.uncertainty + other.uncertainty, claim.id
            assert one.neuron is None or one.neuron == neurons[other.neuron], claim.id
