"""Outputs above the negative labels during phase 3: the smallest gap in closed form, and late deaths."""

import math

import numpy as np
import pytest

from tests.claims.oracles import SCALES, drawn, evidence, linear_last_death
from tests.problems import reference, small
from verify.claim import Verdict
from verify.claims.phase3 import sign
from verify.evidence import Evidence
from verify.flow.simulate import simulate


@pytest.mark.parametrize("minus_log_lambda", SCALES)
def test_the_smallest_gap_is_that_at_the_end(minus_log_lambda):
    """(h(x_1) − y_1)/|y_1| = λ^(ε/29) at t₃; below every float it is given as the smallest of them."""
    found = evidence(minus_log_lambda)
    margin = sign(found)
    depth = math.exp(-found.kappa / 29)
    assert (margin.label, margin.note) == (1, "outputs above labels")
    assert margin.t == pytest.approx(found.third_exit.t, rel=1e-9)
    assert margin.value == pytest.approx(max(depth, 5e-324), rel=1e-6)
    assert margin.verdict is Verdict.HOLDS


@pytest.mark.parametrize("seed", range(4))
def test_the_smallest_gap_of_drawn_problems(seed):
    found = drawn(seed, 60.0)
    data = found.problem.dataset
    start, end = found.window(found.time_one, found.third_exit.t)
    gaps = []
    for t in np.linspace(start, end, 100):
        network = found.trajectory.at(float(t)).parameters()
        gaps.append(float((-network.residual(data) / np.abs(data.y))[data.negative].min()))
    left = 1 - linear_last_death(found.problem, 1) / found.time_plus
    margin = sign(found)
    assert margin.value == pytest.approx(min(left, *gaps), rel=1e-6)


def test_outputs_of_the_reference_stay_above_the_labels():
    problem, states, _ = reference("R3")
    found = Evidence(problem)
    margin, data, flip = sign(found), found.problem.dataset, -1 if found.flipped else 1
    inside = [state for state in states if found.time_one <= state.t <= found.third_exit.t]
    assert inside
    for state in inside:
        assert (-flip * state.residual / np.abs(data.y))[data.negative].min() >= margin.value * (1 - 1e-9)


def test_sign_fails_where_a_key_neuron_dies_too_late():
    """κ = 0.9‖D₊‖ times the death of neuron 0 on label 1."""
    death = linear_last_death(small(), 1)
    margin = sign(Evidence(small(0.9 * death / 0.1, epsilon="0.1")))
    assert margin.verdict is Verdict.FAILS
    assert (margin.neuron, margin.label, margin.note) == (0, 1, "death in time")
    assert margin.value == pytest.approx(1 - 1 / 0.9, abs=1e-6)


def test_sign_fails_where_it_never_dies():
    found = Evidence(small())
    found.__dict__["trajectory"] = simulate(small(), until=0.1)
    assert (sign(found).value, sign(found).verdict) == (-math.inf, Verdict.FAILS)
