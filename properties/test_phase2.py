"""The turn of phase 2 in the regime."""

from hypothesis import given

from properties.drawn import in_their_regime
from verify import check


@given(problem=in_their_regime())
def test_turn(problem, margins):
    margins.assert_held(check(problem, ["P2.turn"]), problem)
