"""Lemma 8 in the regime: the state at t₋₁."""

from hypothesis import given

from properties.drawn import in_their_regime
from verify import check


@given(problem=in_their_regime())
def test_state_at_t_minus(problem, margins):
    margins.assert_held(check(problem, ["L8.norm", "L8.align", "L8.dead.corrected"]), problem)
