"""Boosts and deactivation times against hyperbolic functions and bisection at 60 digits."""

import math

import mpmath
import numpy as np
import pytest

from verify.flow.boost import LightCone, advance, crossing_rapidity, light_cone
from verify.flow.float64 import FLOAT64

N = 3


def cone_of(alpha, p, force, excess=None) -> LightCone:
    """Light-cone coordinates of one neuron with log-scale 0."""
    alpha, p, force = np.array([float(alpha)]), np.array([p], dtype=float), np.array([force], dtype=float)
    if excess is None:
        excess = alpha**2 - (p**2).sum(axis=1)
    return light_cone(np.zeros(1), alpha, p, force, np.array(excess, dtype=float).reshape(1), N, FLOAT64)


def exact(alpha, p, force, tau):
    """(α, p) after ``tau`` by the hyperbolic formula, in mpmath."""
    p, force = [mpmath.mpf(v) for v in p], [mpmath.mpf(v) for v in force]
    size = mpmath.sqrt(sum(v * v for v in force))
    u, x = [v / size for v in force], size * mpmath.mpf(tau) / N
    b = sum(v * w for v, w in zip(u, p, strict=True))
    push = b * (mpmath.cosh(x) - 1) + alpha * mpmath.sinh(x)
    return alpha * mpmath.cosh(x) + b * mpmath.sinh(x), [v + w * push for v, w in zip(p, u, strict=True)]


def random_neuron(seed: int, balanced: bool = True):
    rng = np.random.default_rng(seed)
    p = np.abs(rng.normal(size=3))
    alpha = math.sqrt(p @ p + 0.1 * rng.random()) if balanced else rng.uniform(0.2, 3)
    return float(alpha), p.tolist(), rng.normal(size=3).tolist()


@pytest.mark.parametrize("tau", [0.0, 1e-6, 0.3, 5.0, 100.0, 1e5])
@pytest.mark.parametrize("balanced", [True, False])
@pytest.mark.parametrize("seed", range(6))
def test_advance_is_the_hyperbolic_formula(seed, balanced, tau):
    alpha, p, force = random_neuron(seed, balanced)
    log_scale, after, z = advance(cone_of(alpha, p, force), np.array([tau]), FLOAT64)
    with mpmath.workdps(60):
        expected_alpha, expected_p = exact(alpha, p, force, tau)
        growth = log_scale[0] + math.log(abs(after[0]))
        assert growth == pytest.approx(float(mpmath.log(abs(expected_alpha))), rel=1e-13, abs=2e-13)
        assert np.sign(after[0]) == np.sign(float(mpmath.sign(expected_alpha)))
        directions = [float(v / abs(expected_alpha)) for v in expected_p]
    np.testing.assert_allclose(z[0] / abs(after[0]), directions, rtol=1e-12, atol=1e-13)


def test_the_boost_keeps_the_excess():
    alpha, p, force = random_neuron(3)
    log_scale, after, z = advance(cone_of(alpha, p, force), np.array([1.7]), FLOAT64)
    assert (after[0] ** 2 - z[0] @ z[0]) * math.exp(2 * log_scale[0]) == pytest.approx(alpha**2 - np.dot(p, p))


def test_boosts_compose():
    alpha, p, force = random_neuron(4)
    log_scale, middle, z = advance(cone_of(alpha, p, force), np.array([0.4]), FLOAT64)
    excess = (alpha**2 - np.dot(p, p)) * np.exp(-2 * log_scale)
    again = light_cone(log_scale, middle, z, np.array([force]), excess, N, FLOAT64)
    twice = advance(again, np.array([0.9]), FLOAT64)
    once = advance(cone_of(alpha, p, force), np.array([1.3]), FLOAT64)
    assert twice[0] + np.log(twice[1]) == pytest.approx(once[0] + np.log(once[1]), rel=1e-13)
    np.testing.assert_allclose(twice[2] / twice[1][:, None], once[2] / once[1][:, None], rtol=1e-13)


