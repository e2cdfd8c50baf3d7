"""The whole simulator against references, a naive second simulator, closed forms, and its own symmetries."""

import math

import numpy as np
import pytest

from tests.flow.agreement import (
    assert_agrees_with_naive,
    assert_same_deactivations,
    assert_same_state,
    problem,
    random_problem,
)
from tests.problems import REFERENCES, decoupled, decoupled_state, decoupled_time, reference, small
from verify.dataset import Dataset
from verify.errors import InvalidArgument, PrecisionExhausted
from verify.flow.simulate import simulate
from verify.initialisation import Initialisation
from verify.problem import Problem

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
@pytest.mark.parametrize("minus_log_lambda", [0.1, 5.0, 400.0])
def test_a_coordinate_that_starts_at_zero_stays_there(sign, minus_log_lambda):
    g = [[0.5, 0.0, 0.3], [0.0, 0.4, 0.3], [0.0, 0.0, 0.5], [0.2, 0.2, 0.1]]
    task = problem(Y, g, [sign, sign, sign, -sign], minus_log_lambda)
    trajectory = assert_agrees_with_naive(task) if minus_log_lambda < 30 else simulate(task)
    for t in np.linspace(0, trajectory.t_end, 7):
        zeros = trajectory.at(t).directions[[0, 1, 2, 2], [1, 0, 0, 1]]
        assert zeros.tolist() == [0, 0, 0, 0]
    pairs = set(zip(trajectory.deactivations["neuron"], trajectory.deactivations["label"], strict=True))
    assert not pairs & {(0, 1), (1, 0), (2, 0), (2, 1)}


@pytest.mark.parametrize(("minus_log_lambda", "count"), [(0.1, 50), (1.0, 50), (8.0, 50), (2000.0, 1000)])
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
@pytest.mark.parametrize("minus_log_lambda", [0.0, 1.0, 5.0])
def test_deactivations_that_almost_coincide(minus_log_lambda, gap):
    g = np.array([[0.6, 0.5, 0.7], [0.6, 0.5 * (1 + gap), 0.7], [0.6 * (1 + gap), 0.5, 0.7]])
    assert len(assert_agrees_with_naive(problem(Y, g, [1, 1, 1], minus_log_lambda)).deactivations) == 3


@pytest.mark.parametrize("gap", [0.0, 1e-14, 1e-12])
@pytest.mark.parametrize("minus_log_lambda", [1.0, 5.0, 500.0])
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


@pytest.mark.parametrize("minus_log_lambda", [1.0, 8.0])
def test_sides_that_almost_tie(minus_log_lambda):
    rng = np.random.default_rng(6)
    y = [1 + 1e-9, -1.0, 1.0, -1.0]
    task = problem(y, rng.normal(size=(6, 4)), [1, -1] * 3, minus_log_lambda)
    assert 0 < task.dataset.ratio - 1 < 1e-9
    assert_agrees_with_naive(task)


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


@pytest.mark.parametrize("minus_log_lambda", [1.0, 12.0, 300.0])
@pytest.mark.parametrize("seed", range(3))
def test_order_of_neurons_and_labels_does_not_matter(seed, minus_log_lambda):
    task = random_problem(seed, minus_log_lambda, n=4, m=6)
    rng = np.random.default_rng(seed)
    neurons, labels = rng.permutation(6), rng.permutation(4)
    start = task.initialisation
    other = problem(
        task.dataset.y[labels], start.directions[neurons][:, labels], start.signs[neurons], minus_log_lambda
    )
    one, two = simulate(task, until=500.0), simulate(other, until=500.0)
    atol = 20 * (one.error + two.error)
    for t in np.linspace(0, 500.0, 11):
        here, there = one.at(t), two.at(t)
        np.testing.assert_allclose(here.log_norms[neurons], there.log_norms, rtol=0, atol=atol)
        np.testing.assert_allclose(here.directions[neurons][:, labels], there.directions, rtol=atol, atol=atol)
        np.testing.assert_allclose(here.residual[labels], there.residual, rtol=0, atol=atol)
    renamed = [(t, int(neurons[j]), int(labels[k])) for t, j, k in two.deactivations.itertuples(index=False)]
    assert_same_deactivations(one, renamed, 500.0)


@pytest.mark.parametrize("minus_log_lambda", [1.0, 12.0, 300.0])
def test_rotating_inputs_and_directions_together_changes_nothing(minus_log_lambda):
    task = random_problem(11, minus_log_lambda, n=3, m=6, extra=2)
    q = np.linalg.qr(np.random.default_rng(12).normal(size=(5, 5))).Q
    start = task.initialisation
    turned = problem(task.dataset.y, start.directions @ q, start.signs, minus_log_lambda, x=task.dataset.x @ q)
    for t in (0.0, 3.0, 20.0, 400.0, 900.0):
        assert_same_state(simulate(task, until=900.0).at(t), simulate(turned, until=900.0).at(t), 1e-11)


@pytest.mark.parametrize("minus_log_lambda", [1.0, 12.0, 300.0])
def test_flipping_labels_and_signs_flips_the_residual_exactly(minus_log_lambda):
    task = random_problem(13, minus_log_lambda)
    start = task.initialisation
    flipped = problem(-task.dataset.y, start.directions, -start.signs, minus_log_lambda)
    one, two = simulate(task, until=600.0), simulate(flipped, until=600.0)
    for t in np.linspace(0, 600.0, 9):
        here, there = one.at(t), two.at(t)
        np.testing.assert_allclose(here.log_norms, there.log_norms, rtol=0, atol=20 * one.error)
        np.testing.assert_allclose(here.residual, -there.residual, rtol=0, atol=20 * one.error)
        assert here.signs.tolist() == (-there.signs).tolist()


@pytest.mark.parametrize("minus_log_lambda", [1.0, 300.0])
def test_unused_dimensions_that_hold_nothing_change_nothing(minus_log_lambda):
    task = random_problem(14, minus_log_lambda)
    start = task.initialisation
    wide = problem(task.dataset.y, np.pad(start.directions, ((0, 0), (0, 3))), start.signs, minus_log_lambda)
    for t in (0.0, 5.0, 50.0, 700.0):
        assert_same_state(simulate(task, until=700.0).at(t), simulate(wide, until=700.0).at(t), 1e-12)


@pytest.mark.parametrize("c", [1e-3, 0.3, 7.0, 1e4])
@pytest.mark.parametrize("minus_log_lambda", [2.0, 300.0])
def test_scaling_the_labels_scales_time_and_weights(minus_log_lambda, c):
    """With θ = √c θ̃ and r = c r̃ the flow w' = a D becomes dθ̃/d(ct) = the same flow: y → cy, Λ → Λ − ln(c)/2."""
    task = random_problem(15, minus_log_lambda)
    start = task.initialisation
    scaled = problem(c * task.dataset.y, start.directions, start.signs, minus_log_lambda - math.log(c) / 2)
    one, two = simulate(task, until=700.0), simulate(scaled, until=700.0 / c)
    for t in np.linspace(0, 699.0, 9):
        here, there = one.at(t), two.at(t / c)
        np.testing.assert_allclose(here.log_norms + math.log(c) / 2, there.log_norms, rtol=0, atol=1e-11)
        np.testing.assert_allclose(here.directions, there.directions, rtol=1e-11, atol=1e-11)
        np.testing.assert_allclose(c * here.residual, there.residual, rtol=0, atol=1e-11 * c)
    assert_same_deactivations(one, [(c * t, j, k) for t, j, k in two.deactivations.itertuples(index=False)], 699.0)


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
