"""Measures: key sets and targets by hand, gaps against plain formulas and 35-digit references."""

import mpmath as mp
import numpy as np
import pytest

from tests.problems import REFERENCES, decoupled, decoupled_state, reference, small
from verify.dataset import Dataset
from verify.flow.simulate import simulate
from verify.initialisation import Initialisation
from verify.measures import (
    growth_rates,
    key_set,
    log_axis_excess,
    log_dynamic_target,
    log_gap,
    log_key_norm,
    log_norm_excess,
    log_outputs,
    log_speeds_squared,
    log_sum,
    side_labels,
    signed_log_sum,
    target_norm,
)
from verify.problem import Problem


def test_hand_values():
    problem = small()
    assert key_set(problem, 1).tolist() == [True, False, False, False]
    assert key_set(problem, -1).tolist() == [False, False, True, False]
    assert (target_norm(problem, 1), target_norm(problem, -1)) == (1.0, 0.5)
    assert side_labels(problem, 1).tolist() == [True, False]
    assert side_labels(problem, -1).tolist() == [False, True]


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
    rate = abs(problem.dataset.y[label]) / problem.dataset.n
    log_y = np.log(abs(problem.dataset.y[label]))
    trajectory = simulate(problem, until=5 * minus_log_lambda)
    for past in (-3.0, 0.5, 10.0, 30.0):
        t = (minus_log_lambda + past) / rate
        exact = np.log(np.abs(decoupled_state(problem, t)[1][label]))
        error = 1e-9 + 1e-14 * minus_log_lambda
        assert log_gap(trajectory.at(t), 1 - 2 * label) == (1.0, pytest.approx(exact, rel=0, abs=error))
    t = 1.5 * minus_log_lambda / rate
    logit = 2 * (np.log(problem.initialisation.norms[label]) - minus_log_lambda + rate * t) - log_y
    exact = log_y - np.logaddexp(0.0, logit)
    error = 1e-9 + 1e-14 * minus_log_lambda
    assert log_gap(trajectory.at(t), 1 - 2 * label) == (1.0, pytest.approx(exact, rel=0, abs=error))


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


@pytest.mark.parametrize("minus_log_lambda", [10.0, 1000.0, 1e6])
@pytest.mark.parametrize("past", [-0.9, -0.1, 0.0, 2e-3])
def test_quantities_of_the_decoupled_problem(minus_log_lambda, past):
    """h(x_k) = ±a_k², u = a_k², D₊ᵗ = r_0 x_0/2, growth |r_k|/2; everything in closed form."""
    problem = decoupled(minus_log_lambda)
    t = minus_log_lambda * (1 + past)
    state = simulate(problem, until=5 * minus_log_lambda).at(t)
    log_norms, residual = decoupled_state(problem, t)
    error = 1e-12 * (1 + minus_log_lambda)
    signs, logs = log_outputs(state)
    assert signs.tolist() == [1.0, -1.0]
    np.testing.assert_allclose(logs, 2 * log_norms, rtol=0, atol=error)
    for label, side in ((0, 1), (1, -1)):
        assert log_key_norm(state, side) == pytest.approx(2 * log_norms[label], rel=0, abs=error)
        expected = np.log(abs(residual[label]) / 2) if residual[label] else None
        if expected is not None:
            assert log_dynamic_target(state, side) == pytest.approx(expected, rel=0, abs=1e3 * error)
        assert log_axis_excess(state, side) == (0.0, -np.inf)
    np.testing.assert_allclose(growth_rates(state), np.abs(residual) / 2, rtol=1e3 * error)
    if residual.all():
        speeds = np.log(2) + 2 * (log_norms + np.log(np.abs(residual) / 2))
        assert log_speeds_squared(state) == pytest.approx(np.logaddexp(*speeds), rel=0, abs=1e3 * error)


def test_dynamic_target_below_every_float():
    """r_0/y_0 = 1/(1 + e^z) with z = logit(λ²/2) + 2t, here about 4000."""
    state = simulate(decoupled(1000.0), until=5000.0).at(3000.0)
    assert log_dynamic_target(state, 1) == pytest.approx(np.log(2) - 4000, rel=0, abs=1e-8)


@pytest.mark.parametrize("t", [0.3, 4.0, 25.0, 32.0, 50.0, 66.0])
def test_speeds_and_growth_are_those_of_the_network(t):
    """‖∇L‖² by Network and growth rates by central differences, on a problem with cross pairs and idle neurons."""
    problem = small(30.0)
    trajectory = simulate(problem)
    state, h = trajectory.at(t), 1e-5
    plain = state.parameters().gradient(problem.dataset).norm_squared()
    assert log_speeds_squared(state) == pytest.approx(np.log(plain), abs=1e-9)
    slopes = (trajectory.at(t + h).log_growth - trajectory.at(t - h).log_growth) / (2 * h)
    np.testing.assert_allclose(growth_rates(state), slopes, atol=1e-8)
    outputs = state.parameters().output(problem.dataset.x)
    signs, logs = log_outputs(state)
    np.testing.assert_allclose(signs * np.exp(logs), outputs, rtol=1e-11, atol=0)


def test_excess_is_the_plain_sum():
    """Σ a_j²(1 − cos) over S₊₁ minus what the others put out along ŷ, at a time when both are of order λ²."""
    problem = small(5.0)
    state = simulate(problem).at(0.5)
    theta, data = state.parameters(), problem.dataset
    for side, unit in ((1, np.array([1.0, 0.0])), (-1, np.array([0.0, -1.0]))):
        key = key_set(problem, side)
        cosines = side * (theta.w @ data.x.T)[key] @ unit / np.linalg.norm(theta.w[key], axis=1)
        others = theta.a[~key] @ np.maximum(theta.w[~key] @ data.x.T, 0) @ unit
        plain = (theta.a[key] ** 2 * (1 - cosines)).sum() - others
        sign, log = log_axis_excess(state, side)
        assert sign * np.exp(log) == pytest.approx(plain, rel=1e-10)


def test_log_sum():
    assert log_sum(np.zeros(0)) == log_sum(np.full(3, -np.inf)) == -np.inf
    assert log_sum(np.log([1.0, 2.0, 3.0]) - 1e6) == pytest.approx(np.log(6.0) - 1e6, rel=1e-15)


def test_measures_of_many_times_are_those_of_each():
    problem, _, _ = reference("R1")
    trajectory = simulate(problem)
    states = trajectory.along(np.linspace(0, float(trajectory.t_end), 23))
    measures = [growth_rates, log_norm_excess, log_speeds_squared, *(lambda s, i=i: log_outputs(s)[i] for i in (0, 1))]
    for side in (1, -1):
        measures += [lambda s, side=side: log_key_norm(s, side), lambda s, side=side: log_dynamic_target(s, side)]
        for pair in (log_gap, log_axis_excess):
            measures += [lambda s, side=side, pair=pair, i=i: pair(s, side)[i] for i in (0, 1)]
    for measure in measures:
        each = np.array([measure(states[i]) for i in range(23)])
        np.testing.assert_allclose(measure(states), each, rtol=1e-12, atol=1e-12)


def test_sums_are_over_the_last_axis():
    logs = np.log([[[1.0, 2.0], [3.0, 5.0]]])
    np.testing.assert_allclose(np.exp(log_sum(logs)), [[3.0, 8.0]])
    sign, log = signed_log_sum(np.array([1.0, -1.0]), logs)
    np.testing.assert_allclose(sign * np.exp(log), [[-1.0, -2.0]])
    assert log_sum(np.zeros((3, 0))).tolist() == [-np.inf] * 3
