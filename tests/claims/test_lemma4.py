"""Lemma 4: margins of phase 3 in closed form up to Λ = 10^6, and problems on which they fail (erratum E4)."""

import math

import numpy as np
import pytest

from tests.claims.oracles import (
    FAINT_LABEL,
    SCALES,
    drawn,
    evidence,
    level_at_rest,
    linear_tilt,
    log_distance,
    log_missing,
    log_residuals,
    second_time,
    third_time,
    unfitted_evidence,
)
from tests.problems import decoupled, decoupled_state, decoupled_time, reference, small, without_third
from verify.check import check
from verify.claim import Margin, Vacuous, Verdict
from verify.claims.lemma4 import align, close, exit, fitted, idle, still, time
from verify.dataset import Dataset
from verify.evidence import Evidence
from verify.initialisation import Initialisation
from verify.limits import selected_interpolator
from verify.problem import Problem
from verify.regime import in_regime

ALL = (time, exit, align, still, fitted, idle)
ROUNDING = 1e-14
"""Times are rounded to this relative accuracy, which moves logarithms of gaps by their rate times it."""


def bound(problem):
    return (1 + 3 * problem.dataset.ratio * problem.epsilon) * problem.initialisation.minus_log_lambda * 2


@pytest.mark.parametrize("minus_log_lambda", SCALES)
def test_time_of_the_decoupled_problem(minus_log_lambda):
    """t₃ = 2Λ + κ/29 + …, with ‖D₋‖ = 1/2; t₂ comes at half of it, so that the order is the tighter of the two."""
    found = evidence(minus_log_lambda)
    margin, t, earlier = time(found), third_time(found.problem), second_time(found.problem)
    limit = bound(found.problem)
    assert margin.t == pytest.approx(t, rel=1e-11)
    expected = min(1 - t / limit, (t - earlier) / limit)
    assert expected > 0
    assert margin.value == pytest.approx(expected, rel=0, abs=margin.uncertainty + ROUNDING)
    assert (margin.verdict, margin.note) == (Verdict.HOLDS, "ended by fit")
    assert margin.uncertainty < 1e-7


def test_time_is_the_order_of_the_phases_where_that_is_tighter():
    """r near 1: t₃ comes soon after t₂, and the margin is what lies between them."""
    found = Evidence(decoupled(1e3, (2.0, -1.99)))
    problem, margin = found.problem, time(found)
    # κ is small here: the gap λ^(ε/29) is the larger one, and only the order of magnitude of the times counts.
    t2 = decoupled_time(problem, 0, -problem.kappa / 5 - math.log(2.0))
    t3 = max(decoupled_time(problem, 1, -problem.kappa / 29 - math.log(1.99)), t2)
    limit = (1 + 3 * problem.dataset.ratio * problem.epsilon) * 1e3 / problem.dataset.norm_minus
    assert margin.value == pytest.approx(min(1 - t3 / limit, (t3 - t2) / limit), abs=1e-9)


def test_time_fails_where_the_neuron_starts_too_small():
    """‖g‖ = 10^-40 delays phase 3 by 92 beside Λ = 1000, more than 3rε allows at ε = 0.01."""
    start = Initialisation([[1.0, 0.0], [0.0, 1e-40]], [1, -1], 1000.0)
    problem = Problem(Dataset.standard([2.0, -1.0]), start, "0.01")
    margin = time(Evidence(problem))
    t = third_time(problem)
    assert margin.value == pytest.approx(1 - t / bound(problem), abs=1e-9)
    assert margin.verdict is Verdict.FAILS


