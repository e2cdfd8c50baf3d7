"""One row a claim, counted and measured by hand."""

from __future__ import annotations

import math

import pandas as pd
import pytest

from tests.report.synthetic import campaign, frame, row
from verify.errors import InvalidArgument
from verify.report.formats import readable
from verify.report.tables import SUMMARY_COLUMNS, judged, notable_problems, summarise, vacuous_reasons

INF, NAN = float("inf"), float("nan")


def test_verdicts_are_counted_and_the_tightest_case_is_the_witness() -> None:
    rows = frame(
        row(margin=0.5, problem="a" * 16),
        row(margin=0.25, problem="b" * 16, uncertainty=1e-9, neuron=3, label=1, t=7.0),
        row(verdict="FAILS", margin=-0.125, problem="c" * 16, neuron=2, t=3.0),
        row(verdict="UNRESOLVED", margin=1e-12, problem="d" * 16),
        row(verdict="VACUOUS", problem="e" * 16),
    )
    [found] = summarise(rows).to_dict("records")
    assert [found[name] for name in ("cases", "held", "failed", "unresolved", "vacuous")] == [5, 2, 1, 1, 1]
    assert (found["margin"], found["neuron"], found["t"], found["problem"]) == (-0.125, 2, 3.0, "c" * 16)
    assert found["median_margin"] == pytest.approx((0.25 + 1e-12) / 2)
    assert not found["untested"]


def test_a_margin_of_zero_is_smaller_than_a_positive_one() -> None:
    rows = frame(row(margin=0.5), row(verdict="UNRESOLVED", margin=0.0, problem="b" * 16), row(margin=0.1))
    assert summarise(rows).loc[0, ["margin", "problem"]].tolist() == [0.0, "b" * 16]


@pytest.mark.parametrize("verdict", ["HOLDS", "FAILS"])
def test_a_margin_that_is_no_number_decides_nothing(verdict: str) -> None:
    rows = frame(row(verdict=verdict, margin=NAN))
    [found] = summarise(rows).to_dict("records")
    assert (found["held"], found["failed"], found["unresolved"]) == (0, 0, 1)
    assert judged(rows).loc[0, "reason"] == "the margin is not a number"
    assert math.isnan(found["margin"])


def test_infinite_margins_are_margins() -> None:
    [found] = summarise(frame(row(margin=INF), row(margin=2.0), row(margin=INF))).to_dict("records")
    assert (found["held"], found["margin"], found["median_margin"]) == (3, 2.0, INF)
    assert summarise(frame(row(margin=INF))).loc[0, "margin"] == INF


def test_a_claim_vacuous_in_every_case_is_marked_and_says_why() -> None:
    reasons = ["S_-1 is empty", "2λ^ε ≥ 2", "S_-1 is empty", None]
    rows = frame(*(row("L2.norm", "VACUOUS", reason=reason) for reason in reasons), row("L3.time"))
    summary = summarise(rows).set_index("claim")
    assert summary["untested"].tolist() == [True, False]
    assert summary.loc["L2.norm", "why_vacuous"] == "S_-1 is empty (2); 2λ^ε ≥ 2 (1)"
    assert pd.isna(summary.loc["L2.norm", "scale"]) and pd.isna(summary.loc["L2.norm", "problem"])


def test_reasons_come_with_the_commonest_first() -> None:
    rows = frame(*(row("A", "VACUOUS", reason=reason) for reason in "xyyzzz"), row("B", reason="a remark"))
    assert vacuous_reasons(rows, most=2).to_numpy().tolist() == [["A", "z", 3], ["A", "y", 2]]
    assert vacuous_reasons(frame(row("B"))).empty


def test_exponents_at_the_tightest_and_their_medians() -> None:
    cases = [(1.0, 2.0, 1.0), (0.5, 1.5, 1.0), (3.0, 7.0, 1.5)]
    rows = frame(*(row(margin=m, exponent=e, claimed_exponent=c, scale="nats") for m, e, c in cases))
    [found] = summarise(rows).to_dict("records")
    assert (found["exponent"], found["claimed_exponent"]) == (1.5, 1.0)
    assert (found["median_exponent"], found["median_claimed_exponent"]) == (2.0, 1.0)


