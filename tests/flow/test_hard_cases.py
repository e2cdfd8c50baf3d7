"""The whole simulator where it is hard: ties, zeros, equal neurons, labels and scales far apart."""

import itertools
import math

import numpy as np
import pytest

from tests.flow.agreement import (
    assert_agrees_with_naive,
    problem,
    random_problem,
)
from verify.dataset import Dataset
from verify.errors import PrecisionExhausted, SimulationFailed
from verify.flow import simulate as simulation_module
from verify.flow import stillness
from verify.flow.simulate import simulate
from verify.initialisation import Initialisation
from verify.problem import Problem

Y = [1.0, -0.5, 0.75]


@pytest.fixture(autouse=True)
def always_faint(monkeypatch):
    """Answer faint outputs also where few pairs die, at Λ from 16 on."""
    monkeypatch.setattr(stillness, "WORTH", 0)


def test_deactivations_in_the_middle_of_the_fit():
    task = random_problem(0, 1.0, n=4, m=8)
    trajectory = assert_agrees_with_naive(task)
    fitting = [
        t
        for t in trajectory.deactivations["t"]
        if (np.abs(trajectory.at(t).residual / task.dataset.y - 0.5) < 0.45).any()
    ]
    assert fitting


def test_neurons_without_an_active_label_never_move():
    g = [[-0.3, -0.5, -0.2, 0.4], [0.7, 0.2, 0.5, 0.1], [0.3, -0.5, 0.6, 0.0]]
    trajectory = assert_agrees_with_naive(problem(Y, g, [1, 1, -1], 2.0))
    first, last = trajectory.at(0.0), trajectory.at(trajectory.t_end)
    assert first.log_norms[0] == last.log_norms[0]
    still = simulate(problem(Y, [g[0]], [1], 2.0))
    assert (still.t_end, still.at(0.0).residual.tolist(), len(still.deactivations)) == (0.0, Y, 0)
    assert simulate(problem(Y, [g[0]], [1], 2.0), until=50.0).at(50.0).residual.tolist() == Y


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("minus_log_lambda", [0.1, 5.0, 18.4, 400.0])
def test_a_coordinate_that_starts_at_zero_stays_there(sign, minus_log_lambda):
    g = [[0.5, 0.0, 0.3], [0.0, 0.4, 0.3], [0.0, 0.0, 0.5], [0.2, 0.2, 0.1]]
    task = problem(Y, g, [sign, sign, sign, -sign], minus_log_lambda)
    trajectory = assert_agrees_with_naive(task) if minus_log_lambda < 30 else simulate(task)
    for t in np.linspace(0, trajectory.t_end, 7):
        zeros = trajectory.at(t).directions[[0, 1, 2, 2], [1, 0, 0, 1]]
        assert zeros.tolist() == [0, 0, 0, 0]
    pairs = set(zip(trajectory.deactivations["neuron"], trajectory.deactivations["label"], strict=True))
    assert not pairs & {(0, 1), (1, 0), (2, 0), (2, 1)}


@pytest.mark.parametrize(("minus_log_lambda", "count"), [(0.1, 50), (1.0, 50), (8.0, 50), (18.4, 50), (2000.0, 1000)])
@pytest.mark.parametrize("sign", [1, -1])
def test_equal_neurons_are_one_larger_neuron(sign, minus_log_lambda, count):
    """N neurons w have the output of one neuron √N w, and w' = a D has the same scaling."""
    g = [[0.6, 0.5, 0.7]]
    many = simulate(problem(Y, np.repeat(g, count, axis=0), [sign] * count, minus_log_lambda), until=400.0)
    one = simulate(problem(Y, g, [sign], minus_log_lambda - math.log(count) / 2), until=400.0)
    for t in np.linspace(0, 400.0, 9):
        np.testing.assert_allclose(many.at(t).residual, one.at(t).residual, rtol=0, atol=1e-10)
        np.testing.assert_allclose(many.at(t).log_norms + math.log(count) / 2, one.at(t).log_norms[0], atol=1e-10)
    assert len(many.deactivations) == count * len(one.deactivations)
    np.testing.assert_allclose(many.deactivations["t"], np.repeat(one.deactivations["t"], count), rtol=1e-10)


@pytest.mark.parametrize("gap", [0.0, 1e-16, 1e-14, 1e-12, 1e-10])
@pytest.mark.parametrize("minus_log_lambda", [0.0, 1.0, 5.0, 16.5, 18.4])
def test_deactivations_that_almost_coincide(minus_log_lambda, gap):
    g = np.array([[0.6, 0.5, 0.7], [0.6, 0.5 * (1 + gap), 0.7], [0.6 * (1 + gap), 0.5, 0.7]])
    assert len(assert_agrees_with_naive(problem(Y, g, [1, 1, 1], minus_log_lambda)).deactivations) == 3


@pytest.mark.parametrize("gap", [0.0, 1e-14, 1e-12])
@pytest.mark.parametrize("minus_log_lambda", [1.0, 5.0, 16.5, 18.4, 500.0])
def test_one_neuron_loses_two_labels_at_almost_one_time(minus_log_lambda, gap):
    task = problem([1.0, -0.5, -0.5 * (1 + gap)], [[0.6, 0.5, 0.5], [0.3, 0.2, 0.2]], [1, 1], minus_log_lambda)
    trajectory = assert_agrees_with_naive(task) if minus_log_lambda < 30 else simulate(task)
    assert sorted(zip(trajectory.deactivations["neuron"], trajectory.deactivations["label"], strict=True)) == [
        (0, 1),
        (0, 2),
        (1, 1),
        (1, 2),
    ]


