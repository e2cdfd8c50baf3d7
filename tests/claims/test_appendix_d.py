"""Appendix D: the push at every deactivation, from reference and naive trajectories."""

import numpy as np
import pytest

from tests.flow.agreement import random_problem
from tests.naive import naive
from tests.problems import REFERENCES, decoupled, reference
from verify.claim import Margin, Vacuous, Verdict
from verify.claims.appendix_d import subgradient
from verify.evidence import Evidence


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("minus_log_lambda", [0.5, 1.0, 3.0])
def test_push_is_that_of_the_naive_simulator(seed, minus_log_lambda):
    """Smallest −s_j r_k/|y_k| over deactivations; at these scales residuals have moved by then."""
    found = Evidence(random_problem(seed, minus_log_lambda))
    problem, margin = found.problem, subgradient(found)
    times = sorted({float(t) for t in found.trajectory.deactivations["t"]})
    if not times:
        assert isinstance(margin, Vacuous)
        return
    run = naive(problem, times)
    pushes = []
    for t, j, k in run.deactivations:
        state = run.states[int(np.argmin(np.abs(np.array(times) - t)))]
        pushes.append((-problem.initialisation.signs[j] * state.residual[k] / abs(problem.dataset.y[k]), j, k))
    smallest, j, k = min(pushes)
    assert isinstance(margin, Margin)
    assert margin.value == pytest.approx(smallest, abs=1e-8)
    assert (margin.neuron, margin.label) == (j, k)


@pytest.mark.parametrize("name", REFERENCES)
def test_push_while_the_network_is_small_is_the_whole_label(name):
    """In the references every deactivation comes on the first plateau: |r_k| = |y_k| to many digits."""
    problem, _, deactivations = reference(name)
    margin = subgradient(Evidence(problem))
    assert isinstance(margin, Margin)
    assert margin.value == pytest.approx(1.0, abs=1e-4)
    assert margin.verdict is Verdict.HOLDS
    assert (margin.neuron, margin.label) in {(event.neuron, event.label) for event in deactivations}


def test_nothing_is_said_without_deactivations():
    assert isinstance(subgradient(Evidence(decoupled(100.0))), Vacuous)
