"""The explicit regime: each condition's inequality holds at its Λ and not below, and what it promises is true there."""

import math
from functools import cache

import mpmath as mp
import numpy as np
import pytest

from tests.claims.oracles import linear_last_death, linear_tilt
from tests.linearised import linear_neuron
from tests.problems import decoupled, reference, small
from verify.check import check
from verify.claim import Verdict
from verify.claims import CLAIMS
from verify.dataset import Dataset
from verify.errors import InvalidArgument
from verify.families import draw_problem
from verify.initialisation import Initialisation
from verify.limits import selected_sizes
from verify.pl import LocalNetworks, smallest_ratio
from verify.problem import Problem
from verify.regime import CONDITIONS, in_regime, regime

UP, DOWN = 1 + 1e-7, 1 - 1e-5
"""Factors on Λ just above and just below a condition's value."""


@cache
def drawn(seed: int) -> Problem:
    rng = np.random.default_rng(seed)
    labels = ("rational", "gaussian", "wide")[seed % 3]
    return draw_problem(rng, inputs="standard", labels=labels, n=3 + seed % 3, m=8, kappa=20.0)


def large_labels() -> Problem:
    """‖D₊‖ = 1000 and ‖D₋‖ = 950: dynamics a thousand times faster than in the other problems."""
    start = Initialisation([[1.0, 0.5], [0.5, 1.0]], [1, -1], 10.0)
    return Problem(Dataset.standard([2000.0, -1900.0]), start)


PROBLEMS = {
    "small": small,
    "decoupled": lambda: decoupled(10.0),
    "R1": lambda: reference("R1")[0].oriented(),
    "R2": lambda: reference("R2")[0].oriented(),
    "R3": lambda: reference("R3")[0].oriented(),
    **{f"drawn {seed}": lambda seed=seed: drawn(seed) for seed in range(8)},
    "large": large_labels,
}


def output_mass(problem: Problem, scale: float) -> float:
    """ln of 4mc²λ^(2(1−rε))."""
    start = problem.initialisation
    return math.log(4 * start.m * start.c**2) - 2 * (1 - problem.dataset.ratio * problem.epsilon) * scale


def signs_kept(problem: Problem, scale: float) -> float:
    return math.log(np.abs(problem.dataset.y).min() / 8) - output_mass(problem, scale)


def factor_kept(problem: Problem, scale: float) -> float:
    time_one = problem.epsilon * scale / problem.dataset.norm_minus
    return math.log(math.log(2) / time_one) - output_mass(problem, scale)


def phase_two_error(problem: Problem, scale: float) -> float:
    """2 sqrt(2‖D₊‖)λ^(ε/4)."""
    return 2 * math.sqrt(2 * problem.dataset.norm_plus) * math.exp(-problem.epsilon * scale / 4)


def idle(problem: Problem, scale: float) -> float:
    """ln 2 against the error of the rate over t₂, and ln(3/2) over the longest t₃, 2Λ/‖D₋‖."""
    data, error = problem.dataset, phase_two_error(problem, scale)
    second = math.log(2) - error * (1 + 3 * problem.epsilon) * scale / data.norm_plus
    return min(second, math.log(1.5) - error * 2 * scale / data.norm_minus)


def logistic(problem: Problem, scale: float) -> float:
    """(1 − η)(2Λ + 4κ) − (2Λ + 2.2κ + C), per κ."""
    data, kappa = problem.dataset, problem.epsilon * scale
    norm = data.norm_plus
    constant = math.log(4 * data.n * norm / problem.initialisation.c_low**2) + math.log(2 * data.n * norm)
    eta = (2 * phase_two_error(problem, scale) + math.exp(-kappa / 2)) / norm
    return ((1 - eta) * (2 * scale + 4 * kappa) - (2 * scale + 2.2 * kappa + constant)) / kappa


