"""Steps of Lemma 10: idle rates in closed form (erratum E2), colinear targets and the logistic equation directly."""

import math

import numpy as np
import pytest

from tests.claims.oracles import SCALES, evidence
from tests.problems import reference, small
from verify.check import check
from verify.claim import Margin, Vacuous, Verdict
from verify.claims.lemma10 import colinear, log_tolerance, logistic, rate
from verify.dataset import Dataset
from verify.evidence import Evidence
from verify.families import draw_problem
from verify.initialisation import Initialisation
from verify.problem import Problem
from verify.regime import in_regime

REFERENCES = ("R1", "R2", "R3")


def half_active(minus_log_lambda: float = 1e4) -> Problem:
    """y = (2, 2, −1/2): neuron 1 sees one of two equal positive labels, and grows at y_0/n = 2/3 until it is fitted."""
    start = Initialisation([[1.0, 1.0, 0.0], [1.0, -1.0, 0.0], [0.0, 0.0, 1.0]], [1, 1, -1], minus_log_lambda)
    return Problem(Dataset.standard([2.0, 2.0, -0.5]), start)


def kept(seed: int) -> Evidence:
    """Λ = 4: the quantities are far above rounding; labels are large enough for phase 2 to be long."""
    rng = np.random.default_rng(seed)
    drawn = draw_problem(rng, inputs="standard", labels="rational", n=4, m=8, minus_log_lambda=4.0)
    start = drawn.initialisation
    return Evidence(Problem(Dataset.standard(4 * drawn.dataset.y), start, drawn.epsilon))


def test_idle_rate_in_closed_form():
    """Growth tends to 2/3 = ‖D₊‖/√2; corrected 1 − α = 3/4, printed α = 9/4 leaves the bound ‖D₋‖ = 1/6 (E2)."""
    found = Evidence(half_active())
    norm, small_term = 2 * math.sqrt(2) / 3, math.exp(log_tolerance(found))
    assert found.problem.dataset.norm_plus == pytest.approx(norm)
    assert small_term == pytest.approx(2 * math.sqrt(2 * norm) * math.exp(-found.kappa / 4))
    corrected, literal = rate(found, corrected=True), rate(found, corrected=False)
    assert isinstance(corrected, Margin) and isinstance(literal, Margin)
    assert corrected.value == pytest.approx((3 / 4 * norm + small_term - 2 / 3) / norm, abs=1e-12)
    assert literal.value == pytest.approx((1 / 6 + small_term - 2 / 3) / norm, abs=1e-12)
    assert (corrected.verdict, literal.verdict) == (Verdict.HOLDS, Verdict.FAILS)
    assert corrected.neuron == literal.neuron == 1


def test_the_erratum_shows_in_the_regime():
    frame = check(in_regime(half_active()), ["L10.rate", "L10.rate.corrected"])
    assert frame["verdict"].tolist() == ["FAILS", "HOLDS"]


def test_rate_is_vacuous_where_no_neuron_can_break_it():
    two = Problem(Dataset.standard([2.0]), Initialisation([[1.0]], [1], 100.0))
    assert isinstance(rate(Evidence(two), corrected=True), Vacuous)
    assert isinstance(rate(Evidence(small(5.0)), corrected=True), Vacuous)


@pytest.mark.parametrize("minus_log_lambda", [1e3, 8e3])
def test_rate_without_negative_labels(minus_log_lambda):
    """y = (1, 1, 1): printed, n²α = 3/2 and ‖D₋‖ = 0 leave e alone as the bound; a negative neuron only shrinks."""
    start = Initialisation([[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]], [1, -1], minus_log_lambda)
    margin = rate(Evidence(Problem(Dataset.standard([1.0, 1.0, 1.0]), start)), corrected=False)
    assert isinstance(margin, Margin)
    assert margin.verdict is Verdict.HOLDS


@pytest.mark.parametrize("name", REFERENCES)
def test_no_state_of_a_reference_grows_faster(name):
    """From the directions and residuals of 35 digits: s⟨p⁺, r⟩/(n|a|) of neurons outside S₊₁ up to t₂."""
    problem, states, _ = reference(name)
    found = Evidence(problem)
    problem = found.problem
    flip = -1 if found.flipped else 1
    idle = ~problem.key_plus
    fastest = -math.inf
    for state in states:
        if state.t <= found.second_exit.t:
            moving = np.maximum(state.directions, 0.0) @ (flip * state.residual)
            rates = problem.initialisation.signs * moving / problem.dataset.n
            fastest = max(fastest, float(rates[idle].max()))
    data = problem.dataset
    margin = rate(found, corrected=True)
    if isinstance(margin, Vacuous):
        assert data.norm_plus <= max((1 - data.alpha_plus) * data.norm_plus, data.norm_minus) + math.exp(
            log_tolerance(found)
        )
        return
    bound = max((1 - data.alpha_plus) * data.norm_plus, data.norm_minus) + math.exp(log_tolerance(found))
    assert fastest <= bound
    assert margin.verdict is Verdict.HOLDS
    if margin.scale == "relative":
        assert margin.value <= (bound - fastest) / data.norm_plus + 1e-9


@pytest.mark.parametrize("minus_log_lambda", SCALES)
def test_the_fastest_idle_neuron_of_the_decoupled_problem_nears_the_bound(minus_log_lambda):
    """α = 1/2 and r = 2: neuron 1 grows at ‖D₋‖ less ‖D₋‖u₋ and the bound is ‖D₋‖ + e: nothing can break it."""
    found = evidence(minus_log_lambda)
    margin = rate(found, corrected=True)
    assert isinstance(margin, Margin)
    assert (margin.value, margin.scale, margin.verdict) == (math.inf, "nats", Verdict.HOLDS)
    assert margin.bound_log == pytest.approx(log_tolerance(found), rel=1e-12)


