"""Sums of exponentials: against mpmath, far outside the range of floats, and what is empty or not a number."""

import math

import mpmath
import numpy as np
import pytest

from verify.flow.sums import signed_log_sum


@pytest.mark.parametrize("shift", [0.0, -1e5, 1e5])
def test_rows_are_summed_as_mpmath_does(shift):
    rng = np.random.default_rng(0)
    logs, signs = shift + 20 * rng.normal(size=(3, 4, 7)), rng.choice([-1.0, 1.0], size=(3, 4, 7))
    sign, log = signed_log_sum(signs, logs)
    assert sign.shape == log.shape == (3, 4)
    with mpmath.workdps(60):
        for place in np.ndindex(3, 4):
            total = sum(s * mpmath.exp(x) for s, x in zip(signs[place], map(mpmath.mpf, logs[place]), strict=True))
            assert sign[place] == mpmath.sign(total)
            assert log[place] == pytest.approx(float(mpmath.log(abs(total))), rel=1e-15, abs=1e-13)


def test_one_row_gives_numbers():
    sign, log = signed_log_sum([1.0, -1.0], np.log([3.0, 1.0]))
    assert (float(sign), float(log)) == (1.0, pytest.approx(math.log(2)))


def test_nothing_has_the_logarithm_minus_infinity():
    for logs in (np.zeros((2, 0)), np.full((2, 3), -np.inf), np.array([[5.0, 5.0], [0.0, 0.0]])):
        signs = np.resize([1.0, -1.0], logs.shape)
        sign, log = signed_log_sum(signs, logs)
        assert (sign == 0).all() and (log == -np.inf).all()


@pytest.mark.filterwarnings("error")
def test_what_is_not_a_number_stays_so_without_a_warning():
    for row in ([np.nan, 1.0], [1.0, np.nan]):
        assert np.isnan(signed_log_sum(np.ones(2), np.array(row))[1])
