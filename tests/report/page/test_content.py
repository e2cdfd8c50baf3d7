"""Numbers of the page against the rows they come from."""

from __future__ import annotations

import base64

import numpy as np
import pytest

from tests.report.page import study
from tests.report.page.study import rows
from verify.report.page import content
from verify.report.page.content import NO_ROW, ClaimText, Content, claim_order
from verify.report.page.quantise import decode
from verify.report.tables import VERDICTS


@pytest.fixture(scope="module")
def made() -> Content:
    return study.content()


def test_counts_and_tightest_cases(made: Content) -> None:
    table = rows()
    for claim in made.claims:
        own = table[table["claim"] == claim["claim"]]
        assert claim["cases"] == 40 and claim["held"] == (own["verdict"] == "HOLDS").sum()
        measured = own[own["margin"].notna()].nsmallest(10, "margin")
        assert [case["problem"] for case in claim["tightest"]] == measured["problem"].tolist()
    [never] = [claim for claim in made.claims if claim["untested"]]
    assert never["claim"] == "X.never" and never["reasons"] == [("2λ^ε ≥ 2, the bound cannot fail", 40)]


def test_columns_hold_what_the_rows_say(made: Content) -> None:
    table = rows().set_index(["claim", "problem"])
    keys = made.shown["problem"]
    for packed in made.columns:
        own = table.loc[packed["id"]].loc[keys]
        codes = np.frombuffer(base64.b64decode(packed["verdicts"]), dtype=np.uint8)
        assert [VERDICTS[code] for code in codes] == own["verdict"].tolist()
        np.testing.assert_allclose(decode(packed["margins"]), own["margin"].to_numpy(), rtol=1e-3, atol=1e-6)
        assert ("exponents" in packed) == own["exponent"].notna().any()


def test_a_claim_on_two_scales_has_no_median_and_tells_them_apart(made: Content) -> None:
    [said] = [claim for claim in made.claims if claim["claim"] == "L2.norm"]
    assert (said["median"], said["median_value"]) == ("two scales", None)
    [packed] = [one for one in made.columns if "scales" in one]
    table = rows()
    own = table[table["claim"] == "L2.norm"].set_index("problem").loc[made.shown["problem"], "scale"]
    codes = np.frombuffer(base64.b64decode(packed["scales"]["codes"]), dtype=np.uint8)
    assert [[*packed["scales"]["names"], ""][code] for code in codes] == own.fillna("").tolist()


def test_of_too_many_problems_a_constant_sample_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(content, "MOST_PROBLEMS", 15)
    made = study.content()
    assert made.shown["problem"].tolist() == sorted(rows()["problem"].unique())[:15]
    assert (made.problem_columns()["total"], made.problem_columns()["shown"]) == (40, 15)
    assert all(len(base64.b64decode(packed["verdicts"])) == 15 for packed in made.columns)
    assert made.claims[0]["cases"] == 40


def test_a_case_that_is_missing_is_marked() -> None:
    table = rows()
    first = table["problem"].min()
    partial = table[(table["problem"] != first) | (table["claim"] != "L3.time")]
    made = study.content(partial)
    [packed] = [one for one in made.columns if one["id"] == "L3.time"]
    assert base64.b64decode(packed["verdicts"])[0] == NO_ROW


def test_keys_of_the_tightest_are_listed_once(made: Content) -> None:
    keys = made.tightest_keys
    assert len(keys) == len(set(keys)) and keys[0] == made.claims[0]["tightest"][0]["problem"]


def test_claims_nobody_knows_stand_last() -> None:
    texts = {"A": ClaimText("a"), "B": ClaimText("b")}
    assert list(claim_order(["X", "B", "X"], texts).items()) == [("B", texts["B"]), ("X", ClaimText(""))]
