"""Phase times: closed forms on decoupled problems, references continued by a plain solver, each condition in turn."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from tests.problems import REFERENCES, decoupled, decoupled_state, decoupled_time, reference, small
from verify.dataset import Dataset
from verify.evidence import Evidence
from verify.flow.simulate import simulate
from verify.initialisation import Initialisation
from verify.phases import first_exit, fit_depth, second_levels, third_levels, time_one, time_plus, turn_levels
from verify.problem import Problem
from verify.windows import Timeline


def phase_end(problem):
    return Evidence(problem).second_exit


def continued(problem, states, t_end):
    """Dense (a, p) from the last reference state before ``t_end``, by DOP853 on all labels and neurons."""
    last = [state for state in states if state.t < t_end][-1]
    y, n, signs = problem.dataset.y, problem.dataset.n, problem.initialisation.signs
    a = signs * np.exp(last.log_norms)
    start = np.concatenate([a, (np.abs(a)[:, None] * last.directions).ravel()])
    active = last.directions > 0

    def slope(t, theta):
        a, p = theta[: len(signs)], np.where(active, theta[len(signs) :].reshape(active.shape), 0.0)
        pull = active * (y - a @ p) / n
        return np.concatenate([(pull * p).sum(axis=1), (a[:, None] * pull).ravel()])

    run = solve_ivp(slope, (last.t, t_end), start, method="DOP853", rtol=1e-13, atol=1e-300, dense_output=True)
    assert run.success
    return last.t, lambda t: run.sol(t)[: len(signs)]


def test_times_by_hand():
    problem = small(1000.0, epsilon="0.1")
    assert time_plus(problem) == pytest.approx(100.0, rel=1e-15)
    assert time_one(problem) == pytest.approx(200.0, rel=1e-15)
    one_sided = Problem(Dataset.standard([2.0, 1.0]), Initialisation([[1.0, 1.0]], [1], 10.0))
    assert time_one(one_sided) == math.inf


@pytest.mark.parametrize("name", REFERENCES)
def test_end_of_phase_two_on_the_references(name):
    """u₊ = n‖D₊‖ − λ^(ε/5) as it stands, on the reference carried on by a second solver."""
    problem, states, _ = reference(name)
    found = phase_end(problem)
    after = next(state.t for state in states if state.t > found.t)
    before, weights = continued(problem, states, after)
    target = np.linalg.norm(problem.dataset.y[problem.dataset.positive]) - math.exp(-problem.kappa / 5)
    expected = brentq(lambda t: (weights(t)[problem.key_plus] ** 2).sum() - target, before, after, xtol=1e-12)
    assert found.condition == "fit"
    assert found.t == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("y", [(2.0, -1.0), (5.0, -0.25), (0.003, -0.002)])
@pytest.mark.parametrize("minus_log_lambda", [10.0, 100.0, 1e3, 1e4, 1e5, 1e6])
def test_end_of_phase_two_of_the_decoupled_problem(minus_log_lambda, y):
    problem = decoupled(minus_log_lambda, y)
    found = phase_end(problem)
    assert found.condition == "fit"
    log_share = -problem.kappa / 5 - math.log(y[0])
    expected = decoupled_time(problem, 0, log_share) if log_share < 0 else time_plus(problem)
    assert found.t == pytest.approx(expected, rel=1e-9, abs=0)


def test_depths_at_which_a_side_counts_as_fitted():
    """λ^(ε/5) and λ^(ε/29)."""
    problem = small(1000.0)
    assert fit_depth(problem, +1) == problem.kappa / 5
    assert fit_depth(problem, -1) == problem.kappa / 29


@pytest.mark.parametrize("minus_log_lambda", [100.0, 1e4])
def test_slope_is_how_fast_the_gap_closes(minus_log_lambda):
    """−ln(gap) rises at 2u/n, which is close to 2‖D₊‖ there."""
    problem = decoupled(minus_log_lambda)
    found = phase_end(problem)
    u = 2.0 - math.exp(-problem.kappa / 5)
    assert found.slope == pytest.approx(2 * u / problem.dataset.n, rel=1e-2)


@pytest.mark.parametrize("t", [0.0, 3.0, 99.0, 102.0, 120.0, 199.0, 260.0])
def test_levels_of_the_decoupled_problem(t):
    problem = decoupled(100.0)
    levels = second_levels(simulate(problem, until=300.0).at(t))
    log_norms, residual = decoupled_state(problem, t)
    assert set(levels) == {"norm", "fit", "tilt"}
    assert levels["norm"] == pytest.approx(log_norms[1] - math.log(4.0) + problem.kappa, abs=1e-11)
    assert levels["fit"] == pytest.approx(-problem.kappa / 5 - math.log(residual[0]), rel=1e-11)
    assert levels["tilt"] == -math.inf


def test_tilt_level_by_hand():
    """A neuron at 45° from D₊ at the start: 1 − cos = 1 − 1/√2 beside ‖D₊‖ = 2√2/3."""
    start = Initialisation([[1.0, 1e-30, 0.0], [0.0, 0.0, 1.0]], [1, -1], 50.0)
    problem = Problem(Dataset.standard([2.0, 2.0, -1.0]), start)
    levels = second_levels(simulate(problem, until=1.0).at(0.0))
    expected = math.log(2 * math.sqrt(2) / 3 * (1 - 1 / math.sqrt(2))) + problem.kappa / 2
    assert levels["tilt"] == pytest.approx(expected, abs=1e-12)


def test_overshoot_counts_as_fitted():
    problem = Problem(Dataset.standard([1.0, -0.5]), Initialisation([[2.0, 0.0], [0.0, 0.1]], [1, -1], 0.0))
    assert second_levels(simulate(problem).at(0.0))["fit"] == math.inf


def test_no_other_neuron_means_no_norm_level():
    problem = Problem(Dataset.standard([1.0]), Initialisation([[1.0]], [1], 10.0))
    assert second_levels(simulate(problem).at(0.0))["norm"] == -math.inf


def test_a_norm_can_end_phase_two():
    """Tiny directions and nearly equal targets: the negative neuron reaches 2cλ^ε before the positive label fits."""
    start = Initialisation([[0.005, 0.0], [0.0, 0.01]], [1, -1], 5.0)
    problem = Problem(Dataset.standard([1.05, -1.0]), start)
    found = phase_end(problem)
    u = (0.02 * math.exp(-problem.kappa)) ** 2
    assert found.condition == "norm"
    assert found.t == pytest.approx(decoupled_time(problem, 1, math.log1p(-u)), rel=1e-10)
    assert found.slope == pytest.approx(0.5, rel=1e-2)


def test_a_tilt_at_the_start_ends_phase_two_at_once():
    start = Initialisation([[1.0, 1e-9, 0.0], [0.0, 0.0, 1.0]], [1, -1], 5.0)
    problem = Problem(Dataset.standard([20.0, 20.0, -19.0]), start)
    found = phase_end(problem)
    assert (found.condition, found.t, found.slope) == ("tilt", time_plus(problem), 0.0)


def test_no_condition_is_met_in_a_short_stretch():
    problem = small(1000.0)
    found = first_exit(Timeline(simulate(problem, until=300.0)), second_levels, time_plus(problem))
    assert (found.t, found.condition, found.slope) == (math.inf, None, 0.0)


@pytest.mark.parametrize("minus_log_lambda", [10.0, 1e3, 1e4, 1e6])
def test_turn_of_the_decoupled_problem(minus_log_lambda):
    """t_u: u₊ = n‖D₊‖/7."""
    problem = decoupled(minus_log_lambda)
    found = Evidence(problem).turn_exit
    assert found.condition == "size"
    assert found.t == pytest.approx(decoupled_time(problem, 0, math.log(6 / 7)), rel=1e-12)


@pytest.mark.parametrize("minus_log_lambda", [10.0, 1e3, 1e4, 1e5, 1e6])
def test_end_of_phase_three_of_the_decoupled_problem(minus_log_lambda):
    """t₃: u₋ = n‖D₋‖ − λ^(ε/29), after the positive label is fitted."""
    problem = decoupled(minus_log_lambda)
    found = Evidence(problem).third_exit
    assert found.condition == "fit"
    assert found.t == pytest.approx(decoupled_time(problem, 1, -problem.kappa / 29), rel=1e-9)


@pytest.mark.parametrize("t", [99.0, 120.0, 199.0, 205.0, 260.0])
def test_other_levels_of_the_decoupled_problem(t):
    problem = decoupled(100.0)
    state = simulate(problem, until=300.0).at(t)
    log_norms, residual = decoupled_state(problem, t)
    third, turn = third_levels(state), turn_levels(state)
    assert third["norm"] == third["tilt"] == turn["tilt"] == -math.inf
    assert third["fit"] == pytest.approx(-problem.kappa / 29 - math.log(-residual[1]), abs=1e-10)
    assert third["unfit"] == pytest.approx(math.log(residual[0] / 2) + problem.kappa / 14, abs=1e-10)
    assert turn["size"] == pytest.approx(2 * log_norms[0] - math.log(2 / 7), abs=1e-10)


@pytest.mark.parametrize("name", REFERENCES)
def test_phases_of_the_references_are_in_order(name):
    evidence = Evidence(reference(name)[0])
    turn, second, third = evidence.turn_exit, evidence.second_exit, evidence.third_exit
    assert evidence.time_plus <= turn.t <= second.t <= third.t
    assert second.condition == "fit"
