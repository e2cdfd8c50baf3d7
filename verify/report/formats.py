"""Tables for people: short texts for numbers and witnesses, and Markdown, CSV and LaTeX of any DataFrame."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pandas as pd


def number(value: Any, spec: str = ".4g") -> str:
    """A number for people to read, zero without a sign; an empty string when there is none.

    >>> number(0.123456), number(float("inf")), number(None)
    ('0.1235', 'inf', '')
    """
    return "" if pd.isna(value) else format(float(value) + 0.0, spec)


def count(number: int, noun: str) -> str:
    """The number with its noun.

    >>> count(1, "claim"), count(2, "claim")
    ('1 claim', '2 claims')
    """
    return f"{number} {noun}{'' if number == 1 else 's'}"


def margin_text(margin: Any, uncertainty: Any) -> str:
    """Margin with its uncertainty, such as `0.1235 ± 2e-11`; an empty string when there is no margin."""
    text, doubt = number(margin), number(uncertainty, ".0e")
    return f"{text} ± {doubt}" if text and doubt and float(uncertainty) > 0 else text


def median_text(median: Any, two_scales: Any) -> str:
    """The median margin; of margins on two scales there is none.

    >>> median_text(0.25, False), median_text(float("nan"), True)
    ('0.25', 'two scales')
    """
    return "two scales" if two_scales else number(median)


def witness_text(neuron: Any, label: Any, t: Any) -> str:
    """Where the worst case sits, such as `j=3 k=0 t=12.5`."""
    parts = (("j", number(neuron, ".0f")), ("k", number(label, ".0f")), ("t", number(t, ".6g")))
    return " ".join(f"{name}={text}" for name, text in parts if text)


def exponent_text(measured: Any, claimed: Any) -> str:
    """Measured exponent beside the claimed one, such as `1.94 / 0.97`; empty when the claim is no power bound."""
    texts = number(measured, ".3g"), number(claimed, ".3g")
    return " / ".join(text or "–" for text in texts) if any(texts) else ""


def readable(summary: pd.DataFrame) -> pd.DataFrame:
    """The summary as short texts, one column a thing to read; what the terminal, Markdown and LaTeX tables show.

    Certified verdicts have a column where there are any.
    """
    columns = ["claim", "tag", "cases", "held", "failed", "unresolved", "vacuous"]
    columns += ["certified"] if summary["certified"].any() else []
    table = {name: summary[name].map(str) for name in columns}
    table["smallest margin"] = _texts(summary, margin_text, "margin", "uncertainty").where(
        ~summary["untested"].astype(bool), "not tested"
    )
    table["scale"] = summary["scale"].map(lambda scale: "" if pd.isna(scale) else str(scale))
    table["median margin"] = _texts(summary, median_text, "median_margin", "two_scales")
    table["exponent / claimed"] = _texts(summary, exponent_text, "exponent", "claimed_exponent")
    table["median exponent / claimed"] = _texts(summary, exponent_text, "median_exponent", "median_claimed_exponent")
    table["witness"] = _texts(summary, witness_text, "neuron", "label", "t")
    table["problem"] = summary["problem"].map(lambda key: "" if pd.isna(key) else str(key))
    return pd.DataFrame(table)


def _texts(table: pd.DataFrame, text: Callable[..., str], *columns: str) -> pd.Series:
    values = zip(*(table[name] for name in columns), strict=True)
    return pd.Series([text(*cells) for cells in values], index=table.index, dtype=object)


def to_markdown(table: pd.DataFrame, code: Iterable[str] = ()) -> str:
    """A GitHub table of `table`; `|` is escaped, the columns named in `code` are set in monospace."""
    shown = {name: [_cell(value, name in set(code)) for value in table[name]] for name in table.columns}
    lines = [list(table.columns), ["---"] * len(shown), *map(list, zip(*shown.values(), strict=True))]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _cell(value: object, code: bool) -> str:
    text = " ".join(str(value).split()).replace("|", "\\|")
    return f"`{text}`" if code and text else text


def to_csv(table: pd.DataFrame) -> str:
    """Comma-separated values with a header; every float written so that it reads back as the same float."""
    return table.to_csv(index=False, lineterminator="\n")


_LATEX = {c: f"\\{c}" for c in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "±": r"$\pm$",
    "–": "--",
}


def to_latex(table: pd.DataFrame) -> str:
    """A `booktabs` tabular that pdfLaTeX sets as it stands: special characters escaped, all columns left-aligned."""
    body = [list(table.columns), *table.astype(str).to_numpy().tolist()]
    lines = [" & ".join(_latex_cell(str(cell)) for cell in line) + r" \\" for line in body]
    begin = rf"\begin{{tabular}}{{{'l' * len(table.columns)}}}"
    return "\n".join([begin, r"\toprule", lines[0], r"\midrule", *lines[1:], r"\bottomrule", r"\end{tabular}", ""])


def _latex_cell(text: str) -> str:
    return "".join(_LATEX.get(character, character) for character in text)
