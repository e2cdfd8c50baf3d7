"""Outputs above the negative labels during phase 3: shares of the residual, and late deaths."""

import numpy as np
import pytest

from tests.claims.oracles import SCALES, drawn, evidence, linear_last_death
from tests.problems import reference, small, undying
from verify.claim import Verdict
from verify.claims.lemma7 import time_left
from verify.claims.phase3 import sign
from verify.dataset import Dataset
from verify.evidence import Evidence
from verify.initialisation import Initialisation
from verify.problem import Problem


@pytest.mark.parametrize("minus_log_lambda", SCALES)
def test_one_negative_label_is_all_of_the_residual(minus_log_lambda):
    """The share of the only label is 1 at all times, however small h − y becomes: e^(−κ/29) at t₃."""
    found = evidence(minus_log_lambda)
    margin = sign(found)
    assert (margin.value, margin.verdict) == (1.0, Verdict.HOLDS)
    assert 0 < margin.uncertainty < 1e-14


@pytest.mark.parametrize("seed", range(4))
def test_the_smallest_share_of_drawn_problems(seed):
    """From outputs of the network as it stands: (h(x_k) − y_k)/‖r‖ over |y_k|/‖y‖ on the negative labels."""
    found = drawn(seed, 60.0)
    data = found.problem.dataset
    start, end = found.window(found.time_one, found.third_exit.t)
    sizes, shares = np.abs(data.y[data.negative]), []
    for t in np.linspace(start, end, 100):
        excess = -found.trajectory.at(float(t)).parameters().residual(data)[data.negative]
        shares.append(float((excess / np.linalg.norm(excess) / (sizes / np.linalg.norm(sizes))).min()))
    left = 1 - linear_last_death(found.problem, 1) / found.time_plus
    margin = sign(found)
    assert margin.value == pytest.approx(min(left, *shares), rel=1e-6)
    assert margin.uncertainty < 1e-9


def test_shares_of_the_reference_are_not_below_the_margin():
    problem, states, _ = reference("R3")
    found = Evidence(problem)
    margin, data, flip = sign(found), found.problem.dataset, -1 if found.flipped else 1
    inside = [state for state in states if found.time_one <= state.t <= found.third_exit.t]
    assert inside
    sizes = np.abs(data.y[data.negative])
    for state in inside:
        excess = -flip * state.residual[data.negative]
        shares = excess / np.linalg.norm(excess) / (sizes / np.linalg.norm(sizes))
        assert shares.min() >= margin.value * (1 - 1e-9)


def test_sign_fails_where_an_output_falls_below_its_label():
    """λ = e^-4: neuron 0 fits label 1 alone, and S₋₁ = {2}, which still has label 0 to fit, carries it too far."""
    directions = [[-0.19, 1.32, -0.74], [-1.42, -0.18, 0.83], [0.03, 0.26, -0.6]]
    found = Evidence(Problem(Dataset.standard([-0.25, -1.25, 3.0]), Initialisation(directions, [-1, 1, -1], 4.0)))
    margin = sign(found)
    assert (margin.label, margin.note, margin.verdict) == (1, "outputs above labels", Verdict.FAILS)
    excess = -found.trajectory.at(margin.t).parameters().residual(found.problem.dataset)[:2]
    sizes = np.array([0.25, 1.25])
    share = excess[1] / np.linalg.norm(excess) / (1.25 / np.linalg.norm(sizes))
    assert margin.value == pytest.approx(share, rel=1e-9)
    start, end = found.window(found.time_one, found.third_exit.t)
    outputs = [
        found.trajectory.at(float(t)).parameters().output(found.problem.dataset.x)[1]
        for t in np.linspace(start, min(end, 60.0), 200)
    ]
    assert min(outputs) < -1.25


def test_sign_fails_where_a_key_neuron_dies_too_late():
    """κ = 0.9‖D₊‖ times the death of neuron 0 on label 1."""
    death = linear_last_death(small(), 1)
    margin = sign(Evidence(small(0.9 * death / 0.1, epsilon="0.1")))
    assert margin.verdict is Verdict.FAILS
    assert (margin.neuron, margin.label, margin.note) == (0, 1, "death in time")
    assert margin.value == pytest.approx(1 - 1 / 0.9, abs=1e-6)


def test_sign_fails_where_it_never_dies():
    found = Evidence(undying())
    assert sign(found) == time_left(found, 1)
    assert sign(found).verdict is Verdict.FAILS
