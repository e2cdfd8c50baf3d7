"""Lemma 5: the margin as a function of the ball, its limit, and where the claim says nothing."""

import math

import numpy as np
import pytest

from tests.problems import decoupled, small
from tests.test_pl import limit, lower_bound
from verify.claim import Margin, Vacuous, Verdict
from verify.claims.lemma5 import CLAIMS, RADIUS_EXPONENT, constant
from verify.evidence import Evidence
from verify.families import draw_problem
from verify.initialisation import Initialisation
from verify.limits import selected_sizes
from verify.pl import LocalNetworks
from verify.precision import measure
from verify.problem import Problem


def drawn(seed, kappa):
    return draw_problem(np.random.default_rng(seed), inputs="standard", labels="rational", n=3, m=5, kappa=kappa)


def local_bound(problem):
    """The provable lower bound of the ratio in the ball."""
    local = LocalNetworks.around(problem.dataset, problem.initialisation.signs, selected_sizes(problem))
    return lower_bound(problem.dataset, local, math.exp(-RADIUS_EXPONENT * problem.kappa))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("kappa", [3e3, 3e4, 1e5])
def test_small_balls(seed, kappa):
    """The ratio found lies between the provable bound and a little more than its limit for λ → 0."""
    problem = drawn(seed, kappa)
    margin = constant(Evidence(problem))
    norm = problem.dataset.norm_minus
    ratio = norm * (1 + margin.value)
    assert ratio >= local_bound(problem) * (1 - 1e-9)
    assert limit(problem.dataset) * (1 - 1e-3) <= ratio <= 1.05 * limit(problem.dataset)
    assert margin.uncertainty == pytest.approx((ratio - local_bound(problem)) / norm, rel=1e-6, abs=1e-13)
    assert margin.verdict is (Verdict.HOLDS if local_bound(problem) > norm else Verdict.UNRESOLVED)


def test_the_error_bar_closes_on_the_limit():
    """Two negative labels: found and provable ratio both tend to 2‖D₋‖, with the radius."""
    margins = [constant(Evidence(drawn(0, kappa))) for kappa in (3e3, 1e4, 3e4)]
    assert drawn(0, 1.0).dataset.negative.sum() > 1
    assert all(margin.value == pytest.approx(1.0, abs=1e-3) for margin in margins)
    bars = [margin.uncertainty for margin in margins]
    assert bars[0] > 1e3 * bars[1] and bars[2] < 1e-12


def test_a_search_alone_proves_nothing():
    """A ball in which the search finds 2‖D₋‖ or so, and of which no more than a fraction of it can be proved."""
    problem = drawn(0, 200.0)
    margin = constant(Evidence(problem))
    assert margin.value > 0 and local_bound(problem) < problem.dataset.norm_minus
    assert margin.verdict is Verdict.UNRESOLVED


def test_one_label_a_side_has_four_times_the_target():
    """Nothing is orthogonal to a single label: 4‖D₋‖ is the limit, the margin 3; 2‖D₋‖ is what can be proved."""
    for problem in (small(1e5), decoupled(1e5)):
        margin = constant(Evidence(problem))
        assert (margin.value, margin.uncertainty) == (pytest.approx(3.0, abs=1e-6), pytest.approx(2.0, abs=1e-6))
        assert margin.verdict is Verdict.HOLDS


@pytest.mark.parametrize("minus_log_lambda", [1e6, 1e7])
def test_a_radius_below_every_float(recwarn, minus_log_lambda):
    """κ = 125 000 at Λ = 10^6: the radius e^(−κ/160) underflows, the limit of the ratio does not."""
    margin = constant(Evidence(small(minus_log_lambda, epsilon="0.125")))
    assert margin.value == pytest.approx(3.0, abs=1e-6)
    assert not [str(w.message) for w in recwarn]


def test_the_radius_is_reported():
    problem = small(8000.0, epsilon="0.1")
    assert "ball of radius exp(−5)" in constant(Evidence(problem)).note


def test_a_large_ball_fails_and_says_how():
    margin = constant(Evidence(drawn(0, 5.0)))
    assert margin.verdict is Verdict.FAILS
    assert "smallest ratio found" in margin.note


def test_the_margin_is_the_same_every_time():
    assert constant(Evidence(drawn(1, 2000.0))).value == constant(Evidence(drawn(1, 2000.0))).value


def test_neurons_outside_the_key_sets_do_not_matter_for_small_balls():
    """They only add to the kernel, in second order of the radius."""
    problem = drawn(2, 1e5)
    start = problem.initialisation
    keep = problem.key_plus | problem.key_minus
    left = Initialisation(start.directions[keep], start.signs[keep], start.minus_log_lambda)
    fewer = Problem(problem.dataset, left, problem.epsilon)
    one, other = constant(Evidence(problem)).value, constant(Evidence(fewer)).value
    assert one == pytest.approx(other, abs=0.05)


def test_hypotheses():
    """Empty key sets, an unbalanced start, λ = 1."""
    (claim,) = CLAIMS
    start = small().initialisation
    for index in ([0, 1], [2, 3]):
        lacking = Problem(small().dataset, Initialisation(start.directions[index], start.signs[index], 1000.0))
        assert isinstance(measure(claim, Evidence(lacking)), Vacuous)
    unbalanced = Initialisation(start.directions, start.signs, 1000.0, [1.0, 1.0, 1.0, 1.0])
    assert isinstance(measure(claim, Evidence(Problem(small().dataset, unbalanced))), Vacuous)
    assert isinstance(measure(claim, Evidence(small(0.0))), Vacuous)
    assert isinstance(measure(claim, Evidence(small(1000.0))), Margin)
