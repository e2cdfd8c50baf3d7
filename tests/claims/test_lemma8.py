"""Lemma 8: its claims are those of Lemma 7 for S₋₁, at the later time t₋₁ and with the exponent 1 − rε."""

import math

import numpy as np
import pytest

from tests.claims.oracles import drawn, evidence, linear_last_death, linear_tilt
from verify.claim import Margin, Vacuous
from verify.claims import lemma7
from verify.claims.lemma8 import CLAIMS
from verify.dataset import Dataset
from verify.evidence import Evidence
from verify.initialisation import Initialisation
from verify.precision import measure
from verify.problem import Problem

BY_ID = {claim.id: claim for claim in CLAIMS}


def mirrored(problem: Problem) -> Problem:
    """Labels and signs negated, given as such: the harness flips it back, so that S₋₁ here is S₋₁ there."""
    data = Dataset.standard(-problem.dataset.y, d=problem.dataset.d)
    return Problem(data, problem.initialisation.flipped(), problem.exact_epsilon)


@pytest.mark.parametrize("seed", range(3))
def test_claims_look_at_the_negative_side(seed):
    found = drawn(seed, 50.0)
    problem = found.problem
    aligned = measure(BY_ID["L8.align"], found)
    neuron, exact = linear_tilt(problem, -1, problem.kappa / problem.dataset.norm_minus)
    assert isinstance(aligned, Margin)
    assert problem.key_minus[aligned.neuron]
    assert aligned.t == problem.kappa / problem.dataset.norm_minus
    if exact > -math.inf:
        assert aligned.neuron == neuron
        assert aligned.value == pytest.approx(math.log(2) - problem.kappa - exact, rel=0, abs=aligned.uncertainty)
    corrected = measure(BY_ID["L8.dead.corrected"], found)
    assert corrected.value == pytest.approx(1 - linear_last_death(problem, -1) / aligned.t, abs=1e-9)


@pytest.mark.parametrize("name", BY_ID)
def test_a_flipped_problem_has_the_same_margins(name):
    """Given with ‖D₊‖ < ‖D₋‖, a problem is flipped back, and margins are those of its twin."""
    found = drawn(0, 50.0)
    other = Evidence(mirrored(found.problem))
    assert other.flipped and other.problem.dataset.y == pytest.approx(found.problem.dataset.y)
    one, two = measure(BY_ID[name], found), measure(BY_ID[name], other)
    assert isinstance(one, Margin) and isinstance(two, Margin)
    assert two.value == pytest.approx(one.value, rel=1e-9, abs=one.uncertainty + 1e-12)
    assert (one.neuron, one.label) == (two.neuron, two.label)


def test_the_norm_exponent_is_that_of_the_slower_time():
    """2cλ^(1−rε) at t₋₁ on a decoupled problem: neuron 0 has grown by rκ from c/2."""
    found = evidence(1e4)
    margin = measure(BY_ID["L8.norm"], found)
    assert margin.claimed_exponent == pytest.approx(1 / found.problem.epsilon - 2.0)
    assert margin.value == pytest.approx(math.log(4), rel=0, abs=margin.uncertainty)
    assert measure(lemma7.CLAIMS[0], found).value > margin.value - 1e-9


def test_without_negative_labels_there_is_nothing_to_check():
    start = Initialisation(np.eye(2), [1, -1], 100.0)
    found = Evidence(Problem(Dataset.standard([2.0, 1.0]), start))
    assert all(isinstance(measure(claim, found), Vacuous) for claim in CLAIMS)


def test_without_key_neurons_only_the_norm_is_checked():
    start = Initialisation([[1.0, 0.0], [1.0, -1.0]], [1, -1], 100.0)
    found = Evidence(Problem(Dataset.standard([2.0, -1.0]), start))
    kinds = {claim.id: type(measure(claim, found)) for claim in CLAIMS}
    assert kinds == {"L8.norm": Margin, "L8.align": Vacuous, "L8.dead": Vacuous, "L8.dead.corrected": Vacuous}
