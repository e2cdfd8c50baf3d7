"""Distances: against plain Euclidean distance, closed forms, and honest error bars."""

import math
from functools import cache

import numpy as np
import pytest

from tests.claims.oracles import SCALES, drawn, evidence, second_time, third_time
from tests.claims.oracles import log_distance as closed_log_distance
from verify.dataset import Dataset
from verify.distance import Blurred, log_share_drift, measured_distance
from verify.evidence import Evidence
from verify.initialisation import Initialisation
from verify.limits import saddle, selected_interpolator
from verify.measures import log_key_norm, target_norm
from verify.problem import Problem

KAPPAS = (0.3, 1.0, 3.0, 10.0)
SEEDS = range(4)


def plain_shares(found: Evidence, t: float, side: int) -> np.ndarray:
    sizes = np.exp(np.asarray(found.trajectory.at(t).log_norms[found.key(side)], dtype=float))
    return sizes / np.linalg.norm(sizes)


def limit_shares(found: Evidence, side: int) -> np.ndarray:
    sizes = found.selected_sizes[found.key(side)]
    return sizes / np.linalg.norm(sizes)


@cache
def crowded(seed: int, kappa: float) -> Evidence:
    """Several neurons in each key set: two labels, sixteen neurons."""
    return drawn(seed, kappa, n=2, m=16, d=2)


def test_uncertainty_is_that_of_the_side_that_matters():
    """Below the bound the number may be larger: ln(1 + noise/number). Above it smaller: −ln(1 − noise/number)."""
    number = Blurred(log=math.log(4.0), log_noise=math.log(1.0), relative=0.01)
    assert number.uncertainty(math.log(5.0)) == pytest.approx(0.01 + math.log(5 / 4))
    assert number.uncertainty(math.log(3.0)) == pytest.approx(0.01 + math.log(4 / 3))
    drowned = Blurred(log=math.log(1.0), log_noise=math.log(3.0), relative=0.0)
    assert drowned.uncertainty(math.log(2.0)) == pytest.approx(math.log(4.0))
    assert drowned.uncertainty(math.log(0.5)) == math.inf
    assert Blurred(-5000.0, -math.inf, 0.0).uncertainty(-4000.0) == 0.0
    assert Blurred(-5000.0, 0.0, 0.0).uncertainty(-4000.0) > 699
    assert number.upper == pytest.approx(math.log(5.0))
    assert Blurred(-5000.0, -math.inf, 0.0).upper == -5000.0


@pytest.mark.parametrize("kappa", [3.0, 10.0])
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("sides", [(1, -1), (1,)])
def test_distance_is_the_euclidean_one_at_the_ends_of_phases(seed, kappa, sides):
    """At t₂ from θ_S, at t₃ and at rest from θ*."""
    found = crowded(seed, kappa)
    times = [found.second_exit.t] if sides == (1,) else [found.third_exit.t, float(found.trajectory.t_end)]
    assert_euclidean(found, sides, times)


@pytest.mark.parametrize("kappa", [0.3, 1.0])
@pytest.mark.parametrize("seed", SEEDS)
def test_distance_is_the_euclidean_one_at_any_time(seed, kappa):
    """‖a − c‖² = (sqrt(u) − sqrt(n‖D‖))² + sqrt(u n‖D‖)‖share − limit‖²: exact, also where u is not near n‖D‖."""
    found = crowded(seed, kappa)
    end = float(found.trajectory.t_end)
    times = [*np.linspace(0.0, end, 25), min(found.second_exit.t, end), min(found.third_exit.t, end)]
    for sides in ((1, -1), (1,)):
        assert_euclidean(found, sides, times)


def assert_euclidean(found, sides, times):
    """Up to the error bar, and the rounding of the plain distance."""
    target = saddle(found.problem) if sides == (1,) else selected_interpolator(found.problem)
    for t in times:
        state = found.trajectory.at(float(t))
        plain = state.parameters().distance(target)
        number = measured_distance(found, state, sides)
        size = math.exp(number.log)
        allowed = size * number.relative + math.exp(number.log_noise) + 1e-14 * math.sqrt(target.norm_squared())
        assert abs(size - plain) <= allowed, (float(t), size, plain, allowed)