def test_claims_fail_by_what_the_fit_misses_when_the_phase_does_not_end():
    """n‖D₋‖ − u₋ at rest, from the norms as they stand; the time is an upper bound."""
    found = Evidence(without_third())
    assert found.second_exit.condition == "fit" and found.third_exit.condition is None
    state, data = found.trajectory.at(found.trajectory.t_end), found.problem.dataset
    gap = data.n * data.norm_minus - float(np.exp(2 * state.log_norms[found.key(-1)]).sum())
    for measure in (exit, lambda e: close(e, True), lambda e: close(e, False)):
        margin = measure(found)
        assert margin.value == pytest.approx(-found.kappa / 29 - math.log(gap), rel=0, abs=margin.uncertainty)
        assert (margin.scale, margin.verdict) == ("nats", Verdict.FAILS)
        assert margin.note.startswith("t₃ is not reached")
    limit = (1 + 3 * data.ratio * found.problem.epsilon) * 0.3 / data.norm_minus
    assert time(found).value == pytest.approx(1 - float(found.trajectory.t_end) / limit, rel=1e-12)
    assert time(found).verdict is Verdict.FAILS


@pytest.mark.parametrize("measure", [exit, still, lambda e: close(e, True)])
def test_claims_fail_by_what_phase_two_misses_when_that_does_not_end(measure):
    margin = measure(unfitted_evidence())
    assert margin.value == pytest.approx(level_at_rest(unfitted_evidence()), rel=0, abs=margin.uncertainty)
    assert margin.verdict is Verdict.FAILS
    assert margin.note.startswith("t₂ is not reached")


@pytest.mark.parametrize("y", [(10.5, -10.0), (4.0, -3.9)])
def test_order_fails_by_the_share_in_which_the_phase_ends_too_early(y):
    """Phase 3 is over as it begins: ‖D₊ᵗ‖ is still r₀/2 at t₂, beside λ^(ε/14)."""
    start = Initialisation([[0.005, 0.0], [0.0, 0.01]], [1, -1], 5.0)
    found = Evidence(Problem(Dataset.standard(list(y)), start))
    margin = time(found)
    residual = decoupled_state(found.problem, found.second_exit.t)[1][0]
    expected = math.exp(-found.kappa / 14) / (residual / 2) - 1
    assert "at once" in margin.note and -1 < expected < 0
    assert margin.value == pytest.approx(expected, rel=0, abs=margin.uncertainty + 1e-12)
    assert margin.verdict is Verdict.FAILS
    assert 0 < margin.uncertainty < 1e-9


@pytest.mark.parametrize("minus_log_lambda", SCALES)
def test_exit_margin_is_the_distance_of_the_next_condition(minus_log_lambda):
    """Only ‖D₊ᵗ‖ ≥ λ^(ε/14) could end it: −κ/14 − ln(r₀/n) at t₃, with r₀ long below every float."""
    found = evidence(minus_log_lambda)
    problem, margin = found.problem, exit(found)
    expected = -problem.kappa / 14 - (log_residuals(problem, third_time(problem))[0] - math.log(2))
    assert margin.value == pytest.approx(expected, rel=1e-9, abs=margin.uncertainty)
    assert margin.verdict is Verdict.HOLDS


def test_exit_fails_by_what_the_fit_still_misses():
    """Phase 2 was ended by a norm, with ‖D₊ᵗ‖ still far above λ^(ε/14): phase 3 is over before it has begun."""
    start = Initialisation([[0.005, 0.0], [0.0, 0.01]], [1, -1], 5.0)
    problem = Problem(Dataset.standard([10.5, -10.0]), start)
    found = Evidence(problem)
    margin = exit(found)
    assert margin.note == "ended by unfit"
    gap = math.log(-decoupled_state(problem, found.third_exit.t)[1][1])
    assert found.third_exit.t == found.second_exit.t
    assert margin.value == pytest.approx(-problem.kappa / 29 - gap, abs=1e-9)
    assert margin.verdict is Verdict.FAILS


@pytest.mark.parametrize("minus_log_lambda", SCALES)
def test_neurons_on_their_axes_are_aligned_without_end(minus_log_lambda):
    margin = align(evidence(minus_log_lambda))
    assert isinstance(margin, Margin)
    assert (margin.value, margin.verdict) == (math.inf, Verdict.HOLDS)


