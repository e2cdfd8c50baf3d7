"""Lemma 3 on drawn problems: phase 2 ends in time, by fitting, with the key neurons aligned."""

from hypothesis import given

from verify import check
from verify.strategies import problems


@given(problem=problems(kappa=(1, 2000)))
def test_phase_two(problem, margins):
    margins.assert_held(check(problem, ["L3.time", "L3.exit", "L3.align"]), problem)
