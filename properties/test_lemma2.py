"""Lemma 2 on drawn problems: at t₁ the key neurons are aligned and all norms are small."""

from hypothesis import given

from verify import check
from verify.strategies import problems


@given(problem=problems(kappa=(1, 2000)))
def test_aligned_and_small(problem, margins):
    margins.assert_held(check(problem, ["L2.align+", "L2.align-", "L2.norm"]), problem)