@pytest.mark.parametrize("seed", range(4))
def test_alignment_is_at_least_that_of_the_linearised_flow_at_the_start(seed):
    """The window begins at t₋₁, where the linearised flow is exact; in between outputs only turn neurons further in."""
    found = drawn(seed, 300.0)
    problem, margin = found.problem, align(found)
    neuron, exact = linear_tilt(problem, -1, found.time_one)
    assert isinstance(margin, Margin)
    if exact == -math.inf:
        assert margin.value == math.inf
        return
    expected = -problem.kappa / 14 - exact - math.log(problem.dataset.norm_minus)
    assert (margin.neuron, margin.t) == (neuron, found.time_one)
    assert margin.value == pytest.approx(expected, rel=0, abs=margin.uncertainty)


@pytest.mark.parametrize("minus_log_lambda", SCALES)
def test_still_is_the_path_of_a_straight_line(minus_log_lambda):
    """‖w_0(t₂) − w_0(t₃)‖ = sqrt(2) − |a_0(t₂)|."""
    found = evidence(minus_log_lambda)
    problem, margin = found.problem, still(found)
    path = log_missing(problem, 0, second_time(problem))
    assert margin.neuron == 0
    assert margin.quantity_log == pytest.approx(path, rel=0, abs=margin.uncertainty + ROUNDING * margin.t)
    assert margin.value == pytest.approx(-problem.kappa / 15 - margin.quantity_log, rel=1e-12)
    assert margin.exponent == pytest.approx(1 / 5, abs=3 / problem.kappa)


@pytest.mark.parametrize("seed", range(4))
def test_still_is_the_displacement(seed):
    """From the hidden weights as they stand, at a moderate Λ."""
    found = drawn(seed, 1.0, n=2, m=8, d=2)
    margin = still(found)
    start, end = found.window(found.second_exit.t, found.third_exit.t)
    moved = found.trajectory.at(start).parameters().w - found.trajectory.at(end).parameters().w
    displaced = np.linalg.norm(moved, axis=1)[found.key(1)].max()
    assert math.exp(margin.quantity_log) == pytest.approx(displaced, rel=margin.uncertainty, abs=1e-14)


@pytest.mark.parametrize("minus_log_lambda", SCALES)
def test_fitted_is_worst_at_the_start(minus_log_lambda):
    """n‖D₊ᵗ‖ = r₀ = λ^(ε/5) at t₂ by definition: the margin is κ(1/5 − 1/14) + ln 2."""
    found = evidence(minus_log_lambda)
    margin = fitted(found)
    assert isinstance(margin, Margin)
    assert margin.t == pytest.approx(second_time(found.problem), rel=1e-11)
    expected = found.kappa * (1 / 5 - 1 / 14) + math.log(2)
    assert margin.value == pytest.approx(expected, rel=0, abs=margin.uncertainty + ROUNDING * margin.t)
    assert margin.uncertainty < 1e-3


def test_fitted_bounds_the_reference():
    """‖D₊ᵗ‖ of 35 digits at every recorded time of phase 3."""
    problem, states, _ = reference("R3")
    found = Evidence(problem)
    margin = fitted(found)
    assert isinstance(margin, Margin)
    data, flip = found.problem.dataset, -1 if found.flipped else 1
    inside = [state for state in states if found.second_exit.t <= state.t <= found.third_exit.t]
    assert inside
    for state in inside:
        size = np.linalg.norm(flip * state.residual[data.positive]) / data.n
        assert size <= math.exp(margin.quantity_log) * (1 + 1e-9)


def test_bounds_that_cannot_fail_are_vacuous():
    """λ^(ε/14) ≥ ‖D₊‖ for fitted, ≥ ‖D₋‖ for align; nobody idle for idle."""
    problem = decoupled(100.0, (0.2, -0.1))
    assert isinstance(fitted(Evidence(problem)), Vacuous)
    assert isinstance(align(Evidence(problem)), Vacuous)
    assert isinstance(idle(evidence(1e3)), Vacuous)


