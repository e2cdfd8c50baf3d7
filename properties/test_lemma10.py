"""Steps of phase 2 in the regime."""

from hypothesis import given

from properties.drawn import in_their_regime
from verify import check


@given(problem=in_their_regime())
def test_rates_and_logistic_growth(problem, margins):
    margins.assert_held(check(problem, ["L10.rate.corrected", "L10.colinear", "L10.logistic"]), problem)
