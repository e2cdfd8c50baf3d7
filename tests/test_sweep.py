"""Slopes over a sweep of Λ: known lines, Student's interval, and which scales are left out."""

import math

import numpy as np
import pytest

from tests.problems import decoupled
from verify import bars
from verify.evidence import Evidence
from verify.sweep import Slope, fit_slope, sweep

SCALES = np.array([10.0, 20.0, 30.0, 50.0])


def line(slope: float, error: float = 0.0):
    return lambda evidence: (3.0 + slope * evidence.problem.initialisation.minus_log_lambda, error)


def test_an_exact_line_has_its_slope_and_no_width():
    found = fit_slope(np.array([1.0, 2.0, 4.0, 8.0]), np.array([-1.0, -3.0, -7.0, -15.0]))
    assert found.value == pytest.approx(-2.0, rel=1e-14)
    assert found.half_width == pytest.approx(0.0, abs=1e-14)


def test_interval_by_hand():
    """x = 0, 1, 2, 3 and y = 0, 1, 0, 1: slope 1/5, residual sum of squares 4/5, t(0.975, 2) = 4.302653."""
    found = fit_slope(np.arange(4.0), np.array([0.0, 1.0, 0.0, 1.0]))
    assert found.value == pytest.approx(0.2, rel=1e-13)
    assert found.half_width == pytest.approx(4.30265272991 * math.sqrt(0.8 / 2 / 5), rel=1e-9)


def test_error_bars_of_the_points_widen_the_interval():
    """x = 0, 1, 2: the slope is (y₂ − y₀)/2, so that ±0.1 and ±0.3 at the ends move it by 0.2; the middle cannot."""
    x, y = np.arange(3.0), np.array([0.0, 1.0, 2.0])
    assert fit_slope(x, y, np.array([0.1, 7.0, 0.3])).half_width == pytest.approx(0.2, rel=1e-13)
    assert fit_slope(x, y, 0.1).half_width == pytest.approx(0.1, rel=1e-13)


def test_interval_covers_the_true_slope_as_often_as_it_says():
    """95 % of 400 noisy lines with four points; the binomial spread is 1.1 %."""
    rng = np.random.default_rng(0)
    fits = [fit_slope(SCALES, 0.7 * SCALES + rng.normal(size=4)) for _ in range(400)]
    assert 0.91 < np.mean([abs(fit.value - 0.7) <= fit.half_width for fit in fits]) < 0.985


def test_the_sweep_visits_the_problem_at_every_scale():
    seen = []

    def quantity(evidence):
        seen.append(evidence.problem.initialisation.minus_log_lambda)
        return line(-0.25)(evidence)

    found = sweep(Evidence(decoupled(77.0)), SCALES, quantity)
    assert isinstance(found, Slope)
    assert seen == SCALES[::-1].tolist()
    assert found.value == pytest.approx(-0.25, rel=1e-12)
    np.testing.assert_array_equal(found.x, SCALES)
    np.testing.assert_allclose(found.y, 3.0 - 0.25 * SCALES)


@pytest.mark.parametrize(("resolved", "looked_at"), [([50.0, 30.0, 20.0, 10.0], 3), ([50.0, 30.0, 10.0], 4)])
def test_the_sweep_ends_with_a_slope_that_is_enough(resolved, looked_at):
    """From three resolved scales on, the largest first."""
    seen = []

    def quantity(evidence):
        seen.append(evidence.problem.initialisation.minus_log_lambda)
        return line(2.0)(evidence)[0], 0.0 if seen[-1] in resolved else math.inf

    found = sweep(Evidence(decoupled(77.0)), SCALES, quantity, enough=lambda slope: slope.half_width < 1e-9)
    assert len(seen) == looked_at
    assert found.x.tolist() == resolved[2::-1]
    seen.clear()
    assert sweep(Evidence(decoupled(77.0)), SCALES, quantity, enough=lambda slope: False).x.tolist() == resolved[::-1]


def test_nothing_but_the_scale_changes():
    problem = decoupled(77.0)

    def quantity(evidence):
        moved = evidence.problem
        assert (moved.epsilon, evidence.rtol) == (problem.epsilon, 1e-9)
        assert moved.at_scale(77.0).key == problem.key
        return line(1.0)(evidence)

    assert sweep(Evidence(problem, rtol=1e-9), SCALES, quantity) is not None


@pytest.mark.parametrize(("value", "error"), [(math.nan, 0.0), (-math.inf, 0.0), (1.0, 0.1), (1.0, math.inf)])
def test_scales_that_are_not_resolved_are_left_out(value, error):
    def quantity(evidence):
        return (value, error) if evidence.problem.initialisation.minus_log_lambda == 20.0 else line(2.0)(evidence)

    found = sweep(Evidence(decoupled(5.0)), SCALES, quantity)
    assert isinstance(found, Slope)
    np.testing.assert_array_equal(found.x, [10.0, 30.0, 50.0])
    assert found.value == pytest.approx(2.0, rel=1e-12)


def test_resolution_is_an_argument():
    assert sweep(Evidence(decoupled(5.0)), SCALES, line(1.0, error=0.2)) is None
    assert sweep(Evidence(decoupled(5.0)), SCALES, line(1.0, error=0.2), resolution=0.3) is not None


def test_two_scales_are_too_few():
    assert sweep(Evidence(decoupled(5.0)), SCALES[:2], line(1.0)) is None
    assert sweep(Evidence(decoupled(5.0)), SCALES[:3], line(1.0)) is not None


def test_slope_of_a_residual_of_the_flow():
    """At t = 3Λ/2 the positive label of the decoupled problem has ln r = 2 ln 2 − Λ + o(1): the slope is −1."""

    def quantity(evidence):
        scale = evidence.problem.initialisation.minus_log_lambda
        state = evidence.timeline.state(1.5 * scale)
        return float(state.log_residual[0]), bars.log_residual(evidence, state, +1)

    found = sweep(Evidence(decoupled(1.0)), 10 * SCALES, quantity)
    assert isinstance(found, Slope)
    assert found.value == pytest.approx(-1.0, abs=1e-9)
    assert found.half_width < 1e-9
    assert found.y + found.x == pytest.approx(2 * math.log(2), abs=1e-9)
