"""Lemma 6 on drawn problems: negative coordinates are frozen."""

from hypothesis import given

from verify import check
from verify.strategies import problems


@given(problem=problems(kappa=(1, 2000), sign_case="any"))
def test_frozen(problem, margins):
    margins.assert_held(check(problem, ["L6.frozen"]), problem)