def test_certified_verdicts_are_counted_among_the_decided() -> None:
    said = [("HOLDS", "certified"), ("FAILS", "certified; a remark"), ("HOLDS", "certified by nobody"), ("HOLDS", "")]
    rows = frame(*(row("A", verdict, reason=reason) for verdict, reason in said), row("B", "UNRESOLVED", 0.0))
    numberless = frame(row("C", margin=NAN, reason="certified"))
    summary = summarise(pd.concat([rows, numberless])).set_index("claim")
    assert summary["certified"].tolist() == [2, 0, 0]
    assert readable(summary.reset_index())["certified"].tolist() == ["2", "0", "0"]
    assert "certified" not in readable(summarise(frame(row())))


def test_order_and_statements_are_those_given() -> None:
    rows = frame(row("C"), row("A"), row("B"))
    assert summarise(rows)["claim"].tolist() == ["C", "A", "B"]
    table = summarise(rows, {"A": "a ≤ b", "X": "never seen", "B": "b ≤ c"})
    assert table[["claim", "statement"]].to_numpy().tolist() == [["A", "a ≤ b"], ["B", "b ≤ c"], ["C", ""]]


def test_the_summary_has_the_same_columns_whatever_the_rows() -> None:
    for rows in (campaign(5), frame(row(verdict="VACUOUS")), frame()):
        summary = summarise(rows)
        assert list(summary.columns) == list(SUMMARY_COLUMNS)
        assert [str(summary[name].dtype) for name in ("neuron", "label", "digits")] == ["Int64"] * 3


def test_counts_add_up_to_the_cases() -> None:
    summary = summarise(campaign(20))
    assert (summary[["held", "failed", "unresolved", "vacuous"]].sum(axis=1) == summary["cases"]).all()
    assert (summary["cases"] == 20).all()


def test_problems_worth_a_replay() -> None:
    keys = {name: name * 16 for name in "abcdef"}
    rows = frame(
        row("A", margin=0.5, problem=keys["a"]),
        row("A", margin=0.1, problem=keys["b"]),
        row("B", "FAILS", -1.0, problem=keys["c"]),
        row("B", "FAILS", -2.0, problem=keys["d"]),
        row("B", "UNRESOLVED", NAN, problem=keys["e"]),
        row("B", "VACUOUS", problem=keys["f"]),
    )
    assert sorted(notable_problems(rows)) == [keys[name] for name in "bcde"]


def test_rows_that_are_no_rows_of_check_are_refused() -> None:
    with pytest.raises(InvalidArgument, match="missing column"):
        summarise(frame(row()).drop(columns="margin"))
    with pytest.raises(InvalidArgument, match="unknown verdict 'MAYBE'"):
        summarise(frame(row(verdict="MAYBE")))


def test_there_is_no_median_over_two_scales() -> None:
    rows = frame(
        row(margin=0.5, scale="relative"),
        row(margin=0.25, scale="relative"),
        row(margin=300.0, scale="nats", exponent=2.0),
        row(margin=500.0, scale="nats", exponent=4.0),
    )
    [found] = summarise(rows).to_dict("records")
    assert (found["margin"], found["scale"], found["two_scales"]) == (0.25, "relative", True)
    assert math.isnan(found["median_margin"]) and found["median_exponent"] == 3.0
    [one_scale] = summarise(rows[rows["scale"] == "nats"]).to_dict("records")
    assert (one_scale["two_scales"], one_scale["median_margin"]) == (False, 400.0)


def test_a_vacuous_case_is_on_no_scale() -> None:
    rows = frame(row(margin=0.5, scale="relative"), row(verdict="VACUOUS", scale="nats"))
    [found] = summarise(rows).to_dict("records")
    assert (found["two_scales"], found["median_margin"]) == (False, 0.5)
