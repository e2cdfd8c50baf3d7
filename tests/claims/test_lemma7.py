"""Lemma 7 and its twin Lemma 8: margins at t±₁ against the linearised flow; the printed "= 0" fails (erratum E1)."""

import math

import mpmath as mp
import numpy as np
import pytest

from tests.claims.oracles import SCALES, drawn, evidence, linear_last_death, linear_tilt
from tests.linearised import linear_neuron
from tests.problems import reference, small, undying
from verify import bars
from verify.check import check
from verify.claim import ROUNDING, UNIT, Margin, Vacuous, Verdict
from verify.claims.lemma7 import CLAIMS, align, dead, dead_literal, early_time, last_death, norm
from verify.dataset import Dataset
from verify.evidence import Evidence
from verify.flow.simulate import simulate
from verify.initialisation import Initialisation
from verify.problem import Problem
from verify.regime import in_regime

CASES = {
    "R2": lambda: Evidence(reference("R2")[0]),
    "R3": lambda: Evidence(reference("R3")[0]),
    "kappa 20": lambda: drawn(1, 20.0),
    "kappa 300": lambda: drawn(3, 300.0),
}
SIDES = (1, -1)


def negative_from_the_start(minus_log_lambda: float = 1000.0) -> Problem:
    """Neuron 0 of S₊₁ has ⟨w, x_1⟩ = −λ for ever, neuron 1 of S₋₁ has ⟨w, x_0⟩ = −2λ; c = 3."""
    start = Initialisation([[1.0, -1.0, 0.0], [-2.0, 1.0, 2.0]], [1, -1], minus_log_lambda)
    return Problem(Dataset.standard([2.0, -1.0], d=3), start)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("name", CASES)
def test_norm_is_the_largest_of_the_linearised_flow(name, side):
    found = CASES[name]()
    problem, margin, t = found.problem, norm(found, side), early_time(found, side)
    with mp.workdps(40):
        sizes = [float(mp.log(linear_neuron(problem, j, t).a)) for j in range(problem.initialisation.m)]
    rate = 1.0 if side > 0 else problem.dataset.ratio
    scale = problem.initialisation.minus_log_lambda
    bound = math.log(2 * problem.initialisation.c) - (1 - rate * problem.epsilon) * scale
    assert (margin.neuron, margin.t) == (int(np.argmax(sizes)), t)
    assert margin.quantity_log == pytest.approx(max(sizes) - scale, rel=0, abs=margin.uncertainty)
    assert margin.value == pytest.approx(bound - max(sizes) + scale, rel=0, abs=margin.uncertainty)
    assert margin.claimed_exponent == pytest.approx(1 / problem.epsilon - rate)
    assert margin.uncertainty < 1e-7


@pytest.mark.parametrize("minus_log_lambda", SCALES)
def test_norm_of_the_decoupled_problem(minus_log_lambda):
    """Neuron 0 is half of c and grows by κ by t₊₁, by rκ by t₋₁; neuron 1 is c and grows by κ/r and κ."""
    found = evidence(minus_log_lambda)
    kappa, ratio = found.kappa, found.problem.dataset.ratio
    plus, minus = norm(found, 1), norm(found, -1)
    largest = max(math.log(1 / 2) + kappa, kappa / ratio)
    assert plus.value == pytest.approx(math.log(2) + kappa - largest, rel=0, abs=plus.uncertainty)
    largest = max(math.log(1 / 2) + ratio * kappa, kappa)
    assert minus.value == pytest.approx(math.log(2) + ratio * kappa - largest, rel=0, abs=minus.uncertainty)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("name", CASES)
def test_alignment_is_that_of_the_linearised_flow(name, side):
    found = CASES[name]()
    margin, t = align(found, side), early_time(found, side)
    neuron, exact = linear_tilt(found.problem, side, t)
    assert isinstance(margin, Margin)
    if exact == -math.inf:
        assert margin.value == math.inf
        return
    assert (margin.neuron, margin.t) == (neuron, t)
    assert margin.quantity_log == pytest.approx(exact, rel=0, abs=margin.uncertainty)
    assert margin.value == pytest.approx(math.log(2) - found.kappa - exact, rel=0, abs=margin.uncertainty)
    assert margin.exponent == pytest.approx(-exact / found.kappa, rel=1e-9)


def test_alignment_is_vacuous_where_the_cone_already_gives_it():
    """2λ^ε ≥ 1 means κ ≤ ln 2."""
    for side in SIDES:
        assert isinstance(align(Evidence(small(6.93, epsilon="0.1")), side), Vacuous)
        assert isinstance(align(Evidence(small(6.94, epsilon="0.1")), side), Margin)


