"""Lemma 12: the rate of decay and the ball after t₃, in closed form and from the loss itself."""

import math
from pathlib import Path

import numpy as np
import pytest

from tests.claims.oracles import SCALES, drawn, evidence, log_distance, third_time
from tests.problems import decoupled, without_third
from verify.baseline import FOLDER, read_cases
from verify.claim import Verdict
from verify.claims.lemma4 import exit
from verify.claims.lemma12 import ball, rate
from verify.evidence import Evidence
from verify.limits import selected_interpolator
from verify.measures import log_speeds_squared

ROOT = Path(__file__).parents[2]

BIG = SCALES[1:]
"""From here on λ^(ε/29) is small."""


@pytest.mark.parametrize("minus_log_lambda", BIG)
def test_rate_of_the_decoupled_problem(minus_log_lambda):
    """−L′/L = 4‖D₋‖u₋/|y₋|, smallest at t₃, where u₋ = |y₋| − λ^(ε/29): the margin is 3 − 4λ^(ε/29)."""
    found = evidence(minus_log_lambda)
    margin = rate(found)
    assert margin.value == pytest.approx(3 - 4 * math.exp(-found.kappa / 29), abs=1e-6 + margin.uncertainty)
    assert margin.uncertainty < 1e-4
    assert margin.verdict is Verdict.HOLDS


def test_rate_fails_where_phase_three_ends_before_the_fit():
    """κ/29 < ln of the label: t₃ is at once t₂, and L stays on its plateau."""
    margin = rate(evidence(100.0, (2.0, -0.1)))
    assert margin.verdict is Verdict.FAILS
    assert margin.value < -0.9


@pytest.mark.parametrize("seed", range(4))
def test_rate_is_not_above_any_effective_rate(seed):
    """(ln L(t₃) − ln L(t))/(t − t₃) from losses as they stand, where they are above rounding."""
    found = drawn(seed, 60.0)
    norm, t3 = found.problem.dataset.norm_minus, found.third_exit.t
    start = float(found.trajectory.at(t3).loss)
    rates = []
    for t in np.linspace(t3 + 0.3 / norm, t3 + 8 / norm, 40):
        rates.append(math.log(start / float(found.trajectory.at(float(t)).loss)) / (t - t3))
    margin = rate(found)
    assert margin.value <= min(rates) / norm - 1 + 1e-9
    assert float(margin.note.split()[3]) == pytest.approx(margin.value + 1, rel=1e-5, abs=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_rate_of_the_moment_is_the_pl_ratio(seed):
    """−L′/L = ‖∇L‖²/L at t₃ bounds the margin from above."""
    found = drawn(seed, 60.0)
    network = found.trajectory.at(found.third_exit.t).parameters()
    data = found.problem.dataset
    assert rate(found).value <= network.pl_ratio(data) / data.norm_minus - 1 + 1e-6


@pytest.mark.parametrize("minus_log_lambda", BIG)
def test_ball_of_the_decoupled_problem(minus_log_lambda):
    """The distance only falls after t₃: it is worst there, sqrt(2)·λ^(ε/29)/2."""
    found = evidence(minus_log_lambda)
    problem, t = found.problem, third_time(found.problem)
    margin = ball(found)
    exact = log_distance(problem, t)
    assert margin.t == pytest.approx(t, rel=1e-9)
    assert margin.quantity_log == pytest.approx(exact, rel=0, abs=margin.uncertainty + 1e-14 * t)
    assert margin.value == pytest.approx(-problem.kappa / 160 - exact, rel=0, abs=margin.uncertainty + 1e-14 * t)
    assert margin.verdict is Verdict.HOLDS


@pytest.mark.parametrize("seed", range(4))
def test_ball_is_the_largest_euclidean_distance(seed):
    found = drawn(seed, 60.0)
    target, t3 = selected_interpolator(found.problem), found.third_exit.t
    times = np.linspace(t3, float(found.trajectory.t_end), 60)
    largest = max(found.trajectory.at(float(t)).parameters().distance(target) for t in times)
    assert math.exp(ball(found).quantity_log) == pytest.approx(largest, rel=1e-6)


def test_ball_fails_where_phase_three_ends_before_the_fit():
    """The label 0.1 is below λ^(ε/29): t₃ is t₂, with the negative neuron next to 0, sqrt(2·0.1) from θ*."""
    found = Evidence(decoupled(1e3, (2.0, -0.1)))
    margin = ball(found)
    state = found.trajectory.at(found.third_exit.t)
    plain = state.parameters().distance(selected_interpolator(found.problem))
    assert math.exp(margin.quantity_log) == pytest.approx(max(plain, math.sqrt(0.2)), rel=1e-9)
    assert margin.value == pytest.approx(-found.kappa / 160 - margin.quantity_log, rel=1e-12)


def test_claims_fail_by_what_phase_three_misses_when_it_does_not_end():
    """In nats, and as a share of λ^(ε/29)."""
    found = Evidence(without_third())
    missing = exit(found)
    assert ball(found) == missing
    margin = rate(found)
    assert margin.value == pytest.approx(math.expm1(missing.value), rel=1e-9)
    assert (margin.scale, margin.verdict, missing.verdict) == ("relative", Verdict.FAILS, Verdict.FAILS)
    assert 0 < margin.uncertainty < 1e-11


def test_a_rate_that_dips_soon_after_the_third_phase_only_lengthens_the_bar():
    """Over short times the least rate of the moment bounds the average, but is no average that was seen."""
    (case,) = (case for case in read_cases(ROOT / FOLDER) if case.problem.key == "a01151b695b802a0")
    found = Evidence(case.problem)
    margin, norm, t = rate(found), found.problem.dataset.norm_minus, found.third_exit.t
    start = float(found.timeline.state(t).log_loss)
    states = found.trajectory.along(np.linspace(t + 0.3 / norm, found.trajectory.t_end, 2000))
    averages = (start - states.log_loss) / (states.t - t)
    soon = found.trajectory.along(np.linspace(t, t + 0.3 / norm, 400))
    moments = np.exp(log_speeds_squared(soon) - soon.log_loss)
    assert moments.min() < min(moments[0], averages.min())
    assert margin.value == pytest.approx(min(moments[0], averages.min()) / norm - 1, rel=1e-4)
    assert margin.uncertainty >= 0.99 * (min(moments[0], averages.min()) - moments.min()) / norm
