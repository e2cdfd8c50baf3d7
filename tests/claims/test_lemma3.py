"""Lemma 3: margins of the end of phase 2 against closed forms, and problems on which each of them fails."""

import math
from functools import partial

import mpmath as mp
import numpy as np
import pytest

from tests.claims.oracles import level_at_rest, unfitted_evidence
from tests.linearised import digits_for, linear_neuron, misalignment
from tests.problems import decoupled, decoupled_state, decoupled_time, reference, small
from verify.claim import Margin, Vacuous, Verdict
from verify.claims.lemma3 import align, exit, loss, time
from verify.dataset import Dataset
from verify.evidence import Evidence
from verify.families import draw_problem
from verify.flow.simulate import simulate
from verify.initialisation import Initialisation
from verify.phases import time_plus
from verify.problem import Problem


def bound(problem):
    return (1 + 3 * problem.epsilon) * problem.initialisation.minus_log_lambda / problem.dataset.norm_plus


def early_norm():
    """The negative neuron reaches 2cλ^ε before the positive label is fitted."""
    return Problem(Dataset.standard([1.05, -1.0]), Initialisation([[0.005, 0.0], [0.0, 0.01]], [1, -1], 5.0))


@pytest.mark.parametrize("minus_log_lambda", [10.0, 100.0, 1e3, 1e4])
def test_time_of_the_decoupled_problem(minus_log_lambda):
    """t₂ = (Λ + κ/10 + ln …)n/y₊ in closed form; the slack tends to 1 − (1 + ε/10)/(1 + 3ε)."""
    problem = decoupled(minus_log_lambda)
    margin = time(Evidence(problem))
    t = decoupled_time(problem, 0, -problem.kappa / 5 - math.log(2.0))
    assert margin.t == pytest.approx(t, rel=1e-12)
    assert margin.value == pytest.approx(1 - t / bound(problem), rel=0, abs=margin.uncertainty)
    assert margin.uncertainty < 1e-9
    assert (margin.scale, margin.note) == ("relative", "ended by fit")
    limit = 1 - (1 + problem.epsilon / 10) / (1 + 3 * problem.epsilon)
    assert margin.value == pytest.approx(limit, abs=3 / minus_log_lambda)


@pytest.mark.parametrize("seed", range(4))
def test_time_does_not_scale_with_the_labels_unit(seed):
    """Labels times u², directions times u: the same network in other units, with time divided by u²."""
    problem = draw_problem(np.random.default_rng(seed), inputs="standard", n=3, m=6, kappa=50.0)
    start, unit = problem.initialisation, 4.0
    larger = Initialisation(unit * start.directions, start.signs, start.minus_log_lambda)
    scaled = Problem(Dataset.standard(unit**2 * problem.dataset.y), larger, problem.epsilon)
    here, there = time(Evidence(problem)), time(Evidence(scaled))
    # λ^(ε/5) does not scale: the gap is unit² times smaller beside the label, which takes longer by ln(unit²)/(2‖D₊‖).
    later = math.log(unit**2) / (2 * problem.dataset.norm_plus)
    assert unit**2 * there.t == pytest.approx(here.t + later, rel=1e-6)


def test_time_fails_where_the_neuron_starts_too_small():
    """‖g‖ = 10^-30 delays phase 2 by 69 in Λ = 100, more than 3ε allows."""
    start = Initialisation([[1e-30, 0.0], [0.0, 1.0]], [1, -1], 100.0)
    problem = Problem(Dataset.standard([2.0, -0.1]), start)
    margin = time(Evidence(problem))
    t = decoupled_time(problem, 0, -problem.kappa / 5 - math.log(2.0))
    assert margin.note == "ended by fit"
    assert margin.value == pytest.approx(1 - t / bound(problem), abs=1e-9)
    assert margin.verdict is Verdict.FAILS


def test_time_is_an_upper_bound_when_the_phase_does_not_end():
    """t₂ is later than all of the trajectory, which reaches past the bound."""
    found = unfitted_evidence()
    margin, last = time(found), float(found.trajectory.t_end)
    assert margin.value == pytest.approx(1 - last / bound(found.problem), rel=1e-12)
    assert (margin.verdict, margin.t) == (Verdict.FAILS, last)
    assert margin.note.startswith("t₂ is not reached by t = ") and "fit misses by" in margin.note


@pytest.mark.parametrize("claim", [exit, partial(loss, exponent=0.2), partial(loss, exponent=0.4)])
def test_exit_and_loss_fail_by_what_the_fit_misses_at_rest(claim):
    margin = claim(unfitted_evidence())
    assert margin.value == pytest.approx(level_at_rest(unfitted_evidence()), rel=0, abs=margin.uncertainty)
    assert (margin.scale, margin.verdict) == ("nats", Verdict.FAILS)
    assert 0 < margin.uncertainty < 1e-11


