"""Lemma 4 in the regime: the whole of phase 3."""

from hypothesis import given

from properties.drawn import in_their_regime
from verify import check


@given(problem=in_their_regime())
def test_phase_three(problem, margins):
    margins.assert_held(
        check(problem, ["L4.time", "L4.exit", "L4.align", "L4.still", "L4.fitted", "L4.idle", "L4.close.corrected"]),
        problem,
    )
