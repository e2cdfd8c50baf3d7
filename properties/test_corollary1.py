"""Corollary 1 in the regime: near a strict saddle at t₂."""

from hypothesis import given

from properties.drawn import SWEEPS, in_their_regime
from verify import check


@given(problem=in_their_regime())
def test_saddle(problem, margins):
    margins.assert_held(check(problem, ["C1.saddle", "C1.strict"]), problem)


@SWEEPS
@given(problem=in_their_regime(n=(2, 3), m=(2, 4)))
def test_measured_exponent(problem, margins):
    margins.assert_held(check(problem, ["C1.exponent"]), problem)
