"""The whole simulator against references, a naive second simulator and closed forms; what it refuses."""

import math

import numpy as np
import pytest

from tests.flow.agreement import (
    assert_agrees_with_naive,
    problem,
    random_problem,
)
from tests.problems import REFERENCES, decoupled, decoupled_state, decoupled_time, reference, small
from verify.errors import InvalidArgument, PrecisionExhausted
from verify.flow.simulate import simulate

Y = [1.0, -0.5, 0.75]


@pytest.mark.parametrize("name", REFERENCES)
def test_reference_trajectories(name):
    task, states, deactivations = reference(name)
    trajectory = simulate(task, until=states[-1].t)
    bound = min(1e-9, 10 * trajectory.error)
    y = np.abs(task.dataset.y)
    for expected in states:
        state = trajectory.at(expected.t)
        assert np.abs(state.log_norms - expected.log_norms).max() <= bound
        assert np.abs(state.directions - expected.directions).max() <= bound
        assert (np.abs(state.residual - expected.residual) / y).max() <= bound
        assert abs(state.loss - expected.loss) <= bound * expected.loss + bound**2 * y @ y
    found = trajectory.deactivations
    expected_order = [(event.neuron, event.label) for event in deactivations]
    assert list(zip(found["neuron"], found["label"], strict=True)) == expected_order
    np.testing.assert_allclose(found["t"], [event.t for event in deactivations], rtol=bound)


@pytest.mark.parametrize("minus_log_lambda", [-1.0, -0.5, 0.1, 1.0, 3.0, 8.0, 20.0])
@pytest.mark.parametrize("seed", range(4))
def test_agrees_with_the_naive_simulator(seed, minus_log_lambda):
    assert_agrees_with_naive(random_problem(seed, minus_log_lambda))


@pytest.mark.parametrize("spread", [0.3, 1.5])
@pytest.mark.parametrize("minus_log_lambda", [0.1, 3.0, 20.0])
@pytest.mark.parametrize("seed", range(3))
def test_agrees_on_unbalanced_neurons(seed, minus_log_lambda, spread):
    task = random_problem(100 + seed, minus_log_lambda, m=7, extra=1, spread=spread)
    start = task.initialisation
    assert (start.output_scale < start.norms).any()
    assert (start.output_scale > start.norms).any()
    assert_agrees_with_naive(task, until=40.0 + 12 * minus_log_lambda)


@pytest.mark.parametrize(
    ("n", "m", "extra", "rotate"), [(1, 1, 0, False), (2, 1, 2, True), (4, 8, 2, True), (5, 3, 0, True)]
)
def test_agrees_for_other_shapes(n, m, extra, rotate):
    for minus_log_lambda in (1.0, 9.0):
        assert_agrees_with_naive(random_problem(7, minus_log_lambda, n=n, m=m, extra=extra, rotate=rotate))


@pytest.mark.parametrize("sign", [1, -1])
def test_agrees_when_all_labels_have_one_sign(sign):
    rng = np.random.default_rng(3)
    for minus_log_lambda in (0.1, 10.0):
        y = [sign * 1.0, sign * 0.5, sign * 0.75]
        assert_agrees_with_naive(problem(y, rng.normal(size=(6, 4)), [1, -1] * 3, minus_log_lambda))


@pytest.mark.parametrize("minus_log_lambda", [1.0, 30.0, 1e4, 1e6])
def test_decoupled_closed_form(minus_log_lambda):
    """Within the error estimate, on the plateaus, during the fit and long after it."""
    task = decoupled(minus_log_lambda)
    trajectory = simulate(task)
    times = [0.0, float(trajectory.t_end)]
    for label in (0, 1):
        times += [
            decoupled_time(task, label, math.log(gap))
            for gap in (0.99, 0.5, 0.01, 1e-8, 1e-20)
            if gap < 0.9 or minus_log_lambda > 2
        ]
    assert len([t for t in times if 0 <= t <= trajectory.t_end]) >= 6
    for t in times:
        if not 0 <= t <= trajectory.t_end:
            continue
        state = trajectory.at(t)
        log_norms, residual = decoupled_state(task, t)
        rounding = 4e-16 * (minus_log_lambda + t)
        assert np.abs(state.log_norms - log_norms).max() <= trajectory.error + rounding
        assert (np.abs(state.residual - residual) / np.abs(task.dataset.y)).max() <= trajectory.error + rounding


@pytest.mark.parametrize("make", [small, decoupled, lambda scale: random_problem(5, scale, n=4, m=9, extra=1)])
def test_number_of_segments_does_not_grow_with_the_scale(make):
    counts = [len(simulate(make(scale)).segments) for scale in (30.0, 1e3, 1e4, 1e5, 1e6)]
    assert max(counts) <= counts[0] + 20


@pytest.mark.parametrize("minus_log_lambda", [1e4, 1e6])
def test_saddles_one_after_another_inside_one_component(minus_log_lambda):
    """No neuron sees all positive labels: groups of labels are fitted one after another, far apart in time."""
    g = np.array([[0.9, 0.4, -0.3, -0.2], [-0.3, 0.3, 0.8, -0.4], [-0.5, -0.2, 0.3, 0.6]])
    task = problem([2.0, 1.5, 1.0, 0.6], g, [1, 1, 1], minus_log_lambda)
    assert not task.key_plus.any()
    trajectory = simulate(task)
    assert len(trajectory.segments) < 1000
    end = trajectory.at(trajectory.t_end)
    assert (np.abs(end.residual) < 1e-12).all()
    half = [
        next(t for t in trajectory.nodes if abs(trajectory.at(t).residual[k]) < y / 2)
        for k, y in enumerate(task.dataset.y)
    ]
    assert max(half) - min(half) > 0.1 * minus_log_lambda


def test_saddles_agree_with_the_naive_simulator():
    g = np.array([[0.9, 0.4, -0.3, -0.2], [-0.3, 0.3, 0.8, -0.4], [-0.5, -0.2, 0.3, 0.6]])
    assert_agrees_with_naive(problem([2.0, 1.5, 1.0, 0.6], g, [1, 1, 1], 20.0), until=260.0)


@pytest.mark.parametrize("until", [-1.0, -1e-300, math.inf, -math.inf, math.nan, "5", [1.0], 1j])
def test_refuses_a_bad_end(until):
    with pytest.raises(InvalidArgument, match=r"until = .* must be a finite time"):
        simulate(small(), until=until)


@pytest.mark.parametrize("rtol", [0.0, -1e-9, 1e-2, math.nan, math.inf, "1e-9", [1e-9]])
def test_refuses_a_bad_tolerance(rtol):
    with pytest.raises(InvalidArgument, match=r"rtol = .* must be a number"):
        simulate(small(), rtol=rtol)


def test_an_end_at_zero_is_the_initial_state():
    state = simulate(small(3.0), until=0).at(0)
    np.testing.assert_allclose(state.log_norms, np.log(small(3.0).initialisation.norms) - 3.0, rtol=1e-15)


@pytest.mark.parametrize("digits", [0, 16, 19, 2001, 50.0, True, "50"])
def test_refuses_digits_out_of_range(digits):
    with pytest.raises(InvalidArgument, match=r"digits = .* must be a whole number from 20 to 2000"):
        simulate(small(), digits=digits)


def test_refuses_digits_that_the_inputs_do_not_hold():
    task = random_problem(0, 5.0, rotate=True)
    with pytest.raises(PrecisionExhausted, match=r"digits = 50 .* orthonormal to 1[4-6]"):
        simulate(task, digits=50)