def test_a_neuron_that_points_away_keeps_its_small_part():
    """minus·plus = excess + |off|²: 1e-20 beside 2 survives, and decides what the neuron is after a long time."""
    cone = cone_of(1.0, [1.0, 0.0, 0.0], [-2.0, 0.0, 0.0], excess=1e-20)
    assert cone.plus[0] == pytest.approx(5e-21, rel=1e-15)
    log_scale, alpha, _ = advance(cone, np.array([150.0]), FLOAT64)
    assert log_scale[0] + math.log(alpha[0]) == pytest.approx(100.0 + math.log(5e-21 / 2), rel=1e-13)


@pytest.mark.parametrize("s", [1.0, -1.0])
def test_the_sign_of_alpha_may_be_negative(s):
    """A neuron whose α has crossed zero: (α, p) → (−α, −p) with the same force is the same motion."""
    here = advance(cone_of(-1.1, [0.9, 0.5, 0.3], [s, 0.2, 0.1]), np.array([2.0]), FLOAT64)
    there = advance(cone_of(1.1, [-0.9, -0.5, -0.3], [s, 0.2, 0.1]), np.array([2.0]), FLOAT64)
    assert here[0] == pytest.approx(there[0], rel=1e-14)
    assert here[1] == pytest.approx(-there[1], rel=1e-13)
    np.testing.assert_allclose(here[2], -there[2], rtol=1e-13)


def first_zero(alpha, p, force, k):
    """Rapidity of the first zero of coordinate k for x in (0, 80), by scanning and bisection; None without one."""
    size = mpmath.sqrt(sum(mpmath.mpf(v) ** 2 for v in force))

    def at(x):
        return exact(alpha, p, force, x * N / size)[1][k]

    grid = [mpmath.mpf(i) / 50 for i in range(1, 400)] + [mpmath.mpf(i) for i in range(8, 80)]
    low = mpmath.mpf(0)
    for high in grid:
        if at(high) <= 0:
            for _ in range(120):
                middle = (low + high) / 2
                low, high = (middle, high) if at(middle) > 0 else (low, middle)
            return high
        low = high
    return None


@pytest.mark.parametrize("balanced", [True, False])
@pytest.mark.parametrize("seed", range(12))
def test_deactivation_times_against_bisection(seed, balanced):
    alpha, p, force = random_neuron(50 + seed, balanced)
    cone = cone_of(alpha, p, force)
    x = crossing_rapidity(cone, cone.off, cone.direction, np.ones((1, 3), dtype=bool), FLOAT64)
    with mpmath.workdps(40):
        for k in range(3):
            expected = first_zero(alpha, p, force, k)
            if expected is None:
                assert x[0, k] > 70
            else:
                assert x[0, k] == pytest.approx(float(expected), rel=1e-12)


def test_inactive_and_rising_pairs_never_cross():
    cone = cone_of(1.5, [0.5, 0.6, 0.7], [1.0, -1.0, -1.0])
    x = crossing_rapidity(cone, cone.off, cone.direction, np.array([[True, False, True]]), FLOAT64)
    assert np.isinf(x[0, :2]).all()
    assert 0 < x[0, 2] < np.inf


def test_a_neuron_aligned_against_its_target_reaches_zero_only_through_its_excess():
    away = crossing_rapidity(
        (cone := cone_of(1.0, [1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], excess=0.0)),
        cone.off,
        cone.direction,
        np.array([[True, False, False]]),
        FLOAT64,
    )
    assert np.isinf(away).all()
    cone = cone_of(1.0, [1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], excess=1e-30)
    late = crossing_rapidity(cone, cone.off, cone.direction, np.array([[True, False, False]]), FLOAT64)
    assert late[0, 0] == pytest.approx(math.log(2 / 1e-15), rel=1e-12)
