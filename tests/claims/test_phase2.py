"""The turn of phase 2: t_u and t₂ in closed form, and what a margin says when the tilt comes first."""

import math

import numpy as np
import pytest

from tests.claims.oracles import SCALES, evidence, second_time, unfitted_evidence
from tests.problems import decoupled, decoupled_state, decoupled_time
from verify.claim import Verdict
from verify.claims.phase2 import turn
from verify.dataset import Dataset
from verify.evidence import Evidence
from verify.initialisation import Initialisation
from verify.phases import Exit
from verify.problem import Problem


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
    size = 2 * decoupled_state(problem, t)[0][0] - math.log(2 / 7)
    assert margin.value == pytest.approx(math.expm1(size), rel=1e-9)
    assert margin.verdict is Verdict.FAILS


def test_turn_is_an_upper_bound_when_phase_two_does_not_end():
    """u₊ reaches a seventh of n‖D₊‖ all the same; t₂ is later than all of the trajectory."""
    found = unfitted_evidence()
    problem, margin = found.problem, turn(found)
    assert found.turn_exit.condition == "size"
    bound = problem.kappa / 5 / problem.dataset.norm_plus
    last = float(found.trajectory.t_end)
    assert margin.value == pytest.approx(1 - (last - found.turn_exit.t) / bound, rel=1e-9)
    assert margin.verdict is Verdict.FAILS


def test_turn_fails_by_what_the_size_misses_when_there_is_no_turn():
    """Neuron 0 is next to nothing beside neuron 1, which takes its label: u₊ stays below a seventh of n‖D₊‖."""
    start = Initialisation([[0.01, 0.01, -1.0], [2.0, -1.0, -1.0], [-1.0, -1.0, 1.0]], [1, 1, -1], 3.0)
    found = Evidence(Problem(Dataset.standard([2.0, 0.05, -1.0]), start))
    margin, data = turn(found), found.problem.dataset
    assert found.turn_exit.condition is None
    ends = (found.time_plus, float(found.trajectory.t_end))
    largest = max(float(np.exp(2 * found.trajectory.at(t).log_norms[0])) for t in np.linspace(*ends, 400))
    share = largest / (data.n * data.norm_plus / 7) - 1
    assert share - 1e-9 <= margin.value <= share + 1e-3
    assert (margin.scale, margin.verdict) == ("relative", Verdict.FAILS)
