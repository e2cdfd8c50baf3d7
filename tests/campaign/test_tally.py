"""Counts that stream by agree with counts of all rows at once."""

from __future__ import annotations

import pandas as pd
import pyarrow as pa
import pytest

from tests.report.synthetic import campaign, frame, row
from verify import Dataset, Initialisation, Problem
from verify.campaign.tally import Tally
from verify.campaign.work import check_or_say_why
from verify.check import select
from verify.report.tables import COUNTS, summarise


def table(rows: pd.DataFrame) -> pa.Table:
    return pa.Table.from_pandas(rows, preserve_index=False)


def test_streamed_and_whole_summaries_agree() -> None:
    rows, tally = campaign(30), Tally()
    for _, part in rows.groupby("problem"):
        tally.add(table(part.astype({"scale": object})))
    ours, theirs = tally.summary({"L3.time": "t₂ ≤ …"}), summarise(rows, {"L3.time": "t₂ ≤ …"})
    assert ours["claim"].tolist()[0] == "L3.time"
    for name in ("claim", "statement", "cases", *COUNTS, "problem", "untested"):
        assert ours[name].fillna("none").tolist() == theirs[name].astype(object).fillna("none").tolist()
    measured = theirs["margin"].notna()
    assert ours["margin"][measured].astype(float).tolist() == theirs["margin"][measured].tolist()
    assert tally.seconds == pytest.approx(0.01 * len(rows))
    assert tally.verdicts == {v: int((rows["verdict"] == v).sum()) for v in COUNTS.values()}


def test_a_margin_that_is_no_number_never_counts_as_held() -> None:
    tally = Tally()
    tally.add(table(frame(row(margin=float("nan")), row(margin=0.0, verdict="HOLDS"))))
    assert (tally.verdicts["HOLDS"], tally.verdicts["UNRESOLVED"]) == (1, 1)
    assert tally.summary({})["margin"].tolist() == [0.0]


def test_certified_verdicts_are_counted() -> None:
    start = Initialisation([[1.0, -0.5, 0.5], [-0.25, 1.0, 0.1]], [1, -1], 300)
    problem, tally = Problem(Dataset.standard([1, -0.5], d=3), start), Tally()
    chosen = ["L3.time", "L7.dead", "L10.rate", "P1.monotone"]
    tally.add(table(check_or_say_why(problem, select(chosen), "certified")))
    tally.add(table(check_or_say_why(problem, select(chosen), "auto")))
    summary = tally.summary({})
    assert tally.certified == summary["certified"].sum() == 3
    assert summary.set_index("claim").loc[chosen, "certified"].tolist() == [1, 1, 1, 0]
    assert summary["cases"].tolist() == [2] * 4