@pytest.mark.parametrize("minus_log_lambda", SCALES)
def test_distance_of_the_decoupled_problem(minus_log_lambda):
    """2(sqrt|y| − |a|)² a label, in logarithms, where the plain difference is lost."""
    found = evidence(minus_log_lambda)
    problem = found.problem
    for sides, at_rest, t in (
        ((1,), (0,), second_time(problem)),
        ((1, -1), (0, 1), third_time(problem)),
        ((1, -1), (0, 1), third_time(problem) + 50.0),
        ((1, -1), (0, 1), 0.0),
    ):
        number = measured_distance(found, found.timeline.state(t), sides)
        expected = closed_log_distance(problem, t, at_rest)
        # The closed form is taken at a rounded time, which moves a gap by its rate times the rounding.
        rounding = 8 * np.finfo(float).eps * t
        assert number.log == pytest.approx(expected, rel=0, abs=number.uncertainty(-math.inf) + rounding)
        assert number.log_noise == -math.inf
        assert number.uncertainty(-math.inf) < 1e-3


def test_neurons_on_one_line_never_mix():
    """Two key neurons along one axis: shares stay 1:2 for ever, so that θ(t) − θ* is the gap alone."""
    start = Initialisation([[1.0, 0.0], [2.0, 0.0], [0.0, 1.0]], [1, 1, -1], 1e5)
    found = Evidence(Problem(Dataset.standard([2.0, -1.0]), start))
    t = found.third_exit.t
    state = found.timeline.state(t)
    number = measured_distance(found, state, (1,))
    sizes = [2 * float(state.log_norms[2]) + math.log(2)]
    gap = float(state.log_residual[0]) - math.log(2 * math.sqrt(2.0))
    sizes.append(2 * gap + math.log(2))
    assert number.log_noise < number.log + math.log(1e-3)
    assert number.log == pytest.approx(float(np.logaddexp.reduce(sizes)) / 2, rel=1e-12)


@pytest.mark.parametrize("minus_log_lambda", [100.0, 1e4, 1e6])
def test_the_gap_at_which_a_fit_ends_a_phase_is_known(minus_log_lambda):
    """2(sqrt(2) − sqrt(2 − λ^(ε/5)))² at t₂, with no error from the time found; the minus neuron adds its own norm."""
    found = evidence(minus_log_lambda)
    end, kappa = found.second_exit, found.kappa
    state = found.timeline.state(end.t)
    radial = -kappa / 5 - math.log(math.sqrt(2.0) + math.sqrt(2.0 - math.exp(-kappa / 5)))
    expected = np.logaddexp(2 * radial, 2 * float(state.log_norms[1])) / 2 + math.log(2) / 2
    number = measured_distance(found, state, (1,), end)
    assert end.condition == "fit"
    assert number.log == pytest.approx(expected, rel=1e-15)
    assert number.uncertainty(-math.inf) < measured_distance(found, state, (1,)).uncertainty(-math.inf) < 1e-5


def fitted_by_half(found: Evidence, side: int) -> float:
    """The first time at which u has reached half of n‖D‖."""
    half = math.log(found.problem.dataset.n * target_norm(found.problem, side) / 2)
    t = found.timeline.first_passage(lambda s: log_key_norm(s, side) - half, 0.0, float(found.trajectory.t_end))
    assert t is not None
    return t


@pytest.mark.parametrize("kappa", KAPPAS)
@pytest.mark.parametrize("seed", SEEDS)
def test_share_drift_bounds_the_drift_of_shares(seed, kappa):
    """Once a side is half fitted, ‖share − limit share‖ is at most the bound and rounding."""
    found = crowded(seed, kappa)
    for side in (1, -1):
        assert_drift_bounded(found, side, fitted_by_half(found, side))


def assert_drift_bounded(found: Evidence, side: int, begin: float) -> None:
    bound = log_share_drift(found, side)
    assert bound <= 0
    for t in np.linspace(begin, float(found.trajectory.t_end), 20):
        moved = np.linalg.norm(plain_shares(found, float(t), side) - limit_shares(found, side))
        assert moved <= math.exp(bound) + 8 * found.error, (side, t, moved, math.exp(bound))


@pytest.mark.parametrize("seed", SEEDS)
def test_share_drift_falls_with_lambda(seed):
    """Linearly at least: by a power of λ between κ = 3 and 30."""
    bounds = [max(log_share_drift(crowded(seed, kappa), side) for side in (1, -1)) for kappa in (3.0, 10.0, 30.0)]
    if bounds[0] > -math.inf:
        assert bounds[2] < bounds[1] - 5 < bounds[0] - 5 or bounds[0] == 0.0
        assert bounds[2] < -10


@pytest.mark.parametrize("seed", range(3))
def test_noise_stays_where_the_shares_cannot_be_seen(seed):
    """At small λ the drift bound takes the place of a difference of rounded shares, and the distance is below it."""
    found = crowded(seed, 3000.0)
    number = measured_distance(found, found.timeline.state(found.third_exit.t), (1, -1))
    assert number.log < math.log(found.error)
    assert number.log_noise < number.log + math.log(1e-3)
    assert number.uncertainty(number.log + 1) < 1e-3