def test_labels_over_twelve_orders_of_magnitude():
    rng = np.random.default_rng(5)
    g = rng.normal(size=(6, 6))
    y = [1e-6, 1.0, 1e6, -1e-5, -2.0, 2e5]
    assert_agrees_with_naive(problem(y, g, [1, -1] * 3, 8.0), until=1e-3)
    for minus_log_lambda in (1e3, 1e5):
        assert len(simulate(problem(y, g, [1, -1] * 3, minus_log_lambda)).segments) < 400


@pytest.mark.parametrize("minus_log_lambda", [1.0, 8.0, 18.4])
def test_sides_that_almost_tie(minus_log_lambda):
    rng = np.random.default_rng(6)
    y = [1 + 1e-9, -1.0, 1.0, -1.0]
    task = problem(y, rng.normal(size=(6, 4)), [1, -1] * 3, minus_log_lambda)
    assert 0 < task.dataset.ratio - 1 < 1e-9
    assert_agrees_with_naive(task)


def test_an_imbalance_at_a_scale_float64_cannot_hold_is_kept():
    """|a| < ‖w‖ by one part in 10^9 at Λ = 10^5: a neuron pushed against its label turns sides, late but surely."""
    task = problem([1.0], [[1.0]], [-1], 1e5, output_scale=[1 - 1e-9])
    state = simulate(task, until=30.0).at(30.0)
    alpha = ((2 - 1e-9) * math.exp(-30.0) - 1e-9 * math.exp(30.0)) / 2
    assert alpha < 0
    assert state.signs[0] == 1
    assert float(state.log_growth[0]) == pytest.approx(math.log(-alpha), abs=1e-7)


@pytest.mark.parametrize("first", [3.75, 3.8125, 3.9375, 4.0])
@pytest.mark.parametrize("twins", [(1, 2), (0, 2)])
def test_labels_of_an_unbalanced_neuron_that_die_together_all_die(first, twins):
    """α changes sign and the twin labels fall to zero at one instant, where rounding puts one of them behind it."""
    other = ({0, 1, 2} - set(twins)).pop()
    y, g = np.ones(3), np.ones((2, 3))
    y[other], g[0, other] = -1.0, first
    start = Initialisation(g, [1, -1], 43.3334, np.round(np.linalg.norm(g, axis=1) / 4, 6))
    task = Problem(Dataset.standard(y), start)
    trajectory, exact = simulate(task), simulate(task, digits=20).deactivations
    found = trajectory.deactivations
    mine = found.loc[found["neuron"] == 0].sort_values("label")
    assert mine["label"].tolist() == list(twins) and len(found) == len(exact)
    assert mine["t"].iloc[0] == pytest.approx(mine["t"].iloc[1], rel=1e-12)
    for t in np.linspace(0, float(trajectory.t_end), 9):
        w = trajectory.at(t).parameters()
        excess = (w.a**2 - (w.w**2).sum(axis=1)) * np.exp(2 * 43.3334)
        allowed = 1e-9 * (1 + (w.a**2).max() * np.exp(2 * 43.3334))
        np.testing.assert_allclose(excess, start.output_scale**2 - start.norms**2, rtol=0, atol=allowed)


@pytest.fixture
def few_plateaus(monkeypatch):
    """Fail, and do not hang, where one plateau after another begins and nothing moves."""
    count = itertools.count()

    def counted(*arguments):
        assert next(count) < 200, "plateaus without end"
        return stillness.find_plateau(*arguments)

    monkeypatch.setattr(simulation_module, "find_plateau", counted)


def test_a_plateau_shorter_than_the_rounding_of_time_is_none(few_plateaus):
    y = [-0.000282721, 1.59688e-06, 0.745488]
    g = [[-0.1875, 1.6875, 3.125], [0.9375, 1.625, -2.125], [2.75, 3.0, -0.9375], [2.875, 2.125, 3.3125]]
    task = problem(y, g, [-1, -1, -1, 1], 5.07799e15)
    quick, exact = simulate(task), simulate(task, digits=40)
    assert quick.t_end == pytest.approx(float(exact.t_end), rel=1e-13)
    assert quick.deactivations["t"].tolist() == pytest.approx([float(t) for t in exact.deactivations["t"]], rel=1e-13)
    gap = np.abs(quick.at(quick.t_end).log_norms - exact.at(exact.t_end).log_norms.astype(float))
    assert (gap[1:] < quick.error).all()


def test_times_too_large_for_floats_end_with_an_error_or_with_a_true_one(few_plateaus):
    outcomes = []
    for minus_log_lambda in (1e14, 8144886973076099.0, 2e16, 6.1e16):
        task = problem([-3e-4, 1.0], [[1.0, -1.0], [-1.0, 1.0]], [-1, 1], minus_log_lambda)
        exact = simulate(task, digits=40)
        assert max(abs(exact.at(exact.t_end).residual)) < 1e-20
        try:
            quick = simulate(task)
        except (PrecisionExhausted, SimulationFailed) as error:
            assert "ask for" in str(error)
            outcomes.append("error")
            continue
        gap = quick.at(quick.t_end).log_norms - exact.at(exact.t_end).log_norms.astype(float)
        assert np.abs(gap).max() < quick.error and abs(float(quick.t_end / exact.t_end) - 1) < 1e-12
        outcomes.append("true")
    assert outcomes[0] == "true" and outcomes[-1] == "error"
