"""Symmetries of the flow, which the simulator must have without being told."""

import math

import numpy as np
import pytest

from tests.flow.agreement import (
    assert_same_deactivations,
    assert_same_state,
    problem,
    random_problem,
)
from verify.flow.simulate import simulate

Y = [1.0, -0.5, 0.75]


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
