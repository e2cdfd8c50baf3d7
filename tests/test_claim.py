"""Verdicts from margins and error bars, margins from logarithms, and what a claim must have."""

import dataclasses
import math

import pytest

from verify.claim import ROUNDING, Claim, Margin, Vacuous, Verdict, power_margin, relative_margin, slack_margin
from verify.errors import InvalidArgument


@pytest.mark.parametrize(
    ("value", "uncertainty", "verdict"),
    [
        (1.0, 0.5, Verdict.HOLDS),
        (-1.0, 0.5, Verdict.FAILS),
        (0.5, 0.5, Verdict.UNRESOLVED),
        (-0.5, 0.5, Verdict.UNRESOLVED),
        (0.0, 0.0, Verdict.UNRESOLVED),
        (0.0, 1e-300, Verdict.UNRESOLVED),
        (1e-300, 0.0, Verdict.HOLDS),
        (-1e-300, 0.0, Verdict.FAILS),
        (1e-12, 1e-11, Verdict.UNRESOLVED),
        (math.inf, 1.0, Verdict.HOLDS),
        (-math.inf, 1.0, Verdict.FAILS),
        (math.inf, math.inf, Verdict.UNRESOLVED),
        (1.0, math.inf, Verdict.UNRESOLVED),
        (math.nan, 0.0, Verdict.UNRESOLVED),
        (1.0, math.nan, Verdict.UNRESOLVED),
        (math.nan, math.nan, Verdict.UNRESOLVED),
    ],
)
def test_verdict(value, uncertainty, verdict):
    assert Margin(value, uncertainty, "nats").verdict is verdict


def test_verdicts_are_their_names():
    assert [str(verdict) for verdict in Verdict] == ["HOLDS", "FAILS", "UNRESOLVED", "VACUOUS"]


def test_power_margin():
    """quantity = (λ^ε)^1.5 at κ = 200 against 2(λ^ε)^1."""
    margin = power_margin(
        -300.0, math.log(2) - 200, 1e-9, kappa=200.0, claimed_exponent=1.0, neuron=3, label=1, t=7.0, note="x"
    )
    assert margin.value == pytest.approx(100 + math.log(2), rel=1e-15)
    assert (margin.exponent, margin.claimed_exponent) == (1.5, 1.0)
    assert (margin.scale, margin.neuron, margin.label) == ("nats", 3, 1)
    assert margin.uncertainty == 1e-9 + ROUNDING * (500 - math.log(2))
    assert (margin.t, margin.note, margin.verdict) == (7.0, "x", Verdict.HOLDS)
    assert (margin.quantity_log, margin.bound_log) == (-300.0, math.log(2) - 200)


def test_power_margin_at_the_ends():
    vanished = power_margin(-math.inf, -5.0, 1e-9, kappa=5.0, claimed_exponent=1.0)
    assert (vanished.value, vanished.exponent, vanished.verdict) == (math.inf, math.inf, Verdict.HOLDS)
    assert math.isnan(power_margin(-1.0, -1.0, 0.0, kappa=0.0, claimed_exponent=1.0).exponent)
    assert power_margin(-math.inf, -math.inf, 0.0, kappa=1.0, claimed_exponent=1.0).verdict is Verdict.UNRESOLVED
    assert power_margin(math.nan, -1.0, 0.0, kappa=1.0, claimed_exponent=1.0).verdict is Verdict.UNRESOLVED


def test_power_margin_of_a_million_nats_keeps_its_sign():
    margin = power_margin(-1e6 - 1e-3, -1e6, 1e-8, kappa=1e6, claimed_exponent=1.0)
    assert margin.verdict is Verdict.HOLDS
    assert margin.value == pytest.approx(1e-3, rel=1e-6)


def test_relative_margin():
    margin = relative_margin(3.0, 4.0, 0.1, neuron=1, label=2, t=0.5, note="y")
    assert (margin.value, margin.scale) == (0.25, "relative")
    assert margin.uncertainty == pytest.approx((0.1 + ROUNDING * 7) / 4, rel=1e-15)
    assert (margin.quantity_log, margin.bound_log) == (math.log(3.0), math.log(4.0))
    assert (margin.neuron, margin.label, margin.t, margin.note) == (1, 2, 0.5, "y")
    assert relative_margin(5.0, 4.0, 0.1).verdict is Verdict.FAILS
    assert relative_margin(3.95, 4.0, 0.1).verdict is Verdict.UNRESOLVED
    assert relative_margin(math.nan, 4.0, 0.1).verdict is Verdict.UNRESOLVED


