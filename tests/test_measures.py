"""Measures: key sets and targets by hand, gaps against plain formulas and 35-digit references."""

import mpmath as mp
import numpy as np
import pytest

from tests.problems import REFERENCES, decoupled, decoupled_state, reference, small
from verify.dataset import Dataset
from verify.flow.simulate import simulate
from verify.initialisation import Initialisation
from verify.measures import key_set, log_gap, log_norm_excess, signed_log_sum, target_norm
from verify.problem import Problem


def test_hand_values():
    problem = small()
    assert key_set(problem, 1).tolist() == [True, False, False, False]
    assert key_set(problem, -1).tolist() == [False, False, True, False]
    assert (target_norm(problem, 1), target_norm(problem, -1)) == (1.0, 0.5)


@pytest.mark.parametrize("side", [1, -1])
@pytest.mark.parametrize("name", REFERENCES)
def test_gap_of_the_reference_trajectories(name, side):
    """n‖D‖ − Σ‖w_j‖² as it stands, in 50 digits, wherever the 35 digits of the reference leave ten of it."""
    problem, states, _ = reference(name)
    trajectory = simulate(problem, until=states[-1].t)
    key = np.flatnonzero(key_set(problem, side))
    compared = 0
    for exact in states:
        with mp.workdps(50):
            y = [mp.mpf(str(v)) for v in problem.dataset.exact_y.decimals()]
            norms = [mp.mpf(str(v)) for v in exact.exact_log_norms.decimals()]
            target = mp.sqrt(sum(v * v for v in y if v * side > 0))
            gap = target - sum(mp.exp(2 * norms[j]) for j in key)
            if abs(gap) < 1e-22 * target:
                continue
            sign, log = (1.0 if gap > 0 else -1.0), float(mp.log(abs(gap)))
        compared += 1
        assert log_gap(trajectory.at(exact.t), side) == (sign, pytest.approx(log, rel=0, abs=2e-9))
    assert compared >= 8


@pytest.mark.parametrize("side", [1, -1])
def test_gap_equals_the_plain_difference_where_float64_resolves_it(side):
    problem = small(30.0)
    trajectory = simulate(problem)
    for t in np.linspace(0, float(trajectory.t_end), 40):
        state = trajectory.at(t)
        target = problem.dataset.n * target_norm(problem, side)
        plain = target - np.exp(2 * state.log_norms[key_set(problem, side)]).sum()
        sign, log = log_gap(state, side)
        assert sign * np.exp(log) == pytest.approx(plain, rel=1e-9, abs=1e-13 * target)


@pytest.mark.parametrize("label", [0, 1])
@pytest.mark.parametrize("minus_log_lambda", [20.0, 1000.0, 1e6])
def test_gap_of_the_decoupled_problem_to_any_size(minus_log_lambda, label):
    """The gap is |r_k| there, exactly: resolved down to e^-1000 of the label and below."""
    problem = decoupled(minus_log_lambda)
    trajectory = simulate(problem)
    rate = abs(problem.dataset.y[label]) / problem.dataset.n
    for past in (-3.0, 0.5, 10.0, 30.0):
        t = (minus_log_lambda + past) / rate
        exact = np.log(np.abs(decoupled_state(problem, t)[1][label]))
        error = 1e-9 + 1e-14 * minus_log_lambda
        assert log_gap(trajectory.at(min(t, float(trajectory.t_end))), 1 - 2 * label) == (
            1.0,
            pytest.approx(exact, rel=0, abs=error),
        )


def test_gap_is_negative_when_the_key_neurons_overshoot():
    """A label that starts overfitted: u₊ = 4 beside n‖D₊‖ = 1."""
    problem = Problem(Dataset.standard([1.0, -0.5]), Initialisation([[2.0, 0.0], [0.0, 0.1]], [1, -1], 0.0))
    assert log_gap(simulate(problem).at(0.0), 1) == (-1.0, pytest.approx(np.log(3.0)))


def test_signed_log_sum():
    assert signed_log_sum(np.zeros(0), np.zeros(0)) == (0.0, -np.inf)
    assert signed_log_sum(np.array([1.0, 1.0]), np.full(2, -np.inf)) == (0.0, -np.inf)
    assert signed_log_sum(np.array([1.0, -1.0]), np.array([5.0, 5.0])) == (0.0, -np.inf)
    assert signed_log_sum(np.array([1.0, 1.0, -1.0]), np.log([2.0, 5.0, 10.0])) == (-1.0, pytest.approx(np.log(3.0)))
    for shift in (1e5, -1e5):
        sign, log = signed_log_sum(np.array([1.0, -1.0]), np.log([3.0, 1.0]) + shift)
        assert (sign, log - shift) == (1.0, pytest.approx(np.log(2.0), abs=1e-9))


def test_norm_excess_of_a_balanced_problem_is_zero():
    trajectory = simulate(small(300.0))
    for t in np.linspace(0, float(trajectory.t_end), 30):
        np.testing.assert_allclose(log_norm_excess(trajectory.at(t)), 0, atol=1e-13)


def test_norm_excess_of_an_unbalanced_problem_follows_from_conservation():
    """‖w‖²/a² = 1 − (a₀² − ‖w₀‖²)/a²."""
    scale = np.array([6.0, 10.0, 4.0, 5.0])
    start = Initialisation(small().initialisation.directions, [1, 1, -1, -1], 12.0, scale)
    trajectory = simulate(Problem(small().dataset, start))
    for t in np.linspace(0, float(trajectory.t_end), 30):
        state = trajectory.at(t)
        plain = 1 - (scale**2 - start.norms**2) * np.exp(-2 * state.log_growth)
        np.testing.assert_allclose(np.exp(2 * log_norm_excess(state)), plain, rtol=1e-9)
