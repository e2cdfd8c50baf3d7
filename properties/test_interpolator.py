"""Proposition 1 on drawn datasets, labels of one sign included."""

from hypothesis import given

from verify import check
from verify.strategies import problems


@given(problem=problems(n=(1, 6), m=(2, 4), kappa=(1, 40), sign_case="any"))
def test_closed_form_is_minimal(problem, margins):
    margins.assert_held(check(problem, ["A1.interpolator"]), problem)
