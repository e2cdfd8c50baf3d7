"""Steps of phase 1 in the regime."""

from hypothesis import given

from properties.drawn import in_their_regime
from verify import check


@given(problem=in_their_regime())
def test_signs_and_cross_terms(problem, margins):
    margins.assert_held(check(problem, ["P1.sign", "P1.monotone", "P1.monotone-"]), problem)
