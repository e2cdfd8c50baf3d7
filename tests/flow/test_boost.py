"""Boosts and deactivation times against hyperbolic functions and bisection at 60 digits."""

import math
from dataclasses import replace

import mpmath
import numpy as np
import pytest

from tests.flow.agreement import random_problem
from verify.flow import boost, course
from verify.flow.course import crossing
from verify.flow.float64 import FLOAT64
from verify.flow.ledger import ledger_of
from verify.flow.multiprecision import multiprecision
from verify.flow.start import initial_state
from verify.flow.stay import Neurons, Pull, Rows

N = 3


def rows_of(alpha, p, force, excess=None, active=None, log_scale=0.0, apart=None) -> Rows:
    """The stays of one neuron under a standing residual, from log-scale 0 at time 0."""
    alpha, p, force = np.array([float(alpha)]), np.array([p], dtype=float), np.array(force, dtype=float)
    if excess is None:
        excess = float(alpha[0] ** 2 - (p**2).sum()) * math.exp(2 * log_scale)
    active = np.ones(p.shape, dtype=bool) if active is None else np.array([active])
    neurons = Neurons(np.full(1, log_scale), alpha, p, p, np.full(1, log_scale), np.array([excess]), np.ones(1), active)
    count, rows = FLOAT64.boosted(0.0, neurons, pull_of(force), 1 + p.shape[1], FLOAT64.epsilon)
    return Rows(*(part[:count] for part in rows))


def pull_of(force) -> Pull:
    """A standing residual at labels without axes; outputs are negligible."""
    force = np.array(force, dtype=float)
    nothing = np.zeros(len(force), dtype=bool)
    block = (force < 0).astype(int)
    return Pull(force, force, np.eye(len(force)), block, nothing, nothing, N, np.empty(0), np.empty((0, 0, 0)))


def advance(rows, tau):
    """What the first stay is after a time, even beyond its end."""
    return FLOAT64.advanced(rows, pull_of(np.zeros(3)), np.array([0]), np.array([float(tau)]))


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
    log_scale, after, z = advance(rows_of(alpha, p, force), tau)
    with mpmath.workdps(60):
        expected_alpha, expected_p = exact(alpha, p, force, tau)
        growth = log_scale[0] + math.log(abs(after[0]))
        assert growth == pytest.approx(float(mpmath.log(abs(expected_alpha))), rel=1e-13, abs=2e-13)
        assert np.sign(after[0]) == np.sign(float(mpmath.sign(expected_alpha)))
        directions = [float(v / abs(expected_alpha)) for v in expected_p]
    np.testing.assert_allclose(z[0] / abs(after[0]), directions, rtol=1e-12, atol=1e-13)


def test_the_boost_keeps_the_excess():
    alpha, p, force = random_neuron(3)
    log_scale, after, z = advance(rows_of(alpha, p, force), 1.7)
    assert (after[0] ** 2 - z[0] @ z[0]) * math.exp(2 * log_scale[0]) == pytest.approx(alpha**2 - np.dot(p, p))


def test_boosts_compose():
    alpha, p, force = random_neuron(4)
    log_scale, middle, z = advance(rows_of(alpha, p, force), 0.4)
    again = rows_of(middle[0], z[0], force, excess=alpha**2 - np.dot(p, p), log_scale=log_scale[0])
    twice = advance(again, 0.9)
    once = advance(rows_of(alpha, p, force), 1.3)
    assert twice[0] + np.log(twice[1]) == pytest.approx(once[0] + np.log(once[1]), rel=1e-13)
    np.testing.assert_allclose(twice[2] / twice[1][:, None], once[2] / once[1][:, None], rtol=1e-13)


def test_a_neuron_that_points_away_keeps_its_small_part():
    """minus·plus = excess + |off|²: 1e-20 beside 2 survives, and decides what the neuron is after a long time."""
    rows = rows_of(1.0, [1.0, 0.0, 0.0], [-2.0, 0.0, 0.0], excess=1e-20)
    assert rows.plus[0] == pytest.approx(5e-21, rel=1e-15)
    log_scale, alpha, _ = advance(rows, 150.0)
    assert log_scale[0] + math.log(alpha[0]) == pytest.approx(100.0 + math.log(5e-21 / 2), rel=1e-13)


@pytest.mark.parametrize("s", [1.0, -1.0])
def test_the_sign_of_alpha_may_be_negative(s):
    """A neuron whose α has crossed zero: (α, p) → (−α, −p) with the same force is the same motion."""
    here = advance(rows_of(-1.1, [0.9, 0.5, 0.3], [s, 0.2, 0.1]), 2.0)
    there = advance(rows_of(1.1, [-0.9, -0.5, -0.3], [s, 0.2, 0.1]), 2.0)
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
    rows = rows_of(alpha, p, force)
    plus, minus = rows.plus[0], rows.minus[0]
    with mpmath.workdps(40):
        expected = [first_zero(alpha, p, force, k) for k in range(3)]
    for k in range(3):
        growth = crossing(rows.off[0, k], rows.direction[0, k], plus, minus, FLOAT64.epsilon)
        if expected[k] is None:
            assert not 1 <= growth < math.exp(70)
        else:
            assert math.log(growth) == pytest.approx(float(expected[k]), rel=1e-12)
    first = min((x, k) for k, x in enumerate([*expected, None]) if x is not None) if any(expected) else (None, -1)
    assert rows.label[0] == first[1]
    if first[0] is not None:
        assert rows.start[1] == pytest.approx(float(first[0]) / rows.rate[0], rel=1e-12)
        assert rows.active[1].tolist() == [k != first[1] for k in range(3)]


def test_inactive_and_rising_pairs_never_cross():
    rows = rows_of(1.5, [0.5, 0.6, 0.7], [1.0, -1.0, -1.0], active=[True, False, True])
    assert rows.label.tolist() == [2, -1]


def test_a_neuron_aligned_against_its_target_reaches_zero_only_through_its_excess():
    force, active = [-1.0, 0.0, 0.0], [True, False, False]
    assert rows_of(1.0, [1.0, 0.0, 0.0], force, excess=0.0, active=active).label.tolist() == [-1]
    rows = rows_of(1.0, [1.0, 0.0, 0.0], force, excess=1e-30, active=active)
    assert rows.label.tolist() == [0, -1]
    assert rows.start[1] == pytest.approx(N * math.log(2 / 1e-15), rel=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_the_uncompiled_body_and_many_digits_agree(seed):
    """The body runs as it stands on machine floats and on numbers of 40 digits, with the same stays."""
    task = random_problem(300 + seed, 50.0, n=4, m=5)
    plain = replace(FLOAT64, boosted=course.boosted, advanced=boost.advanced)
    wide = multiprecision(40)
    ledgers = []
    for arithmetic in (FLOAT64, plain, wide):
        with arithmetic.context():
            ledgers.append(ledger_of(*initial_state(task, arithmetic), np.zeros(4, dtype=bool)))
    for other in ledgers[1:]:
        for name in ("neuron", "label", "active"):
            np.testing.assert_array_equal(getattr(ledgers[0].rows, name), getattr(other.rows, name))
        for name in ("start", "rate", "direction"):
            ours, theirs = (getattr(ledger.rows, name).astype(float) for ledger in (ledgers[0], other))
            np.testing.assert_allclose(ours, theirs, rtol=1e-11)
        ours, theirs = (
            rows.log_scale + np.log((rows.plus + rows.minus).astype(float)) for rows in (ledgers[0].rows, other.rows)
        )
        np.testing.assert_allclose(ours, theirs.astype(float), rtol=1e-11)
