"""Lemma 2: margins at t₁ against the linearised flow in many digits, and where the claims say nothing."""

import math

import mpmath as mp
import numpy as np
import pytest

from tests.linearised import digits_for, linear_neuron, misalignment
from tests.problems import decoupled, reference, small
from verify.claim import Margin, Vacuous
from verify.claims.lemma2 import align, norm
from verify.dataset import Dataset
from verify.evidence import Evidence
from verify.families import draw_problem
from verify.initialisation import Initialisation
from verify.phases import time_one
from verify.problem import Problem


def drawn(seed: int, kappa: float, d: int = 4) -> Problem:
    rng = np.random.default_rng(seed)
    return draw_problem(rng, inputs="standard", labels="rational", n=4, m=7, d=d, kappa=kappa)


CASES = {
    "R2": lambda: reference("R2")[0],
    "R3": lambda: reference("R3")[0],
    "small": lambda: small(1e4),
    "kappa 20": lambda: drawn(1, 20.0),
    "kappa 20, d > n": lambda: drawn(2, 20.0, d=6),
    "kappa 300": lambda: drawn(3, 300.0, d=5),
    "kappa 1500": lambda: drawn(4, 1500.0),
}


@pytest.mark.parametrize("side", [1, -1])
@pytest.mark.parametrize("name", CASES)
def test_alignment_is_that_of_the_linearised_flow(name, side):
    problem = CASES[name]()
    evidence = Evidence(problem)
    margin = align(evidence, side)
    t = time_one(problem)
    with mp.workdps(digits_for(problem, t)):
        tilts = {
            int(j): misalignment(problem, linear_neuron(problem, int(j), t), side)
            for j in np.flatnonzero(evidence.key(side))
        }
        worst = max(tilts, key=lambda j: tilts[j])
        exact = float(mp.log(tilts[worst])) if tilts[worst] > 0 else -math.inf
    assert isinstance(margin, Margin)
    assert margin.t == t
    if exact == -math.inf:
        assert margin.value == math.inf
        return
    assert margin.neuron == worst
    assert margin.quantity_log == pytest.approx(exact, rel=0, abs=margin.uncertainty)
    assert margin.value == pytest.approx(math.log(2) - problem.kappa - exact, rel=0, abs=margin.uncertainty)
    assert margin.exponent == pytest.approx(-exact / problem.kappa, rel=1e-9)
    assert margin.uncertainty < 1e-7


def test_some_misalignment_is_far_below_every_float():
    margin = align(Evidence(CASES["kappa 1500"]()), -1)
    assert isinstance(margin, Margin)
    assert margin.quantity_log < -2000


@pytest.mark.parametrize("name", [name for name in CASES if name != "kappa 1500"])
def test_norm_is_the_largest_of_the_linearised_flow_at_either_end(name):
    problem = CASES[name]()
    margin = norm(Evidence(problem))
    t, scale = time_one(problem), problem.initialisation.minus_log_lambda
    with mp.workdps(40):
        sizes = [
            (float(mp.log(linear_neuron(problem, j, end).a)), end, j)
            for j in range(problem.initialisation.m)
            for end in (0, t)
        ]
    largest, end, j = max(sizes)
    bound = math.log(2 * problem.initialisation.c) - (1 - problem.dataset.ratio * problem.epsilon) * scale
    assert margin.quantity_log == pytest.approx(largest - scale, rel=0, abs=margin.uncertainty)
    assert margin.value == pytest.approx(bound - largest + scale, rel=0, abs=margin.uncertainty)
    assert (margin.neuron, margin.t) == (j, pytest.approx(end))
    assert margin.claimed_exponent == pytest.approx(1 / problem.epsilon - problem.dataset.ratio)


@pytest.mark.parametrize("minus_log_lambda", [100.0, 1e4, 1e6])
def test_norm_of_the_decoupled_problem(minus_log_lambda):
    """Neuron 0 starts at half of c and grows by κ‖D₊‖/‖D₋‖ = rκ: the margin is ln 2 + ln 2."""
    problem = decoupled(minus_log_lambda)
    margin = norm(Evidence(problem))
    assert margin.neuron == 0
    assert margin.value == pytest.approx(2 * math.log(2), rel=0, abs=margin.uncertainty)
    assert margin.uncertainty < 1e-7


def test_a_shrinking_largest_neuron_is_judged_at_the_start():
    start = Initialisation([[1.0, 0.0], [0.0, 1.0], [1.0, 1000.0]], [1, -1, 1], 1000.0)
    margin = norm(Evidence(Problem(Dataset.standard([2.0, -1.9]), start, "0.0005")))
    assert (margin.neuron, margin.t) == (2, 0.0)
    assert margin.quantity_log == pytest.approx(math.log(math.hypot(1.0, 1000.0)) - 1000.0, abs=1e-9)


def test_alignment_is_vacuous_where_the_cone_already_gives_it():
    """2λ^ε ≥ 1 means κ ≤ ln 2."""
    below, above = small(0.693 / 0.1, epsilon="0.1"), small(0.694 / 0.1, epsilon="0.1")
    assert isinstance(align(Evidence(below), -1), Vacuous)
    assert isinstance(align(Evidence(above), -1), Margin)
