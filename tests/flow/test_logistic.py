"""The logistic and its clock, against the differential equation and the integral that define them."""

import mpmath
import numpy as np
import pytest

from verify.flow.float64 import FLOAT64
from verify.flow.logistic import Logistic
from verify.flow.multiprecision import multiprecision


@pytest.mark.parametrize("odds", [1e-17, 0.3])
def test_the_share_obeys_its_equation_and_the_clock_is_an_integral(odds):
    arithmetic = multiprecision(40)
    with arithmetic.context(), mpmath.workdps(50):
        rate = arithmetic.number(0.7)
        logistic = Logistic(arithmetic.number(3), rate, arithmetic.number(odds), arithmetic)

        def left(t):
            return arithmetic.export(logistic.shares(arithmetic.number(mpmath.mpf(t)))[1])

        for t in (4.0, 20.0, 40.0, 70.0):
            h = mpmath.mpf(2) ** -24
            slope = (left(t - h) - left(t + h)) / (2 * h)
            assert abs(slope / (2 * mpmath.mpf(0.7) * (1 - left(t)) * left(t)) - 1) < 1e-13
            integral = mpmath.quad(left, np.linspace(3.0, t, 12).tolist())
            assert abs(arithmetic.export(logistic.clock(arithmetic.number(t))) / integral - 1) < 1e-14
    assert float(logistic.clock(1e3)) <= float(logistic.last) * (1 + 1e-15)


def test_machine_floats_lose_nothing():
    """Shares that are tiny on either side, and a clock that has nearly stopped."""
    logistic, sharp = (Logistic(0.0, 0.5, 1e-17, FLOAT64), multiprecision(30))
    with sharp.context():
        exact = Logistic(*(sharp.number(x) for x in (0.0, 0.5, 1e-17)), sharp)
        for t in (1e-3, 5.0, 39.0, 60.0, 79.0):
            ours = np.array([*logistic.shares(t), logistic.clock(t)])
            theirs = np.array([*exact.shares(sharp.number(t)), exact.clock(sharp.number(t))], dtype=float)
            np.testing.assert_allclose(ours, theirs, rtol=2e-13 if t < 1 else 2e-14)
    assert logistic.shares(logistic.when(1e-17))[1] == pytest.approx(1e-17, rel=1e-13)
