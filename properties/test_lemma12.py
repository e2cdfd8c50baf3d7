"""Lemma 12 in the regime: exponential convergence within the ball."""

from hypothesis import given

from properties.drawn import in_their_regime
from verify import check


@given(problem=in_their_regime())
def test_rate_and_ball(problem, margins):
    margins.assert_held(check(problem, ["L12.rate", "L12.ball"]), problem)