def crossed(minus_log_lambda: float) -> Problem:
    """y = (2, −1): neuron 1 nears −D₋, and neuron 2 of s = +1 puts h above 0 there until it dies."""
    start = Initialisation([[1.0, -1.0], [-1.0, 1.0], [0.1, 3.0]], [1, -1, 1], minus_log_lambda)
    return Problem(Dataset.standard([2.0, -1.0]), start)


@pytest.mark.parametrize("minus_log_lambda", [300.0, 1e3, 1e5])
def test_what_lifts_the_rate_is_held_against_the_tolerance(minus_log_lambda):
    """λ²·3|g₂| at the start is what neuron 2 puts out on label 1, and by half of that a rate may exceed ‖D₋‖."""
    found = Evidence(crossed(minus_log_lambda))
    margin = rate(found, corrected=True)
    assert isinstance(margin, Margin)
    harm = math.log(3 * math.sqrt(9.01) / 2) - 2 * minus_log_lambda
    assert margin.quantity_log == pytest.approx(harm, rel=1e-12, abs=1e-9)
    assert margin.bound_log == pytest.approx(log_tolerance(found), rel=1e-12)
    assert margin.value == pytest.approx(log_tolerance(found) - harm, rel=1e-9)
    assert (margin.scale, margin.verdict) == ("nats", Verdict.HOLDS)


def test_a_positive_neuron_may_tend_to_the_bound_as_well():
    """y = (2, 2, −2): neuron 1 sees one positive label, and its rate tends to 2/3 = ‖D₋‖; nothing can lift it."""
    start = Initialisation([[1.0, 1.0, -1.0], [1.0, -1.0, -1.0], [-1.0, -1.0, 1.0]], [1, 1, -1], 1e5)
    problem = Problem(Dataset.standard([2.0, 2.0, -2.0]), start)
    margin = rate(Evidence(problem), corrected=False)
    assert isinstance(margin, Margin)
    assert (margin.value, margin.scale, margin.verdict) == (math.inf, "nats", Verdict.HOLDS)


def test_a_rate_is_not_held_by_what_lifts_it_where_it_tends_beyond_the_bound():
    """y = (2, 2 + δ, −2): neuron 1 sees the larger one alone, and 2δ/3 is more than e however small δ is."""
    start = Initialisation([[1.0, 1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]], [1, 1, -1], 1e5)
    for delta, verdict in ((1e-3, Verdict.FAILS), (2.0**-51, Verdict.UNRESOLVED)):
        problem = Problem(Dataset.standard([2.0, 2.0 + delta, -2.0]), start)
        margin = rate(Evidence(problem), corrected=False)
        assert isinstance(margin, Margin)
        assert (margin.scale, margin.verdict) == ("relative", verdict)


def states_of_the_phase(found: Evidence) -> list:
    start, end = found.window(found.time_plus, found.second_exit.t)
    return [found.trajectory.at(float(t)) for t in np.linspace(start, end, 60)]


@pytest.mark.parametrize("seed", range(6))
def test_colinear_is_the_largest_distance_of_vectors(seed):
    """‖D₊ᵗ − (1 − u₊/(n‖D₊‖))D₊‖ from residuals and norms as they stand."""
    found = kept(seed)
    data, largest = found.problem.dataset, -math.inf
    for state in states_of_the_phase(found):
        u = float(np.exp(2 * state.log_norms[found.key(1)].astype(float)).sum())
        target = np.where(data.positive, data.y, 0.0) / data.n
        now = np.where(data.positive, state.residual.astype(float), 0.0) / data.n
        largest = max(largest, float(np.linalg.norm(now - (1 - u / (data.n * data.norm_plus)) * target)))
    margin = colinear(found)
    assert largest > 1e-6
    assert math.exp(margin.quantity_log) >= largest * (1 - 1e-9)
    assert math.exp(margin.quantity_log) <= largest * 1.05
    bound = math.log(2 * math.sqrt(2 * data.norm_plus)) - found.kappa / 4
    assert margin.value == pytest.approx(bound - margin.quantity_log, rel=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_logistic_bounds_the_left_side(seed):
    """|u₊′ − 2u₊(‖D₊‖ − u₊/n)|/(2u₊) with u₊′ = −2Σ w_j·∇_{w_j}L over S₊₁, from the network itself."""
    found = kept(seed)
    data, largest = found.problem.dataset, 0.0
    for state in states_of_the_phase(found):
        network, key = state.parameters(), found.key(1)
        u = float((network.a[key] ** 2).sum())
        slope = -2 * float((network.a * network.gradient(data).a)[key].sum())
        largest = max(largest, abs(slope - 2 * u * (data.norm_plus - u / data.n)) / (2 * u))
    margin = logistic(found)
    # An upper bound by the sizes of four parts, of which at most the first two have different signs.
    assert largest > 1e-6
    assert largest * (1 - 1e-9) <= math.exp(margin.quantity_log) <= 4 * largest
    error = 4 * math.sqrt(2 * data.norm_plus) * math.exp(-found.kappa / 4) + math.exp(-found.kappa / 2)
    assert margin.bound_log == pytest.approx(math.log(error), rel=1e-12)


@pytest.mark.parametrize("minus_log_lambda", SCALES)
def test_one_neuron_on_its_axis_is_logistic_exactly(minus_log_lambda):
    """Nothing off the axis, nobody else on the label: both quantities vanish and the margins are infinite."""
    found = evidence(minus_log_lambda)
    assert colinear(found).value == logistic(found).value == math.inf
    assert colinear(found).verdict is logistic(found).verdict is Verdict.HOLDS
