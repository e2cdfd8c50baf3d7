"""Steps of phase 1: outputs in closed form and from the linearised flow, and the decrease of the cross terms."""

import math

import mpmath as mp
import numpy as np
import pytest

from tests.claims.oracles import SCALES, drawn, evidence, linear_last_death
from tests.linearised import linear_neuron
from tests.problems import small, undying
from verify import bars
from verify.claim import ROUNDING, Margin, Vacuous, Verdict
from verify.claims.lemma7 import early_time, time_left
from verify.claims.phase1 import monotone, sign
from verify.dataset import Dataset
from verify.evidence import Evidence
from verify.initialisation import Initialisation
from verify.problem import Problem

SIDES = (1, -1)


@pytest.mark.parametrize("minus_log_lambda", SCALES)
def test_outputs_of_the_decoupled_problem(minus_log_lambda):
    """At t₋₁ = 2κ: h(x_0) = λ²e^(4κ), beside the bound 4·2·4 λ²e^(4κ): the margin is ln 32 at every Λ."""
    found = evidence(minus_log_lambda)
    margin = sign(found)
    assert (margin.label, margin.t) == (0, found.time_one)
    assert margin.value == pytest.approx(math.log(32), rel=0, abs=margin.uncertainty)
    assert margin.claimed_exponent == pytest.approx(2 * (1 / found.problem.epsilon - 2))
    assert margin.exponent == pytest.approx(margin.claimed_exponent, rel=1e-3)


def opposite() -> Problem:
    """h(x_0) starts near −1.4, beyond |y_0| = 1 but of the other sign: r_0 keeps the sign of y_0, and |h| its bound."""
    start = Initialisation([["0.5", "-0.3"], ["1.2", "0.1"]], [1, -1], "0.05")
    return Problem(Dataset.standard(["1", "-0.5"]), start)


def test_outputs_of_the_opposite_sign_may_exceed_a_label():
    found = Evidence(opposite())
    assert found.trajectory.at(0.0).residual[0] > 2
    assert sign(found).verdict == Verdict.HOLDS


def linear_outputs(problem: Problem, t: float) -> list:
    """ln|h(x_k)| of the linearised flow."""
    with mp.workdps(60):
        lam, out = problem.initialisation.minus_log_lambda, []
        neurons = [linear_neuron(problem, j, t) for j in range(problem.initialisation.m)]
        for k in range(problem.dataset.n):
            terms = [
                int(s) * v.a * max(v.p[k], mp.mpf(0))
                for s, v in zip(problem.initialisation.signs, neurons, strict=True)
            ]
            out.append(float(mp.log(abs(mp.fsum(terms)))) - 2 * lam)
        return out


@pytest.mark.parametrize("seed", range(4))
def test_outputs_are_those_of_the_linearised_flow(seed):
    """Largest over labels of ln|h| − ln bound, at t₋₁ or at the start, where outputs are largest in size."""
    found = drawn(seed, 30.0)
    problem, margin = found.problem, sign(found)
    start, ratio = problem.initialisation, problem.dataset.ratio
    power = 2 * (1 - ratio * problem.epsilon) * start.minus_log_lambda
    limits = np.minimum(math.log(4 * start.m * start.c**2) - power, np.log(np.abs(problem.dataset.y)))
    closeness = [max(np.array(linear_outputs(problem, t)) - limits) for t in (0.0, margin.t)]
    assert margin.value == pytest.approx(-closeness[1], rel=0, abs=margin.uncertainty + 1e-9)
    assert margin.value <= -closeness[0] + 1e-9


def test_sign_fails_where_the_network_is_not_small():
    """λ = e^-0.1: h(x_0) starts at 16e^-0.2 beside y_0 = 2."""
    start = Initialisation([[4.0, 0.0], [0.0, 1.0]], [1, -1], "0.1")
    found = Evidence(Problem(Dataset.standard([2.0, -1.0]), start))
    margin = sign(found)
    assert margin.verdict is Verdict.FAILS
    assert margin.value == pytest.approx(math.log(2.0) - math.log(16 * math.exp(-0.2)), abs=1e-12)


