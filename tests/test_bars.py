"""Error bars: each factor is the derivative it claims to be, seen by moving the problem by a little."""

import math

import numpy as np
import pytest

from tests.claims.oracles import drawn, evidence, unfitted_evidence
from tests.problems import decoupled, small
from verify import bars
from verify.claim import UNIT
from verify.evidence import Evidence
from verify.measures import log_axis_excess, log_gap
from verify.phases import Exit, second_levels, third_levels

SHIFT = 1e-6
"""By so much Λ is moved, and with it every log-norm."""


def shifted(found: Evidence) -> Evidence:
    """The same problem with every neuron larger by e^``SHIFT``."""
    return found.at_scale(found.problem.initialisation.minus_log_lambda - SHIFT)


@pytest.mark.parametrize("side", [1, -1])
@pytest.mark.parametrize("decay", [0.0, 0.5, 5.0, 40.0])
def test_a_residual_feels_the_clock_twice_as_far_as_it_is_fitted(side, decay):
    """d ln r/d ln‖w‖ = −2(1 − r/y) of the logistic equation, at the times where r/y = e^(−decay)."""
    found = evidence(1e3)
    column, data = (0 if side > 0 else 1), found.problem.dataset
    y = abs(data.y[column])
    fitted = -math.expm1(-decay) if decay else 1e-9
    start = 2 * (math.log(found.problem.initialisation.norms[column]) - 1e3) - math.log(y)
    t = (math.log(fitted) + decay - start) * data.n / (2 * y)
    here, there = (e.trajectory.at(t) for e in (found, shifted(found)))
    moved = float(there.log_residual[column] - here.log_residual[column])
    assert bars.depth(found, here, side) == pytest.approx(decay, abs=1e-6)
    assert moved == pytest.approx(-2 * SHIFT * bars.fitted_share(decay), rel=1e-3, abs=1e-10)
    expected = 2 * bars.log_norm(found, t) * fitted
    decaying = (2 * found.trajectory.estimate.local(t) + found.trajectory.rtol) * decay
    assert bars.log_residual(found, here, side) == pytest.approx(expected + decaying, rel=1e-4, abs=1e-17)


def test_a_gap_is_amplified_where_residual_and_excess_cancel():
    """At rest nothing but the excess is left of the gap, and the residual is nothing beside it."""
    found = unfitted_evidence()
    for share in (0.3, 0.9, 1.0):
        t = share * float(found.trajectory.t_end)
        state = found.timeline.state(t)
        axis, excess, gap = float(state.log_residual_axis[0]), log_axis_excess(state, 1)[1], log_gap(state, 1)[1]
        parts = bars.log_residual(found, state, 1) * math.exp(axis) + 6 * bars.log_norm(found, t) * math.exp(excess)
        assert bars.log_gap(found, state, 1) == pytest.approx(parts * math.exp(-gap), rel=1e-6)


@pytest.mark.parametrize("side", [1, -1])
def test_time_of_an_exit_is_its_level_over_its_rate(side):
    """t₂ and t₃ of the decoupled problem come SHIFT/‖D‖ sooner for neurons larger by e^SHIFT."""
    found = evidence(1e3)
    end = found.second_exit if side > 0 else found.third_exit
    moved = shifted(found).second_exit if side > 0 else shifted(found).third_exit
    norm = found.problem.dataset.norm_plus if side > 0 else found.problem.dataset.norm_minus
    assert end.condition == "fit"
    # κ moves along with Λ, and with it the level, by a tenth or a 58th of ε·SHIFT/‖D‖.
    assert end.t - moved.t == pytest.approx(SHIFT / norm, rel=0.02)
    state = found.timeline.state(end.t)
    level = bars.level(found, state, "fit", side)
    assert end.miss <= 8 * UNIT * end.t * end.slope
    assert bars.time(found, end, side) == pytest.approx((level + end.miss) / end.slope + UNIT * end.t, rel=1e-12)
    assert level / end.slope == pytest.approx(bars.log_norm(found, end.t) / norm, rel=0.2)


