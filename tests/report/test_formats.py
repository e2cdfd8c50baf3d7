"""Texts for people, and tables that survive Markdown and LaTeX."""

from __future__ import annotations

from io import StringIO

import pandas as pd
import pytest

from tests.report.synthetic import campaign, frame, row
from verify.report.formats import (
    exponent_text,
    margin_text,
    number,
    readable,
    to_csv,
    to_latex,
    to_markdown,
    witness_text,
)
from verify.report.tables import summarise

NAN = float("nan")


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0"), (-0.0, "0"), (1234567.0, "1.235e+06"), (float("-inf"), "-inf"), (NAN, ""), (pd.NA, ""), (None, "")],
)
def test_numbers(value: object, text: str) -> None:
    assert number(value) == text


def test_margins_carry_their_uncertainty() -> None:
    assert margin_text(0.123456, 2.1e-11) == "0.1235 ± 2e-11"
    assert margin_text(0.5, 0.0) == margin_text(0.5, NAN) == "0.5"
    assert margin_text(NAN, 1e-3) == ""


def test_witnesses_and_exponents() -> None:
    assert witness_text(3, 0, 12.5) == "j=3 k=0 t=12.5"
    assert witness_text(pd.NA, pd.NA, 2.0) == "t=2"
    assert witness_text(pd.NA, pd.NA, NAN) == ""
    assert exponent_text(1.94, 0.971) == "1.94 / 0.971"
    assert exponent_text(0.2, NAN) == "0.2 / –"
    assert exponent_text(NAN, NAN) == ""


def test_a_claim_never_tested_says_so_in_place_of_a_margin() -> None:
    table = readable(summarise(frame(row("A", "VACUOUS"), row("B", margin=0.5)))).set_index("claim")
    assert table["smallest margin"].tolist() == ["not tested", "0.5 ± 1e-11"]


def test_of_margins_on_two_scales_no_median_is_told() -> None:
    rows = frame(row("A", margin=0.5), row("A", margin=40.0, scale="nats"), row("B", margin=0.5))
    assert readable(summarise(rows))["median margin"].tolist() == ["two scales", "0.5"]


def test_markdown_escapes_bars_and_keeps_one_line_a_row() -> None:
    text = to_markdown(pd.DataFrame({"claim": ["L1"], "statement": ["|a_j| = 1\nfor all j"]}), code=["claim"])
    assert text.splitlines() == ["| claim | statement |", "| --- | --- |", "| `L1` | \\|a_j\\| = 1 for all j |"]


def test_csv_gives_back_the_same_floats() -> None:
    rows = campaign(5)
    again = pd.read_csv(StringIO(to_csv(rows)))
    assert again["margin"].tolist() == pytest.approx(rows["margin"].tolist(), rel=1e-15, abs=0, nan_ok=True)
    assert list(again.columns) == list(rows.columns)


def test_latex_escapes_what_latex_would_read() -> None:
    text = to_latex(pd.DataFrame({"a_b": ["50 % & $x^2$", "1 ± 2"]}))
    assert text.splitlines() == [
        r"\begin{tabular}{l}",
        r"\toprule",
        r"a\_b \\",
        r"\midrule",
        r"50 \% \& \$x\textasciicircum{}2\$ \\",
        r"1 $\pm$ 2 \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]


def test_the_latex_table_of_a_summary_is_plain_ascii() -> None:
    assert to_latex(readable(summarise(campaign(10))).drop(columns=["problem", "witness"])).isascii()
