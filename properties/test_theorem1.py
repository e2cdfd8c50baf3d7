"""Theorem 1 in the regime: zero loss."""

from hypothesis import given

from properties.drawn import SWEEPS, in_their_regime
from verify import check


@given(problem=in_their_regime())
def test_zero_loss(problem, margins):
    margins.assert_held(check(problem, ["T1.loss"]), problem)


@SWEEPS
@given(problem=in_their_regime(n=(2, 3), m=(2, 4)))
def test_bias(problem, margins):
    margins.assert_held(check(problem, ["T1.bias"]), problem)
