"""The first deactivation in a Taylor step: none can hide, the earliest wins."""

import numpy as np
import pytest

from verify.flow import crossing
from verify.flow.classes import Carried, grouped
from verify.flow.float64 import FLOAT64
from verify.flow.polynomial import bernstein_matrix
from verify.flow.series import Law, started

SIZE = 6


def search(coordinates, residuals, length, outputs=None, turning=None, engine=FLOAT64.first_crossing):
    """``coordinates[j][k]`` and ``residuals[k]`` as coefficient lists; None marks a pair that is off."""
    m, n = len(coordinates), len(residuals)
    channel = np.array([[-1 if row[k] is None else k for k in range(n)] for row in coordinates])
    law = plain_law(channel)
    series = started(law, np.ones(m), np.zeros((m, n)), np.zeros(n), SIZE)
    for rows in (series.a.T, series.r, series.z.T):
        rows[:] = 0.0
    for j in range(m):
        series.a[: len(outputs[j]) if outputs else 1, j] = outputs[j] if outputs else 1.0
    for q in range(len(series.neuron)):
        given = coordinates[series.neuron[q]][series.coordinate[q]]
        series.z[: len(given), q] = given
    for k in range(n):
        series.r[k, : len(residuals[k])] = residuals[k]
    turning = np.zeros(m, dtype=bool) if turning is None else np.array(turning)
    carried = Carried(grouped(channel, law.gain, np.zeros(m), np.zeros(m, dtype=bool)), np.ones(m), np.zeros((m, n)))
    return engine(series, law, carried, turning, bernstein_matrix(SIZE), SIZE - 1, length)


def plain_law(channel, off_axis=None):
    m, n = channel.shape
    off_axis = np.zeros(n, dtype=bool) if off_axis is None else off_axis
    return Law(channel, *np.ones((3, m)), np.eye(n), off_axis, off_axis, 1.0)


@pytest.mark.parametrize("engine", [FLOAT64.first_crossing, crossing.first_crossing])
def test_the_earliest_crossing_wins(engine):
    coordinates = [[[1.0, -1.0], [1.0, -2.5]], [[1.0, -2.0], [1.0, 1.0]]]
    assert search(coordinates, [[-1.0], [-1.0]], 2.0, engine=engine) == (pytest.approx(0.4, rel=1e-15), 0, 1)
    assert search(coordinates, [[-1.0], [-1.0]], 0.3, engine=engine) == (0.3, -1, -1)


def test_pairs_that_are_off_are_ignored():
    coordinates = [[None, [1.0, -1.0]], [[1.0, 0.5], None]]
    assert search(coordinates, [[-1.0], [-1.0]], 2.0) == (pytest.approx(1.0), 0, 1)


@pytest.mark.parametrize("late", [0.0, -1e-17])
def test_a_coordinate_already_at_zero_dies_at_once_and_alone(late):
    """What reached zero together with an earlier one is at most zero at the start; the others stay active."""
    coordinates = [[[late, -1.0], [1.0, -2.5]], [[1.0, -2.0], [1.0, 1.0]]]
    time, j, k = search(coordinates, [[-1.0], [-1.0]], 2.0)
    assert (j, k) == (0, 0)
    assert 0 <= time < 1e-15


@pytest.mark.parametrize("depth", [1e-3, 1e-9, 1e-14])
def test_a_dip_below_zero_between_positive_ends_is_found(depth):
    """p = (t − 1)² − depth is positive at 0 and 2; its residual changes sign at 1."""
    time, j, k = search([[[1.0 - depth, -2.0, 1.0]]], [[-2.0, 2.0]], 2.0)
    assert (j, k) == (0, 0)
    assert time == pytest.approx(1.0 - np.sqrt(depth), rel=1e-7)


def test_a_near_miss_is_no_crossing():
    time, j, k = search([[[1.0 + 1e-12, -2.0, 1.0]]], [[-2.0, 2.0]], 2.0)
    assert (j, k) == (-1, -1)
    assert 1.0 < time <= 2.0


def test_a_dip_through_a_change_of_sign_of_the_output_weight_is_found():
    """The residual keeps its sign, a_j does not."""
    time, j, k = search([[[0.9, -2.0, 1.0]]], [[1.0]], 2.0, outputs=[[-2.0, 2.0]], turning=[True])
    assert (time, j, k) == (pytest.approx(1 - np.sqrt(0.1)), 0, 0)


def test_a_residual_with_many_sign_changes_shortens_the_step():
    wiggle = np.polynomial.polynomial.polyfromroots([0.2, 0.5, 0.9, 1.4])
    coordinate = np.polynomial.polynomial.polyint(wiggle, k=[5.0])
    time, j, k = search([[coordinate]], [wiggle], 2.0)
    assert (j, k) == (-1, -1)
    assert 0 < time < 1.4


def test_sizes_take_the_largest_coefficient_of_each_quantity():
    channel, off_axis, block = np.array([[2, 3], [0, -1]]), np.array([False, True]), np.array([0, 0])
    law = plain_law(channel, off_axis)
    series = started(law, np.zeros(2), np.zeros((2, 2)), np.zeros(2), 5)
    series.a[:] = np.array([[1.0, 0, 0, 0, -3.0], [0.5, 0, 0, 0, 0.1]]).T
    for place, terms in {(0, 0): (2.0, 0.5), (0, 1): (1e-9, -1e-8), (1, 0): (0.25, 7.0)}.items():
        series.z[:, series.column[place]] = [terms[0], 0, 0, 0, terms[1]]
    series.r[2:] = [[4.0, 0, 0, 0, -5.0], [6e-5, 0, 0, 0, 7e-5]]
    for engine in (crossing.sizes, FLOAT64.sizes):
        out = np.zeros((8, 5))
        engine(series, law, block, 4, out)
        assert not out[:, 1:4].any()
        assert out[:2, ::4].tolist() == [[2.0, 3.0], [0.5, 7.0]]
        assert out[2:4, ::4].tolist() == [[1e-9, 1e-8], [0.0, 0.0]]
        assert out[4:, ::4].tolist() == [[4.0, 5.0], [0.0, 0.0], [6e-5, 7e-5], [0.0, 0.0]]
