"""Lemma 7 in the regime: the state at t₊₁, with the dead labels as the proof gives them."""

from hypothesis import given

from properties.drawn import in_their_regime
from verify import check


@given(problem=in_their_regime())
def test_state_at_t_plus(problem, margins):
    margins.assert_held(check(problem, ["L7.norm", "L7.align", "L7.dead.corrected"]), problem)