def test_time_of_an_exit_that_comes_at_once():
    """A level that is met by more than its error leaves no doubt; one that is not met for sure leaves all of it."""
    found = evidence(1e3)
    t = found.second_exit.t
    assert bars.time(found, Exit(t, "fit", 0.0, excess=3.0), +1) == UNIT * t
    assert bars.time(found, Exit(t, "fit", 0.0, excess=1e-30), +1) == math.inf
    late = Evidence(decoupled(5.0, (2.0, -1.0)))
    assert late.third_exit.excess > 0 and late.third_exit.t == late.second_exit.t
    assert bars.time(late, late.third_exit, -1) == bars.time(late, late.second_exit, +1)


@pytest.mark.parametrize("seed", range(3))
def test_no_level_moves_faster_than_twice_the_fastest_rate(seed):
    found = drawn(seed, 60.0)
    for levels, end in ((second_levels, found.second_exit), (third_levels, found.third_exit)):
        width = 1e-3 / found.trajectory.fastest
        before, after = (levels(found.trajectory.at(end.t + step)) for step in (-width, width))
        for name in before:
            if math.isfinite(before[name]) and math.isfinite(after[name]):
                rate = abs(after[name] - before[name]) / (2 * width)
                assert rate <= 2 * found.trajectory.fastest * (1 + 1e-6), name


def test_an_output_is_blurred_as_far_as_its_terms_cancel():
    """Label 0 of the small problem: neurons 0 and 1 against neurons 2 and 3."""
    found = Evidence(small())
    state = found.timeline.state(0.0)
    terms = np.exp(2 * (state.log_norms + 1000.0)) * np.maximum(state.directions[:, 0], 0.0)
    total = abs(float(state.signs @ terms))
    expected = 3 * bars.log_norm(found, 0.0) * terms.sum() / total
    assert bars.log_output(found, state, 0) == pytest.approx(expected, rel=1e-9)


def test_errors_grow_along_the_trajectory():
    """Rounding on the plateau, the steps on the way, all of it at the end; the end is the trajectory's own estimate."""
    found = Evidence(small(), rtol=1e-9)
    times = [0.0, found.time_plus, found.second_exit.t, found.third_exit.t, math.inf]
    for bar in (bars.growth, bars.log_norm, bars.log_tilt):
        errors = [bar(found, t) for t in times]
        assert errors == sorted(errors)
    assert bars.growth(found, found.time_plus) < 1e-12 < 1e-9 < bars.growth(found, found.second_exit.t)
    assert bars.log_norm(found, math.inf) == found.error + bars.MEASURED


def test_shares_do_not_feel_what_moves_all_neurons_alike():
    """At a coarse tolerance the norms are off by 1e-9 and more, the shares of aligned neurons by rounding."""
    found = drawn(3, 60.0, n=2, m=12, d=2)
    coarse = Evidence(found.problem, rtol=1e-9)
    assert found.key(1).sum() > 1
    assert bars.share(coarse, 1) < 1e-11 < bars.log_norm(coarse, math.inf)
    ends = [e.trajectory.at(float(found.trajectory.t_end)).log_norms[found.key(1)] for e in (found, coarse)]
    shares = [np.exp(logs) / np.linalg.norm(np.exp(logs)) for logs in ends]
    assert np.linalg.norm(shares[0] - shares[1]) <= bars.share(coarse, 1)


def test_a_maximum_is_located_to_a_tenth_of_its_bar_unless_it_lies_at_an_end():
    found = Evidence(small(20.0))

    def wave(state):
        return np.array([-((float(state.t) - 3.3) ** 2)])

    inside, error = bars.largest(found, wave, (0.0, 10.0), lambda *_: 1e-4)
    assert error == pytest.approx(1.1e-4) and -1e-5 <= inside.value <= 0
    outside, error = bars.largest(found, wave, (4.0, 10.0), lambda *_: 1e-4)
    assert (outside.t, error) == (4.0, 1e-4)