def limit_above_level(problem: Problem, scale: float) -> float:
    data, kappa = problem.dataset, problem.epsilon * scale
    logs = [math.log(4 * math.sqrt(2 * data.norm_plus)) - kappa / 4, -kappa / 2]
    return float(-math.log(2) - kappa / 5 - math.log(data.n) - np.logaddexp.reduce(logs))


def level(constant, power):
    """Slack, in nats, of constant·λ^(power·ε) ≤ 1."""
    return lambda problem, scale: power * problem.epsilon * scale - math.log(constant(problem.dataset, problem))


def pl_radius(data: Dataset) -> float:
    shares = np.abs(data.y) / np.where(
        data.positive, np.linalg.norm(data.y[data.positive]), np.linalg.norm(data.y[data.negative])
    )
    return 0.2 * math.sqrt(data.n * data.norm_minus) * float(shares.min())


def turn(problem: Problem, scale: float) -> float:
    data, kappa = problem.dataset, problem.epsilon * scale
    return 0.95 * kappa / 5 - (math.log(6 * data.n * data.norm_plus) + kappa / 5) / 2 - 0.5


def halves_to_come(problem: Problem, scale: float) -> float:
    """Slack, in nats, of λ^(ε/5) ≤ n‖D₊‖/2 and of λ^(ε/29) ≤ n‖D₋‖/2, each over its power of λ^ε."""
    data, kappa = problem.dataset, problem.epsilon * scale
    plus = math.log(np.linalg.norm(data.y[data.positive]) / 2) + kappa / 5
    minus = math.log(np.linalg.norm(data.y[data.negative]) / 2) + kappa / 29
    return min(plus, minus)


SLACKS = {
    "small_outputs": lambda problem, scale: min(signs_kept(problem, scale), factor_kept(problem, scale)),
    "logistic_in_time": logistic,
    "fit_before_error": limit_above_level,
    "idle_growth": idle,
    "tilt_in_phase_two": level(lambda data, problem: 5 * data.norm_plus, 1 - 2 / 5 - 1 / 2),
    "turn_in_time": turn,
    "still_after_two": level(lambda data, problem: 2 * math.sqrt(data.n / data.norm_plus), 1 / 5 - 1 / 15),
    "fits_to_come": halves_to_come,
    "phase_three": level(lambda data, problem: 2 * data.n * math.sqrt(2 * data.norm_minus), 1 / 28 - 1 / 29),
    "pl_ball": level(lambda data, problem: 1 / pl_radius(data), 1 / 160),
    "final_ball": level(lambda data, problem: 1 + 3 / math.sqrt(2 * data.n * data.norm_minus), 1 / 29 - 1 / 160),
}
"""Slack of each condition's inequality at a given Λ, written down from its statement; it holds where this is ≥ 0."""

TIGHT = sorted(set(SLACKS) - {"logistic_in_time", "fit_before_error"})
"""Conditions whose Λ is the smallest possible; the other two take a simpler, stronger inequality."""


@pytest.mark.parametrize("condition", SLACKS)
@pytest.mark.parametrize("name", PROBLEMS)
def test_a_condition_is_met_from_its_scale_on(name, condition):
    problem = PROBLEMS[name]()
    scale = max(CONDITIONS[condition](problem), 1.0)
    for factor in (UP, 1.1, 2.0, 5.0, 30.0, 1e3):
        assert SLACKS[condition](problem, scale * factor) >= 0, factor


@pytest.mark.parametrize("condition", TIGHT)
@pytest.mark.parametrize("name", PROBLEMS)
def test_a_condition_fails_slightly_below(name, condition):
    problem = PROBLEMS[name]()
    scale = CONDITIONS[condition](problem)
    if scale > 1.0:
        assert SLACKS[condition](problem, scale * DOWN) < 0
    else:
        assert SLACKS[condition](problem, 1.0) >= 0


