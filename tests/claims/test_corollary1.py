"""Corollary 1: distance to the saddle in closed form and directly, the fitted exponent, and strictness."""

import math

import numpy as np
import pytest

import verify.claims.corollary1
from tests.claims.oracles import SCALES, drawn, evidence, log_distance, second_time, unfitted_evidence
from tests.problems import decoupled, reference, small
from verify.claim import Margin, Verdict
from verify.claims.corollary1 import SWEEP, TOLERANCE, exponent, saddle, strict
from verify.claims.lemma3 import exit
from verify.dataset import Dataset
from verify.evidence import Evidence
from verify.initialisation import Initialisation
from verify.limits import saddle as saddle_point
from verify.problem import Problem


@pytest.mark.parametrize("minus_log_lambda", SCALES)
def test_distance_of_the_decoupled_problem(minus_log_lambda):
    """λ^(ε/5)/sqrt(2n‖D₊‖) to leading order, so that the constant 2 leaves ln 2."""
    found = evidence(minus_log_lambda)
    problem, t, margin = found.problem, second_time(found.problem), saddle(found)
    exact = log_distance(problem, t, at_rest=(0,))
    bound = math.log(2 / math.sqrt(2 * 2.0)) - problem.kappa / 5
    allowed = margin.uncertainty + 1e-14 * t
    assert margin.t == pytest.approx(t, rel=1e-11)
    assert margin.quantity_log == pytest.approx(exact, rel=0, abs=allowed)
    assert margin.value == pytest.approx(bound - exact, rel=0, abs=allowed)
    assert margin.value == pytest.approx(math.log(2), abs=1e-6 + allowed)
    assert margin.exponent == pytest.approx(1 / 5, abs=2 / problem.kappa)
    assert margin.uncertainty < 1e-3
    assert margin.verdict is Verdict.HOLDS


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kappa", [20.0, 60.0])
def test_distance_is_the_euclidean_one(seed, kappa):
    found = drawn(seed, kappa)
    margin = saddle(found)
    plain = found.trajectory.at(found.second_exit.t).parameters().distance(saddle_point(found.problem))
    assert math.exp(margin.quantity_log) == pytest.approx(plain, rel=1e-9, abs=found.error)


@pytest.mark.parametrize("name", ["small", "R2", "R3"])
def test_exponent_is_a_fifth(name):
    """ln(distance) = −κ/5 + const up to λ^(ε/5) itself, e^-6 at the smallest κ of the sweep."""
    problem = small() if name == "small" else reference(name)[0]
    margin = exponent(Evidence(problem))
    assert isinstance(margin, Margin)
    assert margin.exponent == pytest.approx(0.2, abs=1e-4)
    assert margin.value == pytest.approx(0.05 - abs(margin.exponent - 0.2), abs=1e-12)
    assert margin.uncertainty < 1e-3
    assert margin.verdict is Verdict.HOLDS


def test_exponent_is_that_of_the_closed_form():
    """Over the three largest scales, which leave no doubt."""
    problem, sweep = decoupled(10.0), SWEEP[1:]
    scales = sweep / problem.epsilon
    logs = [log_distance(problem.at_scale(s), second_time(problem.at_scale(s)), at_rest=(0,)) for s in scales]
    slope = np.polyfit(sweep, logs, 1)[0]
    margin = exponent(Evidence(problem))
    assert margin.exponent == pytest.approx(-slope, abs=1e-9)


def test_exponent_does_not_depend_on_the_problems_own_scale():
    values = [exponent(Evidence(small(scale))).exponent for scale in (10.0, 1e6)]
    assert values[0] == values[1]


@pytest.mark.parametrize("size", [1e-9, 1e-30])
def test_exponent_is_a_fifth_for_tiny_labels_too(size):
    """Found by a hunt: labels below λ^(ε/5) counted as fitted from the start, and p came out as 0."""
    start = Initialisation(
        [[-3.4375, 2.6875], [0.4375, 3.6875], [-3.0625, 3.4375], [2.0625, 2.875]], [1, -1, -1, -1], 950
    )
    margin = exponent(Evidence(Problem(Dataset.standard([-2.96329 * size, 5.35614 * size]), start)))
    assert margin.verdict == Verdict.HOLDS and margin.exponent == pytest.approx(0.2, abs=1e-3)


def test_exponent_is_unresolved_where_the_sweep_is_not(monkeypatch):
    """Two scales are too few for a slope with an error bar."""
    monkeypatch.setattr(verify.claims.corollary1, "SWEEP", SWEEP[:2])
    margin = exponent(Evidence(small()))
    assert margin.verdict is Verdict.UNRESOLVED
    assert "fewer than three" in margin.note


def test_saddle_fails_when_the_phase_does_not_end():
    """By what the fit still misses at rest, as L3.exit measures it."""
    found = unfitted_evidence()
    assert saddle(found) == exit(found)
    assert saddle(found).verdict is Verdict.FAILS


@pytest.mark.parametrize("seed", range(4))
def test_the_saddle_is_strict(seed):
    margin = strict(drawn(seed, 60.0))
    assert margin.value > 1 - 1e-3
    assert margin.verdict is Verdict.HOLDS


@pytest.mark.parametrize(("deviation", "verdict"), [(2e-6, Verdict.FAILS), (0.5e-6, Verdict.HOLDS)])
def test_strict_fails_for_a_point_that_is_none(monkeypatch, deviation, verdict):
    monkeypatch.setattr(verify.claims.corollary1, "saddle_curvature", lambda problem, sizes: (deviation, 1e-15))
    margin = strict(evidence(1e3))
    assert margin.value == pytest.approx(1 - deviation / TOLERANCE)
    assert margin.uncertainty == pytest.approx(1e-15 / TOLERANCE, rel=1e-5)
    assert margin.verdict is verdict
