"""Lemma 5 on drawn problems. Its ball has radius exp(−κ/160), which is small only for κ in the thousands."""

from hypothesis import given

from verify import check
from verify.strategies import problems


@given(problem=problems(kappa=(2000, 50000)))
def test_pl_constant(problem, margins):
    margins.assert_held(check(problem, ["L5.PL"]), problem)
