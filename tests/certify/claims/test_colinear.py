"""Lemma 10 in balls against its definitions, evaluated on a trajectory of many digits."""

from __future__ import annotations

from functools import cache
from typing import Any

import mpmath
import pytest

from tests.certify.claims.quick import evidence, quick, rows
from tests.certify.sound import holds
from verify import check, simulate
from verify.certify.balls import hull, precision
from verify.certify.claims.colinear import apart, astray
from verify.flow.trajectory import Trajectory

DIGITS = 55


@cache
def many() -> Trajectory:
    return simulate(quick(), digits=DIGITS)


def key_square(t: Any) -> Any:
    """u₊ of neurons 0 and 3."""
    logs = many().at(t).log_norms
    return mpmath.exp(2 * logs[0]) + mpmath.exp(2 * logs[3])


def norm_plus() -> Any:
    return mpmath.mpf("1.25") / 3


@pytest.mark.parametrize("t", [200, 700, 716, 720])
def test_the_target_stays_colinear_by_as_much_as_its_definition_says(t: int) -> None:
    """‖r₊/n − (1 − u₊/(n‖D₊‖))y₊/n‖ from residuals, which cancel; then over a stretch of time."""
    now = evidence()
    with precision(now.effort.bits), mpmath.workdps(DIGITS):
        left = 1 - key_square(t) / (3 * norm_plus())
        gaps = [many().at(t).residual[k] - left * y for k, y in ((0, mpmath.mpf(1)), (1, mpmath.mpf("0.75")))]
        exact = mpmath.sqrt(gaps[0] ** 2 + gaps[1] ** 2) / 3
        assert holds(apart(now, now.trajectory.at(t)), exact, 1e-50)
        stretch = apart(now, now.trajectory.over(now.trajectory.at(t - 1).t, now.trajectory.at(t + 1).t))
        assert stretch.is_finite() and holds(stretch, exact, 1e-50)


@pytest.mark.parametrize("t", [200, 700, 716, 720])
def test_u_changes_as_its_derivative_says(t: int) -> None:
    now, h = evidence(), mpmath.mpf("1e-12")
    with precision(now.effort.bits), mpmath.workdps(DIGITS):
        slope = (mpmath.log(key_square(t + h)) - mpmath.log(key_square(t - h))) / (4 * h)
        exact = abs(slope - (norm_plus() - key_square(t) / 3))
        found = astray(now, now.trajectory.at(t))
        assert holds(found, exact, 1e-20) and float(found.rad()) < 1e-10
        moving = astray(now, now.trajectory.at(hull(found * 0 + t, found * 0 + t + 2)))
        assert holds(moving, exact, 1e-20)


def test_margins_are_no_smaller_than_measured_ones() -> None:
    found = rows(["L10.colinear", "L10.logistic"])
    measured = check(quick(), ["L10.colinear", "L10.logistic"], digits=None)
    assert set(found.verdict) == {"HOLDS (certified)"}
    assert (found.high >= measured.margin - measured.uncertainty).all()
    assert found.low[0] <= measured.margin[0] + measured.uncertainty[0]