def test_a_trajectory_that_stops_before_the_bound_decides_no_time():
    problem = small(1000.0)
    evidence = Evidence(problem)
    evidence.__dict__["trajectory"] = simulate(problem, until=300.0)
    assert time(evidence).verdict is Verdict.UNRESOLVED
    assert "stops before the bound" in time(evidence).note


@pytest.mark.parametrize("minus_log_lambda", [10.0, 100.0, 1e3, 1e4])
def test_exit_margin_is_the_distance_of_the_next_condition(minus_log_lambda):
    """Only the norm of neuron 1 could come first: ln(2cλ^ε) − ln|a_1| at t₂."""
    problem = decoupled(minus_log_lambda)
    margin = exit(Evidence(problem))
    t = decoupled_time(problem, 0, -problem.kappa / 5 - math.log(2.0))
    expected = math.log(4.0) - problem.kappa - decoupled_state(problem, t)[0][1]
    assert margin.value == pytest.approx(expected, rel=0, abs=margin.uncertainty)
    assert margin.uncertainty < 1e-5 * (1 + margin.value)
    assert (margin.scale, margin.note, margin.verdict) == ("nats", "ended by fit", Verdict.HOLDS)


def test_exit_fails_by_what_the_fit_still_misses():
    problem = early_norm()
    margin = exit(Evidence(problem))
    t = decoupled_time(problem, 1, math.log1p(-((0.02 * math.exp(-problem.kappa)) ** 2)))
    gap = math.log(decoupled_state(problem, t)[1][0])
    assert margin.value == pytest.approx(-problem.kappa / 5 - gap, abs=1e-9)
    assert margin.value < 0 and margin.verdict is Verdict.FAILS
    assert margin.note == "ended by norm"
    assert time(Evidence(problem)).note == "ended by norm"


@pytest.mark.parametrize("name", ["R3", "drawn 0", "drawn 1", "drawn 2"])
def test_alignment_is_worst_at_the_start_of_the_window(name):
    """Before the residual moves the angles only fall, so the worst is that of the linearised flow at t₊₁."""
    if name == "R3":
        problem = reference("R3")[0]
    else:
        rng = np.random.default_rng(int(name[-1]))
        problem = draw_problem(rng, inputs="standard", labels="rational", n=4, m=7, d=5, kappa=300.0)
    margin = align(Evidence(problem))
    t = time_plus(problem)
    with mp.workdps(digits_for(problem, t)):
        key = np.flatnonzero(problem.key_plus)
        tilts = {int(j): misalignment(problem, linear_neuron(problem, j, t), 1) for j in key}
        worst = max(tilts, key=lambda j: tilts[j])
        exact = float(mp.log(tilts[worst])) if tilts[worst] > 0 else -math.inf
    assert isinstance(margin, Margin)
    if exact == -math.inf:
        assert margin.value == math.inf
        return
    assert (margin.neuron, margin.t) == (worst, t)
    expected = -problem.kappa / 2 - exact - math.log(problem.dataset.norm_plus)
    assert margin.value == pytest.approx(expected, rel=0, abs=margin.uncertainty)
    assert margin.claimed_exponent == 0.5
    assert margin.exponent == pytest.approx(-(exact + math.log(problem.dataset.norm_plus)) / problem.kappa, rel=1e-9)


def test_alignment_fails_where_neurons_are_not_aligned_yet():
    """A small κ leaves neurons unaligned at t₊₁."""
    start = Initialisation([[1.0, 1e-9, 0.0], [0.0, 0.0, 1.0]], [1, -1], 5.0)
    problem = Problem(Dataset.standard([20.0, 20.0, -19.0]), start)
    margin = align(Evidence(problem))
    assert isinstance(margin, Margin)
    assert margin.verdict is Verdict.FAILS
    assert (margin.neuron, margin.t) == (0, time_plus(problem))


def test_alignment_is_vacuous_where_the_bound_reaches_the_target():
    """λ^(ε/2) ≥ ‖D₊‖ = 1 means κ ≤ 0; with labels ten times smaller κ ≤ 2 ln 10."""
    start = small().initialisation
    tenth = Dataset.standard([0.2, -0.1], d=3)
    for kappa, kind in ((4.60, Vacuous), (4.61, Margin)):
        problem = Problem(tenth, Initialisation(start.directions, start.signs, kappa / 0.1), "0.1")
        assert isinstance(align(Evidence(problem)), kind)
