"""How a problem enters the flow."""

import numpy as np
import pytest

from tests.flow.agreement import random_problem
from tests.problems import rotated, small
from verify import Dataset, Initialisation, Problem, check, simulate
from verify.errors import InvalidProblem, PrecisionExhausted
from verify.flow.float64 import FLOAT64
from verify.flow.start import initial_state, orthogonal_square


@pytest.mark.parametrize("spread", [0.0, 1.0])
def test_the_state_at_time_zero(spread):
    task = random_problem(1, 2.0, n=4, m=7, extra=2, rotate=True, spread=spread)
    start = task.initialisation
    component, now = initial_state(task, FLOAT64)
    scale = np.exp(now.log_scale)
    p = component.at_labels(now.z) * scale[:, None]
    np.testing.assert_allclose(p, np.maximum(task.projections, 0), atol=1e-14)
    np.testing.assert_allclose(now.alpha * scale, start.norms if spread == 0 else start.output_scale)
    assert component.active.tolist() == (task.projections > 0).tolist()
    excess = (now.alpha * scale) ** 2 - (np.maximum(task.projections, 0) ** 2).sum(axis=1)
    np.testing.assert_allclose(component.excess, excess, atol=1e-12)


def test_a_balanced_neuron_inside_the_labels_has_no_excess_at_all():
    """α² − ‖p_A‖² is what is orthogonal or negative, never a rounded difference."""
    component, _ = initial_state(small(), FLOAT64)
    assert component.excess.tolist() == [0.0, 1.0 + 4.0, 4.0 + 4.0, 4.0 + 4.0]


def test_part_orthogonal_to_the_inputs():
    assert orthogonal_square(small(), FLOAT64).tolist() == [0.0, 4.0, 4.0, 4.0]
    np.testing.assert_allclose(orthogonal_square(rotated(), FLOAT64), [0.0, 4.0, 4.0, 4.0], atol=1e-15)
    assert orthogonal_square(random_problem(0, 1.0), FLOAT64).tolist() == [0.0] * 6


def test_the_residual_off_the_axis_is_the_output_off_the_axis():
    """At Λ = 200 it is e^-400: far below the rounding of the labels."""
    task = random_problem(2, 200.0, n=4, m=5)
    component, now = initial_state(task, FLOAT64)
    start = task.initialisation
    output = (start.signs * start.norms) @ np.maximum(task.projections, 0)
    off = component.frame.off_axis
    assert off.any()
    log_size = np.log(np.abs(now.residual[off])) + now.log_residual[off]
    expected = component.frame.to_axes(output)[off]
    np.testing.assert_allclose(log_size, np.log(np.abs(expected)) - 400.0, rtol=1e-13)
    assert np.sign(now.residual[off]).tolist() == (-np.sign(expected)).tolist()


@pytest.mark.parametrize("size", [1e-200, 1e200])
def test_directions_whose_squares_are_no_machine_numbers_are_refused_and_work_with_digits(size):
    start = Initialisation([[1.0, -0.5], [-0.75 * size, 0.5 * size]], [1, -1], 1000.0)
    problem = Problem(Dataset.standard([2.0, -1.0]), start)
    with pytest.raises(PrecisionExhausted, match=r"the norms of directions: number 1 is 9.01388e"):
        simulate(problem)
    rows = check(problem, ["L2.norm", "L9.lower-", "P1.sign"], 20)
    assert rows["verdict"].tolist()[:2] == ["HOLDS", "HOLDS"]
    early = simulate(problem, until=0.1, digits=20)
    assert float(early.at(0).log_norms[1]) == pytest.approx(np.log(start.norms[1]) - 1000)


def test_a_scale_beyond_machine_floats_is_refused_and_works_with_digits():
    problem = Problem(Dataset.standard([2.0, -1.0]), Initialisation([[1.0, -0.5], [-0.75, 0.5]], [1, -1], 1e20))
    with pytest.raises(PrecisionExhausted, match=r"minus_log_lambda = 1e\+20 is beyond .* 9.0072e\+15: .* digits"):
        simulate(problem)
    assert simulate(problem, until=1e20, digits=20).at(1e20).active.any()
    with pytest.raises(PrecisionExhausted, match="Claims, whose times are machine floats"):
        check(problem, ["L3.time"])
    assert check(problem, ["A1.interpolator"])["verdict"].tolist() == ["HOLDS"]


@pytest.mark.parametrize("digits", [None, 20])
@pytest.mark.parametrize("size", [1e-200, 1e200])
def test_labels_whose_squares_are_no_machine_numbers_are_refused(size, digits):
    problem = Problem(Dataset.standard([2 * size, -size]), Initialisation([[1.0, -0.5], [-0.75, 0.5]], [1, -1], 1000.0))
    with pytest.raises(InvalidProblem, match=r"y\[0\] = 2e.200: the flow can follow labels .* divide all labels by C"):
        simulate(problem, digits=digits)
