"""Appendix D in the regime: every deactivation is transversal."""

from hypothesis import given

from properties.drawn import in_their_regime
from verify import check


@given(problem=in_their_regime())
def test_transversal(problem, margins):
    margins.assert_held(check(problem, ["AD.subgradient"]), problem)
