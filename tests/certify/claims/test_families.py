"""Sweeps over Λ in balls: the slope of the enclosed points is the one that is measured."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest

from verify import Dataset, Initialisation, Problem, check
from verify.certify.balls import ball, precision
from verify.certify.claims import end, families
from verify.certify.evidence import Evidence
from verify.certify.follow import effort_for
from verify.certify.verdicts import certify
from verify.claims import corollary1, theorem1

CLAIMS = ["C1.exponent", "T1.bias"]


def problem() -> Problem:
    """Two labels; the third neuron dies on the negative one."""
    start = Initialisation([[1.0, -0.5, 0.5], [-0.25, 1.0, 0.1], [0.5, 0.75, -1.0]], [1, -1, 1], 300)
    return Problem(Dataset.standard([1, -0.5], d=3), start)


def test_slopes_agree_with_measured_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """Over the same four scales, which balls are always certified at and measures only where three leave a doubt."""
    for claims in (theorem1, corollary1):
        monkeypatch.setattr(claims, "CLEAR", math.inf)
    rows, measured = certify(problem(), CLAIMS).frame(), check(problem(), CLAIMS, digits=None)
    assert rows.verdict.tolist() == ["HOLDS (certified)"] * 2
    for box, row in zip(rows.itertuples(), measured.itertuples(), strict=True):
        assert box.low - row.uncertainty <= row.margin <= box.high + row.uncertainty, box.claim
        assert box.high - box.low < 1e-6 and "4 certified scales" in box.reason


def test_the_slope_is_that_of_least_squares() -> None:
    with precision(80):
        line = families.slope([(ball(x), ball(y)) for x, y in ((1, 3), (2, 5), (4, 9))])
        assert line.contains(2) and families.slope([(ball(x), ball(y)) for x, y in ((0, 0), (1, 3), (2, 0))]).contains(
            0
        )


def test_scales_are_the_decimals_that_are_followed() -> None:
    """The machine float 7.7 is below 77/10, which is what it means as a scale."""
    evidence = Evidence(problem(), effort_for(problem(), 15))
    with precision(200):
        found = families._limit_distance(evidence, 7.7)
        assert found is not None and found[0].overlaps(ball(Fraction(77, 10))) and not found[0].overlaps(ball(7.7))


def test_a_distance_that_is_lost_leaves_the_bias_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(families, "DEEPER", 1)
    monkeypatch.setattr(families, "_distance", lambda evidence, t, sides: ball(0))
    [row] = certify(problem(), ["T1.bias"]).frame().itertuples()
    assert row.verdict == "UNRESOLVED" and "is not told from 0" in row.reason


def test_a_saddle_that_is_off_by_a_millionth_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = end.selected_sizes

    def off(*arguments: Any) -> Any:
        return [size * (1 + ball(1e-6)) for size in honest(*arguments)]

    assert certify(problem(), ["C1.strict"]).frame().verdict.tolist() == ["HOLDS (certified)"]
    monkeypatch.setattr(end, "selected_sizes", off)
    assert certify(problem(), ["C1.strict"]).frame().verdict.tolist() == ["FAILS (certified)"]
