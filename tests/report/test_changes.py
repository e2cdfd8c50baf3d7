"""What counts as a change between two sets of rows, and what does not."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from verify.report.changes import COMPARED, compare, rounding


def rows(*cases: tuple[str, str, float, float], scale: str = "nats") -> pd.DataFrame:
    """Rows of one problem: claim, verdict, margin, uncertainty."""
    return pd.DataFrame([("aa", *case, scale, 0.5) for case in cases], columns=list(COMPARED))


def one(margin: float, uncertainty: float, verdict: str = "HOLDS", scale: str = "nats") -> pd.DataFrame:
    return rows(("L3.time", verdict, margin, uncertainty), scale=scale)


NAN, INF = math.nan, math.inf


@pytest.mark.parametrize(
    ("old", "new", "moved"),
    [
        ((5.0, 1e-9), (5.0, 1e-9), False),
        ((5.0, 1e-9), (5.0 + 1.9e-9, 1e-9), False),
        ((5.0, 1e-9), (5.0 + 2.1e-9, 1e-9), True),
        ((5.0, 0.0), (np.nextafter(5.0, 6.0), 0.0), False),
        ((5.0, 0.0), (5.0 + 1e-12, 0.0), True),
        ((1e-200, 0.0), (1e-200 * (1 + 2e-13), 0.0), False),
        ((1e-200, 0.0), (1.1e-200, 0.0), True),
        ((1e-200, 0.0), (0.0, 0.0), True),
        ((NAN, NAN), (NAN, NAN), False),
        ((NAN, NAN), (1.0, 1.0), True),
        ((1.0, 1.0), (NAN, 1.0), True),
        ((INF, 0.0), (INF, 0.0), False),
        ((INF, 0.0), (1e9, 1.0), True),
        ((INF, 0.0), (-INF, 0.0), True),
        ((-INF, NAN), (-INF, NAN), False),
        ((1.0, NAN), (7.0, NAN), False),
        ((1.0, INF), (7.0, 1e-9), False),
    ],
)
def test_margins_move_when_they_leave_both_error_bars(
    old: tuple[float, float], new: tuple[float, float], moved: bool
) -> None:
    found = compare(one(*old), one(*new))
    assert (len(found.moved) == 1) is moved
    assert found.cases == 1 and found.flips.empty


def test_a_flip_is_no_second_change_and_failures_come_first() -> None:
    before = rows(("A", "HOLDS", 1.0, 0.1), ("B", "HOLDS", 1.0, 0.1), ("C", "FAILS", -1.0, 0.1))
    after = rows(("A", "UNRESOLVED", 0.05, 0.1), ("B", "FAILS", -2.0, 0.1), ("C", "HOLDS", 1.0, 0.1))
    found = compare(before, after)
    assert found.flips["claim"].tolist() == ["B", "A", "C"]
    assert found.moved.empty and found.grown.empty and found.claims == ["B", "A", "C"]


def test_another_scale_is_a_move() -> None:
    assert compare(one(1.0, 0.1), one(1.0, 0.1, scale="relative")).any


@pytest.mark.parametrize(
    ("old", "new", "grown"),
    [((1.0, 1e-9), (1.0, 2.9e-9), False), ((1.0, 1e-9), (1.0, 3.1e-9), True), ((1.0, 0.0), (1.0, 1e-16), False),
     ((1.0, 0.0), (1.0, 1e-9), True), ((1.0, 1e-9), (1.0, INF), True), ((1.0, 1e-9), (1.0, NAN), True),
     ((1.0, INF), (1.0, INF), False), ((NAN, NAN), (NAN, NAN), False)],
)  # fmt: skip
def test_error_bars_grow_by_a_factor(old: tuple[float, float], new: tuple[float, float], grown: bool) -> None:
    assert (len(compare(one(*old), one(*new), growth=3.0).grown) == 1) is grown


def test_cases_of_one_side_only() -> None:
    a, b = ("A", "HOLDS", 1.0, 0.1), ("B", "HOLDS", 1.0, 0.1)
    found = compare(rows(a), rows(b))
    assert (found.lost["claim"].tolist(), found.new["claim"].tolist(), found.cases) == (["A"], ["B"], 0)
    assert compare(rows(a, b), rows(a)).any and not compare(rows(a), rows(a, b)).any


def test_time_is_summed_but_no_change() -> None:
    a = rows(("A", "HOLDS", 1.0, 0.1))
    found = compare(a, a.assign(seconds=3.0))
    assert not found.any and found.seconds[["seconds_before", "seconds_after"]].to_numpy().tolist() == [[0.5, 3.0]]


def test_rounding_is_that_of_the_logarithm() -> None:
    sizes = np.array([0.0, 1.0, 1e-300, 1e300, np.inf, np.nan])
    found = rounding(sizes)
    assert found[0] == 0 and found[4] == 0
    assert found[1] == pytest.approx(8 * 2**-52)
    assert found[2] == pytest.approx(8 * 2**-52 * (1 + 300 * math.log(10)) * 1e-300)
