"""The turn of phase 2: t_u and t₂ in closed form, and what a margin says when the tilt comes first."""

import math

import pytest

from tests.claims.oracles import SCALES, evidence, second_time
from tests.problems import decoupled, decoupled_state, decoupled_time, small
from verify.claim import Verdict
from verify.claims.phase2 import turn
from verify.evidence import Evidence
from verify.flow.simulate import simulate
from verify.phases import Exit


@pytest.mark.parametrize("minus_log_lambda", SCALES)
def test_turn_of_the_decoupled_problem(minus_log_lambda):
    """u₊ goes from n‖D₊‖/7 to n‖D₊‖ − λ^(ε/5) in (ln 12 + κ/5)/2 or so, beside κ/5: one half is left for small λ."""
    found = evidence(minus_log_lambda)
    problem, margin = found.problem, turn(found)
    began = decoupled_time(problem, 0, math.log(6 / 7))
    took = second_time(problem) - began
    bound = problem.kappa / 5 / problem.dataset.norm_plus
    assert margin.t == pytest.approx(began, rel=1e-12)
    assert margin.value == pytest.approx(1 - took / bound, rel=0, abs=margin.uncertainty)
    assert margin.value == pytest.approx(0.5 - 2.5 * math.log(12) / problem.kappa, abs=1e-9)
    assert margin.verdict is Verdict.HOLDS
    assert margin.uncertainty < 1e-4


@pytest.mark.parametrize("minus_log_lambda", [20.0, 50.0])
def test_turn_fails_while_lambda_is_not_small(minus_log_lambda):
    """κ/5 < (ln 12 + κ/5)/2 below κ = 12.4."""
    found = Evidence(decoupled(minus_log_lambda))
    assert found.kappa < 12.4
    assert turn(found).verdict is Verdict.FAILS


def test_a_tilt_before_the_turn_fails_by_what_the_size_misses():
    """Angles only fall after t₊₁, so no problem is known where this happens; the exit is put in by hand."""
    found = evidence(1e3)
    problem, t = found.problem, found.time_plus + 1.0
    tilted = Evidence(problem)
    tilted.__dict__["turn_exit"] = Exit(t, "tilt", 1.0)
    margin = turn(tilted)
    assert (margin.note, margin.t) == ("the tilt comes first", t)
    assert margin.value == pytest.approx(2 * decoupled_state(problem, t)[0][0] - math.log(2 / 7), rel=1e-9)
    assert margin.verdict is Verdict.FAILS


def test_turn_fails_when_the_phase_does_not_end():
    found = Evidence(small(1000.0))
    found.__dict__["trajectory"] = simulate(small(1000.0), until=300.0)
    assert (turn(found).value, turn(found).verdict) == (-math.inf, Verdict.FAILS)