@pytest.mark.parametrize("condition", ["logistic_in_time", "fit_before_error"])
@pytest.mark.parametrize("name", PROBLEMS)
def test_padded_conditions_are_padded_by_less_than_a_factor_three(name, condition):
    problem = PROBLEMS[name]()
    scale = CONDITIONS[condition](problem)
    assert SLACKS[condition](problem, scale / 3) < 0


@pytest.mark.parametrize("name", PROBLEMS)
def test_deaths_come_in_half_the_time(name):
    """t±₁ = κ/‖D±‖ is twice the last death under the linearised flow on one side, and no less on the other."""
    problem = PROBLEMS[name]()
    scale, data = CONDITIONS["deaths_in_time"](problem), problem.dataset
    deaths = [linear_last_death(problem, side) * norm for side, norm in ((1, data.norm_plus), (-1, data.norm_minus))]
    assert problem.epsilon * scale == pytest.approx(2 * max(deaths), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("name", PROBLEMS)
def test_alignment_comes_in_time(name):
    """1 − cos ≤ 2λ^ε at t±₁ under the linearised flow, from the condition's κ on; by e^-1 or more."""
    problem = PROBLEMS[name]()
    data = problem.dataset
    base = max(CONDITIONS[condition](problem) for condition in ("aligned_in_time", "deaths_in_time"))
    for factor in (UP, 1.5, 4.0):
        kappa = max(problem.epsilon * base * factor, 0.5)
        for side, norm in ((1, data.norm_plus), (-1, data.norm_minus)):
            assert linear_tilt(problem, side, kappa / norm)[1] <= math.log(2) - kappa + 1e-9


@pytest.mark.parametrize("name", PROBLEMS)
def test_alignment_by_rapidities(name):
    """κ = 2‖D‖T − 2d + 1, with T the last death of a key set and tanh d the smallest cosine at a neuron's own death."""
    problem = PROBLEMS[name]()
    needed = 0.0
    for side, norm, key in (
        (1, problem.dataset.norm_plus, problem.key_plus),
        (-1, problem.dataset.norm_minus, problem.key_minus),
    ):
        rapidity, late = math.inf, 200 / norm
        with mp.workdps(60):
            for j in np.flatnonzero(key):
                death = linear_neuron(problem, int(j), late).last_deactivation
                neuron = linear_neuron(problem, int(j), death)
                y = problem.dataset.y
                along = sum(mp.mpf(abs(v)) * p for v, p in zip(y, neuron.p, strict=True) if v * side > 0)
                length = mp.sqrt(sum(mp.mpf(v) ** 2 for v in y if v * side > 0))
                cosine = along / length / neuron.norm
                rapidity = min(rapidity, math.inf if cosine >= 1 else float(mp.atanh(cosine)))
        needed = max(needed, 2 * norm * linear_last_death(problem, side) - 2 * rapidity + 1)
    assert problem.epsilon * CONDITIONS["aligned_in_time"](problem) == pytest.approx(needed, rel=1e-8, abs=1e-8)


@pytest.mark.parametrize("seed", range(8))
def test_the_pl_ball_is_safe(seed):
    """At the condition's radius no θ of the ball has a ratio below ‖D₋‖, and the proof's own bound is above it."""
    problem = drawn(seed)
    data, sizes = problem.dataset, selected_sizes(problem)
    radius = math.exp(-CONDITIONS["pl_ball"](problem) * problem.epsilon / 160)
    assert radius == pytest.approx(min(pl_radius(data), 1.0), rel=1e-9)
    local = LocalNetworks.around(data, problem.initialisation.signs, sizes)
    assert smallest_ratio(local, radius, np.random.default_rng(seed)) >= data.norm_minus
    # Neurons that a displacement of length R can switch off at label k carry at most R²/ŷ_k² of the squares.
    norms = np.where(data.positive, data.norm_plus, data.norm_minus)
    shares = np.abs(data.y) / (data.n * norms)
    kept = np.sqrt(data.n * norms - (radius / shares) ** 2) - radius
    assert 2 * (kept**2).min() / data.n >= data.norm_minus


@pytest.mark.parametrize("name", PROBLEMS)
def test_the_regime_is_the_largest_of_its_conditions(name):
    problem = PROBLEMS[name]()
    found = regime(problem)
    values = {condition.name: condition.minus_log_lambda for condition in found.conditions}
    assert list(values) == list(CONDITIONS)
    assert values == {name: condition(problem) for name, condition in CONDITIONS.items()}
    assert found.minus_log_lambda == max(values.values()) == values[found.binding.name]


@pytest.mark.parametrize("name", PROBLEMS)
def test_in_regime_means_the_same_twice(name):
    """The regime does not depend on the problem's own Λ; in_regime rounds up by less than a thousandth."""
    problem = PROBLEMS[name]()
    wanted, moved = regime(problem), in_regime(problem)
    scale = moved.initialisation.minus_log_lambda
    assert regime(moved) == wanted
    assert in_regime(moved).key == moved.key
    assert wanted.minus_log_lambda <= scale <= 1.001 * wanted.minus_log_lambda
    assert float(f"{scale:.4g}") == scale
    assert moved.at_scale(problem.initialisation.minus_log_lambda).key == problem.key
    twice = in_regime(problem, 2.0).initialisation.minus_log_lambda
    assert 2 * wanted.minus_log_lambda <= twice <= 2.002 * wanted.minus_log_lambda


def test_the_regime_of_a_flipped_problem_is_that_of_its_twin():
    problem = small()
    flipped = Problem(Dataset.standard([-2.0, 1.0], d=3), problem.initialisation.flipped())
    assert regime(flipped) == regime(problem)
    assert in_regime(flipped).oriented().key == in_regime(problem).key


@pytest.mark.parametrize(
    ("y", "signs"), [([2.0, 1.0], [1, -1]), ([2.0, -1.0], [1, 1]), ([2.0, -1.0], [-1, -1])], ids=str
)
def test_no_regime_without_both_signs_and_key_sets(y, signs):
    problem = Problem(Dataset.standard(y), Initialisation([[1.0, 1.0], [1.0, 2.0]], signs, 10.0))
    for function in (regime, in_regime):
        with pytest.raises(InvalidArgument, match="Assumption 3"):
            function(problem)


def test_two_conditions_depend_on_the_directions():
    """E5: the same data, width and norms; a key neuron that starts away from its target needs a smaller λ."""
    start = Initialisation([[0.01, 1.0, 3.0], [0.0, 1.0, 0.0]], [1, -1], 10.0)
    turned = Initialisation([[1.0, 0.01, 3.0], [0.0, 1.0, 0.0]], [1, -1], 10.0)
    late, early = (Problem(Dataset.standard([2.0, -1.0], d=3), each) for each in (start, turned))
    np.testing.assert_array_equal(start.norms, turned.norms)
    changed = {name for name, condition in CONDITIONS.items() if condition(late) != condition(early)}
    assert changed == {"deaths_in_time", "aligned_in_time"}
    for name in changed:
        assert CONDITIONS[name](late) > 1.5 * CONDITIONS[name](early)


SWEEPS = {"C1.exponent", "T1.bias"}


@pytest.mark.parametrize("name", ["small", "R3", "drawn 0"])
def test_claims_hold_in_the_regime(name):
    """Every claim in the reading that should hold; those that sweep over Λ of their own are left to their tests."""
    problem = in_regime(PROBLEMS[name]())
    frame = check(problem, [c.id for c in CLAIMS if c.reading != "literal" and c.id not in SWEEPS])
    assert set(frame["verdict"]) <= {Verdict.HOLDS, Verdict.VACUOUS}, frame[frame["verdict"] != "HOLDS"].to_string()
    assert (frame["verdict"] == Verdict.HOLDS).sum() > 35
