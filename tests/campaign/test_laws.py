"""One value, a list, or a range."""

from __future__ import annotations

import numpy as np
import pytest

from verify.campaign.laws import Kind, Span, draw_integer, draw_number, largest, law, plain, smallest
from verify.errors import InvalidCampaign

COUNT = Kind(integer=True, low=2)
SHARE = Kind(low=0, high=1, strict=True)


@pytest.mark.parametrize(
    ("value", "expected"),
    [(3, (3,)), ([2, 5], (2, 5)), ({"low": 2, "high": 4}, Span(2, 4)), ({"low": 2, "high": 2}, Span(2, 2))],
)
def test_what_is_declared_is_read_and_written_back(value: object, expected: object) -> None:
    rule = law(value, "m", COUNT)
    assert rule == expected
    assert law(plain(rule), "m", COUNT) == rule


@pytest.mark.parametrize(
    "value", [1, 2.5, True, "3", [], [2, 1], float("nan"), {"low": 4, "high": 2}, {"low": 2}, {"low": 1, "high": 3}]
)
def test_what_is_wrong_is_named_with_what_would_be_right(value: object) -> None:
    with pytest.raises(InvalidCampaign, match=r"sample\.m = ") as error:
        law(value, "sample.m", COUNT)
    assert "an integer of at least 2" in str(error.value)


def test_near_names_of_the_ends() -> None:
    with pytest.raises(InvalidCampaign, match="unknown key 'lo'; did you mean 'low'"):
        law({"lo": 2, "high": 3}, "sample.m", COUNT)


def test_strict_limits_and_infinities_are_out() -> None:
    assert law(1, "share", SHARE) == (1,)
    for value in (0, 1.5, float("inf")):
        with pytest.raises(InvalidCampaign, match="a number above 0 and at most 1"):
            law(value, "share", SHARE)


def test_draws_stay_inside_and_reach_the_ends() -> None:
    rng = np.random.default_rng(0)
    assert {draw_integer(rng, Span(2, 4)) for _ in range(100)} == {2, 3, 4}
    assert {draw_integer(rng, (3, 7)) for _ in range(50)} == {3, 7}
    drawn = [draw_number(rng, Span(1.0, 1e6), logarithmic=True) for _ in range(2000)]
    assert min(drawn) >= 1 and max(drawn) <= 1e6
    assert 300 < float(np.median(drawn)) < 3000
    assert (smallest(Span(1, 2)), largest((3, 9))) == (1, 9)