def test_a_lower_power_bound():
    """quantity ≥ 2(λ^ε)^1 at κ = 200, quantity = (λ^ε)^0.5."""
    margin = power_margin(-100.0, math.log(2) - 200, 1e-9, kappa=200.0, claimed_exponent=1.0, lower=True)
    assert margin.value == pytest.approx(100 - math.log(2), rel=1e-15)
    assert (margin.exponent, margin.verdict) == (0.5, Verdict.HOLDS)


def test_slack_margin():
    """A value as it stands, rounded by its own size or that of what it is the difference of."""
    margin = slack_margin(0.25, 0.1, "relative", neuron=1, t=0.5, note="z")
    assert (margin.value, margin.scale, margin.neuron, margin.t, margin.note) == (0.25, "relative", 1, 0.5, "z")
    assert margin.uncertainty == 0.1 + ROUNDING
    assert slack_margin(1e-30, 0.0, "relative").verdict is Verdict.UNRESOLVED
    assert slack_margin(1e-30, 0.0, "relative", size=1e-20).verdict is Verdict.HOLDS
    assert slack_margin(-50.0, 0.0, "relative").uncertainty == 50 * ROUNDING
    assert slack_margin(-50.0, 0.0, "nats").uncertainty == 50 * ROUNDING
    assert slack_margin(math.inf, 1e-9, "nats").verdict is Verdict.HOLDS
    assert slack_margin(math.nan, 1e-9, "nats").verdict is Verdict.UNRESOLVED


def test_no_error_bar_is_zero():
    """Two floats differ by rounding at least: none of the ways to a margin leaves it out."""
    made = [
        power_margin(-3.0, -2.0, 0.0, kappa=1.0, claimed_exponent=1.0),
        relative_margin(1.0, 2.0, 0.0),
        slack_margin(0.5, 0.0, "relative"),
        slack_margin(0.5, 0.0, "nats"),
    ]
    assert all(0 < margin.uncertainty < 1e-14 for margin in made)
    assert all(margin.rounding == margin.uncertainty for margin in made)


def test_rounding_is_the_part_that_is_not_the_trajectorys():
    deep = power_margin(-1e5, -2e5, 1e-3, kappa=1.0, claimed_exponent=1.0)
    assert (deep.rounding, deep.uncertainty) == (3e5 * ROUNDING, 1e-3 + 3e5 * ROUNDING)
    wide = relative_margin(1.0, 2.0, 1e-3)
    assert wide.rounding == wide.uncertainty - 5e-4 == pytest.approx(1.5 * ROUNDING, rel=1e-3)


def test_relative_margin_of_zero():
    margin = relative_margin(0.0, 1e-9, 0.0)
    assert (margin.value, margin.quantity_log, margin.verdict) == (1.0, -math.inf, Verdict.HOLDS)


def test_numbers_that_mean_nothing_are_nan():
    margin = Margin(1.0, 0.0, "nats")
    assert all(math.isnan(getattr(margin, name)) for name in ("quantity_log", "bound_log", "exponent", "t"))
    assert (margin.neuron, margin.label, margin.note) == (None, None, "")


def claim(**changes):
    fields = {"id": "X.mine", "source": "me", "tag": "D", "statement": "0 ≤ 1", "measure": lambda e: Vacuous("none")}
    return Claim(**(fields | changes))


@pytest.mark.parametrize("tag", ["T", "R", "D", "T/D", "T / D", "R/D"])
def test_tags(tag):
    assert claim(tag=tag).tag == tag


@pytest.mark.parametrize("tag", ["", "X", "t", "T/X", "/", "T/", " "])
def test_other_tags_are_refused(tag):
    with pytest.raises(InvalidArgument, match="tag"):
        claim(tag=tag)


@pytest.mark.parametrize("empty", ["id", "statement"])
def test_an_empty_id_or_statement_is_refused(empty):
    with pytest.raises(InvalidArgument, match=empty):
        claim(**{empty: ""})


def test_claims_and_margins_are_frozen():
    for item, name in ((claim(), "id"), (Margin(1.0, 0.0, "nats"), "value"), (Vacuous("why"), "reason")):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(item, name, None)


def test_repr_leaves_functions_out():
    assert "lambda" not in repr(claim()) and "X.mine" in repr(claim())
