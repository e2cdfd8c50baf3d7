"""Lemma 6: frozen coordinates stay, and any that move are named."""

from dataclasses import replace

import numpy as np
import pytest

from tests.claims.oracles import spoil
from tests.problems import REFERENCES, decoupled, reference, small
from verify.claim import Margin, Vacuous, Verdict
from verify.claims.lemma6 import TOLERANCE, frozen
from verify.evidence import Evidence
from verify.initialisation import Initialisation
from verify.problem import Problem


def spoiled(monkeypatch, neuron, label, factor, after):
    """From ``after`` on one coordinate is multiplied by ``factor``."""

    def change(state):
        directions = state.directions.copy()
        directions[..., neuron, label] *= factor
        return replace(state, directions=directions)

    spoil(monkeypatch, change, after)


@pytest.mark.parametrize("name", REFERENCES)
def test_references(name):
    margin = frozen(Evidence(reference(name)[0]))
    assert isinstance(margin, Margin)
    assert margin.verdict is Verdict.HOLDS
    assert (1 - margin.value) * TOLERANCE < 1e-12


@pytest.mark.parametrize("minus_log_lambda", [-1.0, 1.0, 100.0, 1e6])
def test_any_scale(minus_log_lambda):
    margin = frozen(Evidence(small(minus_log_lambda)))
    assert isinstance(margin, Margin) and margin.verdict is Verdict.HOLDS


def test_unbalanced():
    start = small().initialisation
    problem = Problem(small().dataset, Initialisation(start.directions, start.signs, 30.0, [6.0, 0.5, 2.0, 5.0]))
    margin = frozen(Evidence(problem))
    assert isinstance(margin, Margin) and margin.verdict is Verdict.HOLDS


def test_nothing_is_negative():
    assert isinstance(frozen(Evidence(decoupled(100.0))), Vacuous)


@pytest.mark.parametrize("shift", [1e-11, 1e-6, 0.5])
def test_a_shift_is_measured(monkeypatch, shift):
    """Neuron 2 starts at −2 on label 0; from half of phase 2 on it is (1 + shift) times that."""
    evidence = Evidence(small(100.0))
    after = evidence.trajectory.nodes[3]
    spoiled(monkeypatch, 2, 0, 1 + shift, after)
    margin = frozen(evidence)
    assert isinstance(margin, Margin)
    assert margin.value == pytest.approx(1 - shift / TOLERANCE, rel=1e-3, abs=1e-3)
    assert (margin.neuron, margin.label) == (2, 0) or shift < 1e-10
    assert margin.verdict is (Verdict.HOLDS if shift < TOLERANCE else Verdict.FAILS)


@pytest.mark.parametrize("factor", [-1.0, 0.0])
def test_a_frozen_coordinate_that_comes_back_is_seen(monkeypatch, factor):
    """Turned positive, or set to zero."""
    evidence = Evidence(small(100.0))
    after = evidence.trajectory.nodes[3]
    spoiled(monkeypatch, 2, 0, factor, after)
    margin = frozen(evidence)
    assert isinstance(margin, Margin)
    assert margin.verdict is Verdict.FAILS
    assert (margin.neuron, margin.label) == (2, 0)
    assert margin.t == pytest.approx(after, rel=1e-12)
    assert margin.value == pytest.approx(1 - 1 / TOLERANCE)


def test_a_coordinate_that_turns_negative_later_is_watched_from_then_on(monkeypatch):
    """Neuron 1 dies at label 0 or stays; its coordinate on label 1 is made negative, then drifts."""
    evidence = Evidence(small(100.0))
    nodes = evidence.trajectory.nodes

    def change(state):
        directions = state.directions.copy()
        factor = np.where(np.asarray(state.t) >= nodes[4], 2.0, 1.0)
        directions[..., 0, 1] = -0.01 * factor * np.exp(-state.log_growth[..., 0])
        return replace(state, directions=directions)

    spoil(monkeypatch, change, nodes[2])
    margin = frozen(evidence)
    assert isinstance(margin, Margin)
    assert margin.verdict is Verdict.FAILS
    assert (margin.neuron, margin.label) == (0, 1)
    assert margin.t == pytest.approx(nodes[4], rel=1e-12)
    assert 1 - margin.value == pytest.approx(1 / TOLERANCE, rel=1e-6)


def test_the_values_are_those_of_the_start():
    """What is frozen is λ⟨g_j, x_k⟩, at the end as at the start, to a relative 1e-12."""
    problem = small(300.0)
    trajectory = Evidence(problem).trajectory
    state = trajectory.at(trajectory.t_end)
    negative = problem.projections < 0
    final = np.log(-state.directions[negative]) + np.repeat(state.log_growth[:, None], 2, axis=1)[negative]
    np.testing.assert_allclose(final, np.log(-problem.projections[negative]), atol=1e-12)
