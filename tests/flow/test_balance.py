"""Outputs, residual and tangent matrix of a component against the network itself."""

from dataclasses import replace

import numpy as np
import pytest

from tests.flow.agreement import problem, random_problem
from verify.flow.balance import fresh_residual, lateral_unit, neural_tangent, outputs
from verify.flow.component import reframe
from verify.flow.float64 import FLOAT64
from verify.flow.frame import Frame
from verify.flow.start import initial_state
from verify.network import Network


def network_of(task):
    start = task.initialisation
    lam = np.exp(-start.minus_log_lambda)
    return Network(start.signs * lam * start.norms, lam * start.directions)


@pytest.mark.parametrize("scale", [-0.5, 2.0])
@pytest.mark.parametrize("seed", range(4))
def test_outputs_residual_and_tangent_matrix_are_the_networks(seed, scale):
    task = random_problem(seed, scale, n=5, m=6, extra=1)
    network, x = network_of(task), task.dataset.x
    component, now = initial_state(task, FLOAT64)
    frame = component.frame
    np.testing.assert_allclose(frame.to_labels(outputs(component, now)), network.output(x), rtol=1e-12, atol=1e-14)
    residual, log_residual = fresh_residual(component, now)
    natural = frame.to_labels(residual * np.exp(log_residual))
    np.testing.assert_allclose(natural, network.residual(task.dataset), rtol=1e-12, atol=1e-14)
    kernel = frame.axes.T @ neural_tangent(component, now) @ frame.axes
    np.testing.assert_allclose(kernel, network.ntk(x), rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("seed", range(3))
def test_the_same_without_a_frame(seed):
    task = random_problem(seed, 1.0, n=5, m=6)
    component, now = initial_state(task, FLOAT64)
    plain = Frame.of(component.y, FLOAT64, without=np.ones(5, dtype=bool))
    component, now = reframe(component, now, component.active, plain)
    np.testing.assert_allclose(neural_tangent(component, now), network_of(task).ntk(task.dataset.x), rtol=1e-12)
    np.testing.assert_allclose(outputs(component, now), network_of(task).output(task.dataset.x), rtol=1e-12)


def test_off_axis_units_only_rescale_the_tangent_matrix():
    """K in units e^u of the off-axis residual is S⁻¹ K S with S = diag(1, e^u)."""
    task = random_problem(3, 1.0, n=5, m=6)
    component, now = initial_state(task, FLOAT64)
    unit = -3.0
    scale = np.exp(np.where(component.frame.off_axis, unit, 0.0))
    expected = neural_tangent(component, now) / scale[:, None] * scale
    np.testing.assert_allclose(neural_tangent(component, now, unit), expected, rtol=1e-12, atol=1e-12)


def test_a_unit_is_taken_only_when_off_axis_parts_are_tiny():
    component, now = initial_state(random_problem(3, 1.0), FLOAT64)
    assert lateral_unit(component, now) == 0.0
    component, now = initial_state(problem([1.0, 2.0], [[1.0, 2.5]], [1], 1.0), FLOAT64)
    off = component.frame.off_axis
    tiny = replace(now, log_off=np.array([-400.0]), log_residual=np.where(off, -400.0, 0.0))
    assert -403 < lateral_unit(component, tiny) < -397
    assert lateral_unit(component, replace(tiny, log_residual=np.zeros(2))) == 0.0