def cross_term(problem: Problem, j: int, side: int, t: float):
    """∓Σ (y_k/n)⟨w_j/‖w_j‖, x_k⟩ over active labels of the other sign."""
    neuron, y = linear_neuron(problem, j, t), problem.dataset.y
    parts = [abs(y[k]) * max(neuron.p[k], mp.mpf(0)) for k in range(problem.dataset.n) if y[k] * side < 0]
    return mp.fsum(parts) / neuron.norm / problem.dataset.n


def test_initial_slope_by_hand():
    """Neuron 0 of the small problem, q = (0.6, 0.8): q₁′ = −½ − 0.8(0.6·2 − 0.8·1)/2 = −0.66, f′ = −0.33."""
    found = Evidence(small())
    problem, margin = found.problem, monotone(found, 1)
    assert isinstance(margin, Margin)
    with mp.workdps(40):
        h = mp.mpf(10) ** -12
        slope = (cross_term(problem, 0, 1, h) - cross_term(problem, 0, 1, 0)) / h
        assert float(slope) == pytest.approx(-0.33, abs=1e-9)
        death = linear_last_death(problem, 1)
        times = np.linspace(0.0, death * 0.9999, 120)
        slopes = [(cross_term(problem, 0, 1, t + h) - cross_term(problem, 0, 1, t)) / h for t in times]
    left = 1 - death / found.time_plus
    slowest = -float(max(slopes)) / problem.dataset.norm_minus**2
    assert margin.value == pytest.approx(min(left, slowest), rel=1e-3)
    assert margin.verdict is Verdict.HOLDS


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("seed", range(4))
def test_slowest_decrease_of_drawn_problems(seed, side):
    """By differences of f under the linearised flow: no slope on the grid is slower than the margin says."""
    found = drawn(seed, 30.0)
    problem, margin = found.problem, monotone(found, side)
    death = linear_last_death(problem, side)
    if isinstance(margin, Vacuous):
        assert death == 0.0
        return
    norm = problem.dataset.norm_minus if side > 0 else problem.dataset.norm_plus
    left, slowest = 1 - death / early_time(found, side), math.inf
    with mp.workdps(40):
        h = mp.mpf(10) ** -12
        for j in np.flatnonzero(found.key(side)):
            for t in np.linspace(0.0, death, 60)[:-1]:
                before, after = cross_term(problem, int(j), side, t), cross_term(problem, int(j), side, t + h)
                if before > 0 and after > 0:
                    slowest = min(slowest, -float((after - before) / h) / norm**2)
    assert margin.value <= min(left, slowest) + 1e-6
    if margin.note == "time left":
        assert margin.value == pytest.approx(left, abs=1e-9)
    else:
        assert margin.value >= 0.7 * slowest


def test_monotone_fails_where_the_death_comes_too_late():
    death = linear_last_death(small(), 1)
    margin = monotone(Evidence(small(0.9 * death / 0.1, epsilon="0.1")), 1)
    assert isinstance(margin, Margin)
    assert margin.verdict is Verdict.FAILS
    assert margin.value == pytest.approx(1 - 1 / 0.9, abs=1e-6)
    assert (margin.neuron, margin.label) == (0, 1)


@pytest.mark.parametrize("side", SIDES)
def test_monotone_fails_where_the_death_never_comes(side):
    found = Evidence(undying())
    margin = monotone(found, side)
    assert isinstance(margin, Margin)
    assert margin == time_left(found, side)
    assert margin.verdict is Verdict.FAILS


@pytest.mark.parametrize(("seed", "side"), [(0, -1), (7, 1)])
def test_error_of_the_decrease_grows_with_what_turns_beside_it(seed, side):
    """f′ is of the size ‖D₋‖(‖D₊‖ + ‖D₋‖) and held against ‖D₋‖², or the twin of that; it is least at the start."""
    found = drawn(seed, 30.0)
    data, margin = found.problem.dataset, monotone(found, side)
    assert isinstance(margin, Margin)
    assert (margin.note, margin.t) == ("slowest decrease", 0.0)
    sizes = 1 + (data.ratio if side > 0 else 1 / data.ratio)
    rounding = ROUNDING * max(1.0, margin.value)
    assert margin.uncertainty == pytest.approx(3 * bars.growth(found, 0.0) * sizes + rounding, rel=1e-9)


def test_nothing_to_decrease_without_cross_terms():
    for side in SIDES:
        assert isinstance(monotone(evidence(1e3), side), Vacuous)
