"""Lemma 1: what the margins measure, on trajectories that obey it and on states made to break it."""

import math
from dataclasses import replace

import numpy as np
import pytest

from tests.claims.oracles import spoil
from tests.problems import REFERENCES, reference, small
from verify.claim import Margin, Vacuous, Verdict
from verify.claims.lemma1 import TOLERANCE, conserved, sign
from verify.dataset import Dataset
from verify.evidence import Evidence
from verify.initialisation import Initialisation
from verify.problem import Problem


def scaled(output_scale, minus_log_lambda=100.0):
    start = small().initialisation
    return Problem(small().dataset, Initialisation(start.directions, start.signs, minus_log_lambda, output_scale))


@pytest.mark.parametrize("problem", [small(1.0), small(300.0), small(1e6), scaled([6.0, 4.0, 2.0, 5.0])], ids=repr)
def test_nothing_drifts(problem):
    margin = conserved(Evidence(problem))
    assert margin.verdict is Verdict.HOLDS
    assert (1 - margin.value) * TOLERANCE < 1e-12
    assert (1 - margin.value) * TOLERANCE <= 4 * margin.uncertainty * TOLERANCE


@pytest.mark.parametrize("name", REFERENCES)
def test_references(name):
    evidence = Evidence(reference(name)[0])
    assert conserved(evidence).verdict is Verdict.HOLDS
    assert sign(evidence).value == pytest.approx(1 / math.sqrt(2), abs=1e-12)


@pytest.mark.parametrize("drift", [1e-11, 1e-8, 1e-4])
def test_a_drift_is_measured(monkeypatch, drift):
    """All coordinates of one neuron too long by a factor 1 + drift/2, from half time on: ‖w‖²/a² off by drift."""
    evidence = Evidence(small(100.0))
    half = float(evidence.trajectory.t_end) / 2
    longer = np.array([1.0, 1.0, 1 + drift / 2, 1.0])[:, None]
    spoil(monkeypatch, lambda state: replace(state, directions=state.directions * longer), half)
    margin = conserved(evidence)
    assert margin.value == pytest.approx(1 - drift / 2 / TOLERANCE, rel=1e-3)
    assert (margin.neuron, margin.verdict) == (2, Verdict.HOLDS if drift < 2 * TOLERANCE else Verdict.FAILS)
    assert margin.t >= half


def test_a_drift_of_an_unbalanced_neuron_is_measured(monkeypatch):
    """a 1e-6 too large, w as it was: 2e-6 a² of imbalance beside a² + ‖w‖²."""
    evidence = Evidence(scaled([6.0, 4.0, 2.0, 5.0], 20.0))

    def larger(state):
        return replace(state, log_growth=state.log_growth + 1e-6, directions=state.directions * math.exp(-1e-6))

    spoil(monkeypatch, larger, 10.0)
    assert conserved(evidence).verdict is Verdict.FAILS


def test_sign_margin_of_a_balanced_problem():
    margin = sign(Evidence(small(300.0)))
    assert isinstance(margin, Margin)
    assert margin.value == pytest.approx(1 / math.sqrt(2), abs=1e-12)
    assert margin.scale == "relative"


def test_sign_margin_of_dominant_neurons_is_the_smallest_share():
    """|a|/sqrt(a² + ‖w‖²) falls as the neuron grows, towards 1/√2, and starts at output_scale/‖(scale, g)‖."""
    problem = Problem(Dataset.standard([2.0, -1.0]), Initialisation([[-1.0, -2.0], [-2.0, -1.0]], [1, -1], 5.0, [3, 4]))
    margin = sign(Evidence(problem))
    assert isinstance(margin, Margin)
    assert margin.value == pytest.approx(3 / math.sqrt(9 + 5), rel=1e-14)
    assert margin.neuron == 0


def test_only_dominant_neurons_are_asked():
    """Neuron 1 has |a| < ‖w‖ and its a changes sign, neuron 0 is balanced: the claim holds all the same."""
    start = Initialisation([[1.0, 0.0], [10.0, 0.0]], [1, -1], 5.0, [1.0, 0.1])
    evidence = Evidence(Problem(Dataset.standard([2.0, -1.0]), start))
    final = evidence.trajectory.at(evidence.trajectory.t_end)
    assert final.signs[1] == 1.0
    margin = sign(evidence)
    assert isinstance(margin, Margin)
    assert margin.value == pytest.approx(1 / math.sqrt(2), abs=1e-12)
    assert conserved(evidence).verdict is Verdict.HOLDS


def test_no_dominant_neuron():
    assert isinstance(sign(Evidence(scaled([0.1, 0.1, 0.1, 0.1]))), Vacuous)


def test_a_flipped_sign_is_seen(monkeypatch):
    evidence = Evidence(small(100.0))
    flip = np.array([1.0, 1.0, 1.0, -1.0])
    spoil(monkeypatch, lambda state: replace(state, signs=state.signs * flip), 50.0)
    margin = sign(evidence)
    assert isinstance(margin, Margin)
    assert margin.verdict is Verdict.FAILS
    assert margin.value == pytest.approx(-1 / math.sqrt(2), abs=1e-12)
    assert margin.neuron == 3 and margin.t >= 50.0
