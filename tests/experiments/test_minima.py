"""Closed forms of minimal norms, against linear programming over directions."""

import math

import numpy as np
import pytest

from tests.experiments.oracles import least_f1, sphere
from verify.errors import InvalidArgument
from verify.experiments import leaky, section5
from verify.experiments.line import f1_norm
from verify.experiments.orthogonal import excess, minimal_half_norm, scaled, unit_start
from verify.experiments.regression import Regression


@pytest.mark.parametrize("leak", [0.0, 0.1, 0.5])
def test_leaky_minimum_by_duality(leak: float) -> None:
    y = np.array([1.0, -0.8])
    found = least_f1(Regression(np.eye(2), y, leak), sphere(2, 4000))
    expected = leaky.minimal_half_norm(y, leak)
    assert expected - 1e-9 <= found <= expected * (1 + 1e-5)


def test_leaky_minimum_needs_labels_of_both_signs() -> None:
    with pytest.raises(InvalidArgument, match="between"):
        leaky.minimal_half_norm(np.array([1.0, -0.05]), 0.5)


def test_minimum_for_orthogonal_inputs_of_any_norm() -> None:
    data = Regression(np.diag([2.0, 0.5]), np.array([1.0, -0.7]))
    found = least_f1(data, sphere(2, 4000))
    assert minimal_half_norm(data) - 1e-9 <= found <= minimal_half_norm(data) * (1 + 1e-5)
    same_sign = Regression(np.diag([2.0, 0.5]), np.array([1.0, 0.7]))
    assert least_f1(same_sign, sphere(2, 4000)) == pytest.approx(minimal_half_norm(same_sign), rel=1e-5)
    assert minimal_half_norm(same_sign) == pytest.approx(math.hypot(0.5, 1.4))


def test_section5_norms() -> None:
    """The minimum, and that the linear interpolator is not it: 2 is least over neurons that leave no kink."""
    assert least_f1(section5.DATA, sphere(2, 20_000)) == pytest.approx(section5.MINIMAL, rel=1e-6)
    v = np.array([0.8, -0.6])
    assert np.allclose(section5.DATA.x @ v, section5.DATA.y) and pytest.approx(2 * np.hypot(*v)) == section5.LINEAR


def test_starts_are_in_the_key_sets_and_scale() -> None:
    data = Regression(np.diag([2.0, 1.0, 1.5]), np.array([1.0, 0.7, -0.6]))
    start = unit_start(3, data)
    p = data.projections(start)
    assert (p[0, :2] > 0).all() and start.a[0] > 0 and p[1, 2] > 0 and start.a[1] < 0
    assert np.allclose(np.abs(start.a), np.linalg.norm(start.w, axis=1))
    assert excess(scaled(start, 1e-3), f1_norm(start)) == pytest.approx(1e-6 - 1)
