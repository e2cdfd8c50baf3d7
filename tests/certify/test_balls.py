"""Balls are made of exact numbers alone."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest

from verify.certify.balls import ball, library, precision


@pytest.mark.parametrize("value", [3, 0.1, np.float64(0.1), Fraction(1, 10), 2**200 + 1])
def test_a_ball_holds_the_number_it_is_made_of(value: Any) -> None:
    with precision(60):
        made = ball(value)
    exact = Fraction(value)
    with precision(300):
        assert made.contains(library().fmpq(exact.numerator, exact.denominator))


@pytest.mark.parametrize("value", ["0.1", np.float32(0.1), np.longdouble(0.1), mpmath.mpf(1) / 3, None])
def test_what_may_be_rounded_on_the_way_is_refused(value: Any) -> None:
    with pytest.raises(TypeError, match="no ball is made of"):
        ball(value)
