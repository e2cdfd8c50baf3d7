"""Arithmetic as an argument: a second kind of number through the same functions."""

from dataclasses import replace
from fractions import Fraction

from verify.flow.float64 import FLOAT64


def test_zeros_of_object_arrays_are_zeros_of_that_kind():
    exact = replace(FLOAT64, dtype=object, number=Fraction)
    zeros = exact.zeros((2, 2))
    assert zeros.dtype == object
    assert all(isinstance(v, Fraction) and v == 0 for v in zeros.ravel())
