"""Lemma 9 in the regime: key neurons do not collapse."""

from hypothesis import given

from properties.drawn import in_their_regime
from verify import check


@given(problem=in_their_regime())
def test_lower_bounds(problem, margins):
    margins.assert_held(check(problem, ["L9.lower+", "L9.lower-"]), problem)