@pytest.mark.parametrize("seed", range(4))
def test_idle_is_the_largest_norm_of_neurons_in_no_key_set(seed):
    """On a grid of 200 times no idle neuron is larger than the quantity, and one comes near."""
    found = drawn(seed, 2.0)
    margin = idle(found)
    if isinstance(margin, Vacuous):
        assert (found.key(1) | found.key(-1)).all()
        return
    rest = ~(found.key(1) | found.key(-1))
    start, end = found.window(0.0, found.third_exit.t)
    logs = [found.trajectory.at(float(t)).log_norms[rest].max() for t in np.linspace(start, end, 200)]
    assert max(logs) <= margin.quantity_log + 1e-12
    assert max(logs) >= margin.quantity_log - 0.5
    limit = math.log(3 * found.problem.initialisation.c) - found.kappa
    assert margin.value == pytest.approx(limit - margin.quantity_log, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("minus_log_lambda", SCALES[1:])
@pytest.mark.parametrize("y", [(2.0, -1.0), FAINT_LABEL])
def test_close_in_closed_form(minus_log_lambda, y):
    """‖θ(t₃) − θ*‖: λ^(ε/29)/sqrt(2|y₁|) from the negative neuron, next to nothing from the positive one."""
    found = evidence(minus_log_lambda, y)
    problem, t = found.problem, third_time(found.problem)
    exact = log_distance(problem, t)
    for corrected in (False, True):
        margin = close(found, corrected)
        constant = math.log(2 / math.sqrt(2 * abs(y[1]))) if corrected else 0.0
        allowed = margin.uncertainty + ROUNDING * t
        assert margin.t == pytest.approx(t, rel=1e-11)
        assert margin.quantity_log == pytest.approx(exact, rel=0, abs=allowed)
        assert margin.value == pytest.approx(constant - problem.kappa / 29 - exact, rel=0, abs=allowed)
        assert margin.uncertainty < 1e-3


def test_the_printed_constant_fails_with_a_faint_label():
    """E4: 2n‖D₋‖ = 0.2, so that the distance is 2.2 λ^(ε/29) however small λ; the corrected constant is twice that."""
    problem = in_regime(decoupled(10.0, FAINT_LABEL))
    frame = check(problem, ["L4.close", "L4.close.corrected", "L4.exit"])
    assert frame["verdict"].tolist() == ["FAILS", "HOLDS", "HOLDS"]
    assert frame["margin"].iloc[0] == pytest.approx(math.log(math.sqrt(0.2)), abs=1e-3)
    assert frame["margin"].iloc[1] == pytest.approx(math.log(2), abs=1e-3)


def test_the_printed_constant_holds_with_a_strong_label():
    frame = check(in_regime(small()), ["L4.close"])
    assert frame["verdict"].tolist() == ["HOLDS"]
    assert frame["margin"].iloc[0] == pytest.approx(math.log(math.sqrt(2)), abs=1e-3)


@pytest.mark.parametrize("seed", range(3))
def test_close_is_the_euclidean_distance(seed):
    found = drawn(seed, 60.0)
    margin = close(found, corrected=False)
    plain = found.trajectory.at(found.third_exit.t).parameters().distance(selected_interpolator(found.problem))
    assert math.exp(margin.quantity_log) == pytest.approx(plain, rel=1e-9)


@pytest.mark.parametrize("name", ["small", "R3"])
def test_all_hold_in_the_regime(name):
    found = Evidence(in_regime(small() if name == "small" else reference(name)[0]))
    margins = [measure(found) for measure in ALL]
    assert all(isinstance(m, Vacuous) or m.verdict is Verdict.HOLDS for m in margins)
    assert sum(isinstance(m, Margin) for m in margins) >= 5