@pytest.mark.parametrize("minus_log_lambda", [1e3, 1e6])
def test_the_printed_equality_fails_on_a_coordinate_that_starts_negative(minus_log_lambda):
    """E1: it is frozen at −λ and −2λ, 1/3 and 2/3 of cλ; the corrected reading holds with everything to spare."""
    found = Evidence(negative_from_the_start(minus_log_lambda))
    for side, neuron, label, size in ((1, 0, 1, 1 / 3), (-1, 1, 0, 2 / 3)):
        margin = dead_literal(found, side)
        assert margin.verdict is Verdict.FAILS
        assert (margin.neuron, margin.label) == (neuron, label)
        assert margin.value == pytest.approx(1 - size / 1e-9, rel=1e-6)
        corrected = dead(found, side)
        assert (corrected.value, corrected.verdict) == (1.0, Verdict.HOLDS)


def test_the_erratum_shows_in_the_regime():
    """No smaller λ mends it: four claims on one problem, 8 numbers and all of the proof's conditions met."""
    frame = check(
        in_regime(negative_from_the_start(10.0)), ["L7.dead", "L7.dead.corrected", "L8.dead", "L8.dead.corrected"]
    )
    assert frame["verdict"].tolist() == ["FAILS", "HOLDS", "FAILS", "HOLDS"]


def test_the_printed_equality_holds_where_every_coordinate_dies():
    """Neuron 0 starts at ⟨w, x_1⟩ = 4λ > 0: it dies, and is 0 from then on; neuron 2 starts at −2λ."""
    found = Evidence(small())
    assert dead_literal(found, 1).verdict is Verdict.HOLDS
    assert dead_literal(found, 1).value == 1.0
    assert dead_literal(found, -1).verdict is Verdict.FAILS


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("name", [*CASES, "small"])
def test_the_last_death_is_that_of_the_linearised_flow(name, side):
    found = Evidence(small()) if name == "small" else CASES[name]()
    t, neuron, label = last_death(found, side)
    assert t == pytest.approx(linear_last_death(found.problem, side), rel=1e-9)
    if t > 0:
        exact = linear_neuron(found.problem, neuron, t * (1 + 1e-6)).p[label]
        assert exact == 0
        assert linear_neuron(found.problem, neuron, t * (1 - 1e-6)).p[label] > 0
    else:
        assert neuron is label is None
    margin = dead(found, side)
    assert margin.value == pytest.approx(1 - t / early_time(found, side), abs=1e-9)


def test_dead_fails_where_the_neuron_dies_too_late():
    """κ below ‖D₊‖ times the death: at t₊₁ neuron 0 of the small problem is still active on label 1."""
    death = linear_last_death(small(), 1)
    for factor, verdict in ((0.99, Verdict.FAILS), (1.01, Verdict.HOLDS)):
        found = Evidence(small(factor * death / 0.1 + 0.0, epsilon="0.1"))
        margin = dead(found, 1)
        assert found.time_plus == pytest.approx(factor * death, rel=1e-12)
        assert (margin.neuron, margin.label) == (0, 1)
        assert margin.verdict is verdict


@pytest.mark.parametrize("side", SIDES)
def test_dead_fails_where_a_neuron_never_dies(side):
    """λ = e^-0.05 fits the labels before it turns the neurons: the death is later than all of the trajectory."""
    found = Evidence(undying())
    margin, last = dead(found, side), float(found.trajectory.t_end)
    assert found.trajectory.at(last).active.all()
    assert margin.value == pytest.approx(1 - last / early_time(found, side), rel=1e-12)
    assert (margin.neuron, margin.label) == ((0, 1) if side > 0 else (1, 0))
    assert (margin.verdict, margin.t) == (Verdict.FAILS, last)
    assert "still active" in margin.note


def test_a_trajectory_that_stops_before_the_death_decides_nothing():
    found = Evidence(small())
    found.__dict__["trajectory"] = simulate(small(), until=0.5 * linear_last_death(small(), 1))
    assert dead(found, 1).verdict is Verdict.UNRESOLVED


def test_error_of_a_death_is_that_of_the_coordinate_over_its_speed():
    """p_jk/|a_j| passes 0 at |r_k|/n = 1/2."""
    found = Evidence(small())
    t, neuron, label = last_death(found, 1)
    error = bars.growth(found, t) / 0.5 + 4 * UNIT * t
    assert (neuron, label) == (0, 1)
    assert dead(found, 1).uncertainty == pytest.approx((error + ROUNDING * (t + found.time_plus)) / found.time_plus)


def test_claims_say_which_reading_they_take():
    readings = {claim.id: (claim.reading, claim.tag) for claim in CLAIMS}
    assert readings["L7.dead"] == ("literal", "T")
    assert readings["L7.dead.corrected"] == ("corrected", "D")
