"""What the page shows, computed here once: claims with counts and tightest cases, and columns to draw."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from verify.notation import FloatArray, IntArray
from verify.report.formats import exponent_text, margin_text, median_text, number, witness_text
from verify.report.page.formula import typeset
from verify.report.page.quantise import column, encode
from verify.report.tables import COUNTS, VERDICTS, judged, summarise, vacuous_reasons

TIGHTEST = 10
MOST_PROBLEMS = 4000
"""So many problems are drawn; of more, those with the smallest keys, which are hashes: a fair and constant sample."""
UNITS = {"nats": 0.1, "relative": 1e-3}
"""Margins smaller than this share a linear piece around zero."""
FAMILIES = ("inputs", "labels", "directions")
NO_ROW = 255


@dataclass(frozen=True)
class ClaimText:
    """What a claim says."""

    statement: str
    reading: str = ""


@dataclass(frozen=True)
class Study:
    """Everything the page is made from.

    - ``problems``: one row a problem: problem, inputs, labels, directions, n, m, d, kappa, minus_log_lambda.
    - ``claims``: texts by id, in the order to show; those without rows are left out.
    - ``rows_of``: the results of `check` for one claim, on any number of problems; looked at one claim after another.
    - ``sample``: what was declared, ``provenance``: what it ran on. ``replay``: a command with ``KEY`` in it.
    """

    problems: pd.DataFrame
    claims: Mapping[str, ClaimText]
    rows_of: Callable[[str], pd.DataFrame]
    title: str = ""
    sample: Mapping[str, Any] = field(default_factory=dict)
    provenance: Mapping[str, str] = field(default_factory=dict)
    replay: str = "verify replay KEY"


class Content:
    """The study claim by claim: what is said of each, what is drawn, and the summary of all.

    - ``claims``: one entry a claim, in words and numbers. ``columns``: verdicts, margins and exponents to draw.
    - ``summary``, ``reasons``: as `verify.report.tables` makes them. ``shown``: the problems that are drawn.
    """

    def __init__(self, study: Study) -> None:
        self.study = study
        self.problems = study.problems.drop_duplicates("problem").sort_values("problem").reset_index(drop=True)
        self.shown = self.problems.head(MOST_PROBLEMS)
        self.claims: list[dict[str, Any]] = []
        self.columns: list[dict[str, Any]] = []
        self._features = self.problems.set_index("problem")
        self._place = pd.Series(np.arange(len(self.shown)), index=self.shown["problem"])
        summaries, reasons = [], []
        for claim, text in study.claims.items():
            rows = judged(study.rows_of(claim))
            if len(rows):
                summaries.append(summarise(rows, {claim: text.statement}))
                reasons.append(vacuous_reasons(rows))
                self._add(rows, summaries[-1].to_dict("records")[0], text, reasons[-1])
        self.summary = pd.concat(summaries, ignore_index=True)
        self.reasons = pd.concat(reasons, ignore_index=True)

    def _add(self, rows: pd.DataFrame, summary: Mapping[Any, Any], text: ClaimText, reasons: pd.DataFrame) -> None:
        measured = rows[(rows["verdict"] != "VACUOUS") & rows["margin"].notna()]
        tightest = measured.nsmallest(TIGHTEST, "margin").to_dict("records")
        self.claims.append(_said(summary, text, reasons) | {"tightest": [self._case(row) for row in tightest]})
        self.columns.append(_drawn(rows, summary, self._place))

    def _case(self, row: Mapping[Any, Any]) -> dict[str, Any]:
        own = self._features.loc[row["problem"]]
        return {
            "problem": row["problem"],
            "verdict": str(row["verdict"]),
            "margin": typeset(margin_text(row["margin"], row["uncertainty"])),
            "exponents": typeset(exponent_text(row["exponent"], row["claimed_exponent"])),
            "witness": typeset(witness_text(row["neuron"], row["label"], row["t"])),
            "sizes": f"n={own['n']} m={own['m']} d={own['d']}",
            "kappa": typeset(number(own["kappa"])),
            "families": " / ".join(str(own[name]) for name in FAMILIES),
        }

    @property
    def counts(self) -> dict[str, int]:
        """How many cases got each verdict."""
        return {verdict: int(self.summary[name].sum()) for name, verdict in COUNTS.items()}

    @property
    def certified(self) -> int:
        """How many verdicts are certified."""
        return int(self.summary["certified"].sum())

    @property
    def sizes(self) -> dict[str, int]:
        """How many problems, claims and cases there are."""
        return {"problem": len(self.problems), "claim": len(self.claims), "case": sum(self.counts.values())}

    @property
    def tightest_keys(self) -> list[str]:
        """Keys of the problems among the tightest of any claim, each once."""
        return list(dict.fromkeys(case["problem"] for claim in self.claims for case in claim["tightest"]))

    def problem_columns(self) -> dict[str, Any]:
        """The problems drawn, as columns; families as codes into lists of names."""
        shown = self.shown
        keys = np.frombuffer(bytes.fromhex("".join(shown["problem"])), dtype=np.uint8)
        names: dict[str, Any] = {}
        for family in FAMILIES:
            codes, found = pd.factorize(shown[family].astype(str), sort=True)
            names[family] = {"names": list(found), "codes": encode(codes.astype(np.uint8))}
        sizes = {name: encode(shown[name].to_numpy().astype("<u2")) for name in ("n", "m")}
        scales = {name: column(shown[name].to_numpy(float), "log") for name in ("kappa", "minus_log_lambda")}
        return {"total": len(self.problems), "shown": len(shown), "keys": encode(keys), **names, **sizes, **scales}


def _said(row: Mapping[Any, Any], text: ClaimText, reasons: pd.DataFrame) -> dict[str, Any]:
    """What is said of a claim, from its line of the summary."""
    return {
        **{name: row[name] for name in ("claim", "source", "tag", "cases", *COUNTS, "certified")},
        "untested": bool(row["untested"]),
        "reading": text.reading,
        "statement": text.statement,
        "scale": "" if pd.isna(row["scale"]) else row["scale"],
        "smallest": typeset(margin_text(row["margin"], row["uncertainty"])),
        "margin": _plain(row["margin"]),
        "median": typeset(median_text(row["median_margin"], row["two_scales"])),
        "median_value": _plain(row["median_margin"]),
        "exponents": typeset(exponent_text(row["median_exponent"], row["median_claimed_exponent"])),
        "reasons": list(zip(reasons["reason"], reasons["cases"], strict=True)),
    }


def _drawn(rows: pd.DataFrame, summary: Mapping[Any, Any], place: pd.Series) -> dict[str, Any]:
    """Verdict, margin and exponents of a claim on the problems drawn; the scale of each margin where there are two."""
    rows = rows[rows["problem"].isin(place.index)]
    where, length = place.loc[rows["problem"]].to_numpy(), len(place)
    verdicts = np.full(length, NO_ROW, dtype=np.uint8)
    verdicts[where] = pd.Categorical(rows["verdict"].astype(str), list(VERDICTS)).codes
    unit = UNITS.get(str(summary["scale"]), 1.0)
    out = {"id": summary["claim"], "verdicts": encode(verdicts)}
    out["margins"] = column(_placed(rows["margin"], where, length), "asinh", unit)
    if summary["two_scales"]:
        scales = np.full(length, len(UNITS), dtype=np.uint8)
        scales[where] = [list(UNITS).index(scale) if scale in UNITS else len(UNITS) for scale in rows["scale"]]
        out["scales"] = {"names": list(UNITS), "codes": encode(scales)}
    if rows["exponent"].notna().any():
        out["exponents"] = column(_placed(rows["exponent"], where, length), "asinh", 1e-3)
        out["claimed"] = column(_placed(rows["claimed_exponent"], where, length), "asinh", 1e-3)
    return out


def _placed(values: pd.Series, where: IntArray, length: int) -> FloatArray:
    out = np.full(length, np.nan)
    out[where] = values.to_numpy(float)
    return out


def _plain(value: Any) -> float | str | None:
    """A number as JSON knows it; infinities as texts."""
    if value is None or pd.isna(value):
        return None
    return float(value) if np.isfinite(value) else str(float(value))


def by_claim(rows: pd.DataFrame) -> Callable[[str], pd.DataFrame]:
    """Rows that are all in memory, one claim at a time."""
    groups: Mapping[Any, pd.DataFrame] = dict(iter(rows.groupby("claim", sort=False)))
    empty = rows.head(0)
    return lambda claim: groups.get(claim, empty)


def claim_order(rows_claims: Sequence[str], texts: Mapping[str, ClaimText]) -> dict[str, ClaimText]:
    """The texts of the claims that have rows: known ones in their order, then the others without a statement."""
    present = set(rows_claims)
    known = {claim: text for claim, text in texts.items() if claim in present}
    return known | {claim: ClaimText("") for claim in dict.fromkeys(rows_claims) if claim not in known}
