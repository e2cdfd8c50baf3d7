"""Hypotheses: each says why it fails, and None where it holds."""

import pytest

from tests.problems import small
from verify.dataset import Dataset
from verify.evidence import Evidence
from verify.hypotheses import TRAJECTORY, balanced, minus_neurons, negative_labels, plus_neurons, small_scale
from verify.initialisation import Initialisation
from verify.problem import Problem


def evidence(y=(2.0, -1.0), g=((1.0, 0.5), (0.5, 1.0)), s=(1, -1), minus_log_lambda=10.0, output_scale=None):
    return Evidence(Problem(Dataset.standard(list(y)), Initialisation(g, s, minus_log_lambda, output_scale)))


ALL = (small_scale, balanced, plus_neurons, minus_neurons, negative_labels)


def test_all_hold_on_an_ordinary_problem():
    for ordinary in (evidence(), Evidence(small())):
        assert [hypothesis(ordinary) for hypothesis in ALL] == [None] * 5


@pytest.mark.parametrize("minus_log_lambda", [0.0, -3.0])
def test_lambda_must_be_below_one(minus_log_lambda):
    assert "not below 1" in small_scale(evidence(minus_log_lambda=minus_log_lambda))
    assert small_scale(evidence(minus_log_lambda=1e-9)) is None


def test_balance():
    unbalanced = evidence(g=[[3.0, 4.0], [0.0, 1.0]], output_scale=[5.0, 2.0])
    assert balanced(unbalanced) == "the initialisation is not balanced"


def test_empty_key_sets():
    assert plus_neurons(evidence(g=[[-1.0, 0.5], [0.5, 1.0]])) == "S₊₁ is empty (Assumption 3)"
    assert plus_neurons(evidence(s=[-1, -1])) == "S₊₁ is empty (Assumption 3)"
    assert minus_neurons(evidence(g=[[1.0, 0.5], [0.5, -1.0]])) == "S₋₁ is empty (Assumption 3)"
    assert minus_neurons(evidence(s=[1, 1])) == "S₋₁ is empty (Assumption 3)"


def test_a_key_neuron_that_starts_at_zero_on_its_own_label():
    """Its solution is not unique; a zero on a label of the other sign is harmless."""
    assert "positive label" in plus_neurons(evidence(g=[[0.0, 0.5], [0.5, 1.0]]))
    assert "negative label" in minus_neurons(evidence(g=[[1.0, 0.5], [0.5, 0.0]]))
    assert plus_neurons(evidence(g=[[1.0, 0.0], [0.5, 1.0]])) is None
    assert minus_neurons(evidence(g=[[1.0, 0.5], [0.0, 1.0]])) is None


def test_one_sided_labels():
    positive = evidence(y=(2.0, 1.0), g=[[1.0, 0.5]], s=[1])
    negative = evidence(y=(-2.0, -1.0), g=[[1.0, 0.5]], s=[-1])
    for one_sided in (positive, negative):
        assert negative_labels(one_sided) == minus_neurons(one_sided) == "no label is negative: D₋ = 0"
        assert plus_neurons(one_sided) is None


def test_hypotheses_speak_of_the_oriented_problem():
    flipped = evidence(y=(1.0, -2.0), g=[[1.0, -0.5], [0.5, 1.0]], s=[1, -1])
    assert flipped.flipped
    assert plus_neurons(flipped) is None
    assert minus_neurons(flipped) is None
    lacking = evidence(y=(1.0, -2.0), g=[[1.0, -0.5], [0.5, -1.0]], s=[1, -1])
    assert plus_neurons(lacking) == "S₊₁ is empty (Assumption 3)"


def test_what_statements_about_phases_assume():
    assert list(TRAJECTORY) == [small_scale, balanced]
