"""Components: coordinates survive every change of frame, split and deactivation."""

import mpmath
import numpy as np
import pytest

from tests.flow.agreement import problem, random_problem
from verify.flow.component import reframe, split, switch_off
from verify.flow.float64 import FLOAT64
from verify.flow.frame import Frame
from verify.flow.start import initial_state


def natural(component, now):
    """α, p at the labels and residual at the labels, all in plain units."""
    scale = np.exp(now.log_scale)
    residual = component.frame.to_labels(now.plain_residual(FLOAT64))
    return now.alpha * scale, component.at_labels(now.z) * scale[:, None], residual


def test_the_target_along_the_axes():
    component, _ = initial_state(random_problem(1, 1.0, n=5), FLOAT64)
    np.testing.assert_allclose(component.frame.to_labels(component.frame.target), component.y, rtol=1e-14)
    assert (component.frame.target[component.frame.off_axis] == 0).all()


def test_weights_are_squared_scales():
    component, now = initial_state(random_problem(1, 3.0), FLOAT64)
    scale = np.exp(now.log_scale - 3.0)
    np.testing.assert_allclose(component.weight(now.log_scale), scale**2)
    np.testing.assert_allclose(component.weight(now.log_scale, -5.0), scale**2 * np.exp(5.0))
    assert np.isfinite(component.weight(now.log_scale, -1e6)).all()


@pytest.mark.parametrize("seed", range(5))
def test_a_new_frame_leaves_the_state_alone(seed):
    component, now = initial_state(random_problem(seed, 1.0, n=5, m=7), FLOAT64)
    plain = Frame.of(component.y, FLOAT64, without=np.ones(5, dtype=bool))
    other, there = reframe(component, now, component.active, plain)
    for one, two in zip(natural(component, now), natural(other, there), strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-12, atol=1e-14)
    back, again = reframe(other, there, component.active, component.frame)
    for one, two in zip(natural(component, now), natural(back, again), strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("seed", range(5))
def test_switching_off_one_pair_changes_that_coordinate_only(seed):
    component, now = initial_state(random_problem(seed, 1.0, n=5, m=6), FLOAT64)
    alpha, p, residual = natural(component, now)
    j, k = (int(v) for v in np.argwhere(component.active)[seed])
    p[j, k] = 0.0
    seen = np.zeros(6, dtype=bool)
    for part, there in switch_off(component, now, ((int(j), int(k)),)):
        seen[part.neurons] = True
        a, q, r = natural(part, there)
        np.testing.assert_allclose(a, alpha[part.neurons], rtol=1e-13)
        np.testing.assert_allclose(q, p[np.ix_(part.neurons, part.labels)], rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(r, residual[part.labels], rtol=1e-12, atol=1e-14)
        assert not part.active[part.neurons == j][:, part.labels == k].any()
    assert seen.all()


def test_splitting_separates_what_does_not_interact():
    g = [[1.0, 1.0, -1.0, -1.0], [-1.0, -1.0, 1.0, 2.0], [-1.0, -1.0, -1.0, -1.0]]
    component, now = initial_state(problem([1.0, 0.5, -1.0, -2.0], g, [1, -1, 1], 2.0), FLOAT64)
    parts = split(component, now)
    assert [part.labels.tolist() for part, _ in parts] == [[0, 1], [2, 3], []]
    assert [part.neurons.tolist() for part, _ in parts] == [[0], [1], [2]]
    alpha, p, residual = natural(component, now)
    for part, there in parts:
        a, q, r = natural(part, there)
        np.testing.assert_allclose(a, alpha[part.neurons])
        np.testing.assert_allclose(q, p[np.ix_(part.neurons, part.labels)], rtol=1e-14)
        np.testing.assert_allclose(r, residual[part.labels], rtol=1e-14)


def test_off_axis_parts_survive_a_split_untouched():
    """An off-axis part of e^-500 beside a neuron of size one is kept, though plain coordinates cannot hold it."""
    g = [[1.0, 2.0, -1.0], [-1.0, -1.0, 1.0]]
    component, now = initial_state(problem([1.0, 2.0, -1.0], g, [1, -1], 2.0), FLOAT64)
    now.off[component.lateral] = 0.25
    now.log_off[0] = -500.0
    (part, there), *_ = split(component, now)
    assert part.labels.tolist() == [0, 1]
    assert there.log_off[0] == -500.0
    assert there.off[part.lateral].tolist() == [0.25]


def test_excess_in_units_of_the_scale():
    component, now = initial_state(random_problem(2, 1.0, extra=2), FLOAT64)
    expected = [
        float(mpmath.mpf(e) * mpmath.exp(-2 * mpmath.mpf(s)))
        for e, s in zip(component.excess, now.log_scale, strict=True)
    ]
    np.testing.assert_allclose(component.scaled_excess(now.log_scale), expected, rtol=1e-14)
