"""Theorem 1: the loss at rest in closed form, and the exponent of ‖θ^∞ − θ*‖ against plain distances."""

import math

import numpy as np
import pytest

import verify.claims.theorem1
from tests.claims.oracles import SCALES, drawn, evidence, log_residuals
from tests.problems import decoupled, reference, small
from verify.claim import Verdict
from verify.claims.theorem1 import LOSS_FRACTION_LOG, SWEEP, _least_exponent, bias, loss
from verify.distance import Blurred
from verify.errors import SimulationFailed
from verify.evidence import Evidence
from verify.families import draw_problem
from verify.flow.simulate import simulate
from verify.limits import selected_interpolator


@pytest.mark.parametrize("minus_log_lambda", SCALES)
def test_loss_of_the_decoupled_problem(minus_log_lambda):
    """ln L(t_end) − ln L(0) with both residuals in closed form; the slower label decides."""
    found = evidence(minus_log_lambda)
    t, margin = float(found.trajectory.t_end), loss(found)
    fallen = np.logaddexp.reduce(2 * log_residuals(found.problem, t)) - math.log(5.0)
    assert (margin.t, margin.label) == (t, 1)
    assert margin.quantity_log == pytest.approx(fallen, rel=0, abs=margin.uncertainty + 1e-14 * t)
    assert margin.value == pytest.approx(-50 * math.log(10) - margin.quantity_log, rel=1e-12)
    assert margin.verdict is Verdict.HOLDS


@pytest.mark.parametrize("name", ["R1", "R2", "R3"])
def test_loss_falls_below_that_of_the_references(name):
    problem, states, _ = reference(name)
    found = Evidence(problem)
    margin = loss(found)
    reached = math.log(states[-1].loss) - math.log(states[0].loss)
    assert margin.quantity_log < min(reached, LOSS_FRACTION_LOG)


def test_loss_fails_on_a_trajectory_that_stops_at_a_saddle():
    found = Evidence(small(1000.0))
    found.__dict__["trajectory"] = simulate(small(1000.0), until=1500.0)
    margin = loss(found)
    assert margin.verdict is Verdict.FAILS
    # Positive label fitted, negative one not: L(θ_S)/L(0) = 1/5.
    assert margin.quantity_log == pytest.approx(math.log(1 / 5), abs=1e-9)
    assert margin.label == 1


def plain_slope(problem):
    """Slope over Λ of ln‖θ^∞ − θ*‖ as it stands, on the scales where that is above rounding."""
    points = []
    for scale in SWEEP / (4 * problem.dataset.epsilon_max):
        moved = Evidence(problem.at_scale(float(scale)))
        final = moved.trajectory.at(moved.trajectory.t_end).parameters()
        distance = final.distance(selected_interpolator(moved.problem))
        if distance > 1e-11:
            points.append((scale, math.log(distance)))
    x, y = np.array(points).T
    return float(np.polyfit(x, y, 1)[0]), len(points)


@pytest.mark.parametrize("seed", [0, 3, 5])
def test_bias_is_the_slope_of_plain_distances(monkeypatch, seed):
    """Small values of the sweep, so that every distance is far above rounding, and all of them."""
    monkeypatch.setattr(verify.claims.theorem1, "CLEAR", math.inf)
    monkeypatch.setattr(verify.claims.theorem1, "SWEEP", np.array([0.1, 0.2, 0.3, 0.5, 0.8]))
    monkeypatch.setitem(plain_slope.__globals__, "SWEEP", np.array([0.1, 0.2, 0.3, 0.5, 0.8]))
    rng = np.random.default_rng(seed)
    problem = draw_problem(rng, inputs="standard", labels="rational", n=2, m=12, kappa=10.0)
    slope, count = plain_slope(problem)
    margin = bias(Evidence(problem))
    assert count >= 3
    assert margin.exponent == pytest.approx(-slope, rel=1e-6)
    assert margin.value == margin.exponent
    assert f"{count} scales" in margin.note


def test_three_scales_are_enough_where_the_exponent_is_clear():
    """The smallest is left out; the exponent is that of all four within its bar."""
    problem = small()
    found = bias(Evidence(problem))
    assert "3 scales" in found.note
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(verify.claims.theorem1, "CLEAR", math.inf)
        every = bias(Evidence(problem))
    assert "4 scales" in every.note
    assert abs(found.value - every.value) <= max(found.uncertainty, every.uncertainty)


@pytest.mark.parametrize("seed", range(3))
def test_bias_holds_on_drawn_problems(seed):
    margin = bias(drawn(seed, 60.0, n=2, m=8, d=2))
    assert margin.verdict is Verdict.HOLDS
    assert margin.value > 0


def test_one_neuron_a_side_ends_where_the_flow_stops():
    """Nothing to share: θ^∞ = θ* up to the residual at which the flow counts as at rest."""
    margin = bias(Evidence(decoupled(10.0)))
    assert margin.verdict is Verdict.HOLDS
    assert "every scale" in margin.note


def test_bias_is_bounded_where_too_few_scales_are_resolved(monkeypatch):
    """Of two points each gives p = −ln‖θ^∞ − θ*‖/Λ, in the plain distance as well; the larger one is said."""
    monkeypatch.setattr(verify.claims.theorem1, "SWEEP", SWEEP[:2])
    monkeypatch.setattr(verify.claims.theorem1, "SHALLOWEST", math.inf)
    problem, plain = small(), {}
    for scale in SWEEP[:2] / (4 * problem.dataset.epsilon_max):
        moved = Evidence(problem.at_scale(float(scale)))
        final = moved.trajectory.at(moved.trajectory.t_end).parameters()
        plain[float(scale)] = -math.log(final.distance(selected_interpolator(moved.problem))) / scale
    margin = bias(Evidence(problem))
    assert margin.value == pytest.approx(max(plain.values()), rel=1e-6)
    assert 0 < margin.uncertainty < 1e-10
    assert math.isnan(margin.exponent)
    assert f"at Λ = {max(plain, key=plain.__getitem__):.4g}" in margin.note


def test_no_smaller_scales_are_tried_once_the_flow_cannot_be_followed(monkeypatch):
    """The flow at smaller scales is stiffer still, and each attempt dear; the distances seen before decide."""
    asked = []

    def fails_on_the_third(evidence, scales, quantity, enough):
        asked.append(scales[0])
        if len(asked) == 3:
            raise SimulationFailed("too many steps")
        quantity(evidence.at_scale(float(scales[0])))

    monkeypatch.setattr(verify.claims.theorem1, "sweep", fails_on_the_third)
    monkeypatch.setattr(verify.claims.theorem1, "SHALLOWEST", 0.0)
    problem = small()
    margin = bias(Evidence(problem))
    np.testing.assert_allclose(asked, SWEEP[0] / (4 * problem.dataset.epsilon_max) / np.array([1, 2, 4]))
    assert "as far as rounding lets it be seen" in margin.note


def test_noise_counts_against_the_bound_on_the_exponent():
    """ln(e^−8 + e^−9) at Λ = 4 beside −6 at Λ = 5: 1.92 beside 1.2, with the relative error over Λ."""
    seen = [(4.0, Blurred(-8.0, -9.0, 0.02)), (5.0, Blurred(-6.0, -math.inf, 0.01))]
    margin = _least_exponent(seen)
    assert margin.value == pytest.approx((8 - math.log1p(math.exp(-1))) / 4)
    assert margin.uncertainty == pytest.approx(0.02 / 4)
    drowned = _least_exponent([(4.0, Blurred(-8.0, 0.5, 0.0))])
    assert drowned.verdict is Verdict.UNRESOLVED
