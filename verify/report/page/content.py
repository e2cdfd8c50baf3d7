"""What the page shows, computed here once: claims with counts and tightest cases, and columns to draw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from verify.notation import FloatArray, IntArray
from verify.report.formats import exponent_text, margin_text, number, witness_text
from verify.report.page.formula import typeset
from verify.report.page.quantise import column, encode
from verify.report.tables import VERDICTS, judged, summarise, vacuous_reasons
from verify.report.trajectory_figure import Curves

TIGHTEST = 10
MOST_PROBLEMS = 4000
"""So many problems are drawn; of more, those with the smallest keys, which are hashes: a fair and constant sample."""
UNITS = {"nats": 0.1, "relative": 1e-3}
"""Margins smaller than this share a linear piece around zero."""
FAMILIES = ("inputs", "labels", "directions")
NO_ROW = 255


@dataclass(frozen=True)
class ClaimText:
    """What a claim says and where it is from."""

    statement: str
    reading: str = ""


@dataclass(frozen=True)
class Study:
    """Everything the page is made from.

    - ``rows``: results of `check` with the columns of ``verify.check.COLUMNS`` and the features of each problem:
      inputs, labels, directions, n, m, d, kappa, minus_log_lambda.
    - ``claims``: texts by id, in the order to show. ``curves``: trajectories of some problems, by key.
    - ``sample``: what was declared, ``provenance``: what it ran on. ``replay``: a command with ``KEY`` in it.
    """

    rows: pd.DataFrame
    claims: Mapping[str, ClaimText]
    title: str = ""
    sample: Mapping[str, Any] = field(default_factory=dict)
    provenance: Mapping[str, str] = field(default_factory=dict)
    curves: Mapping[str, Curves] = field(default_factory=dict)
    replay: str = "verify replay KEY"


def tightest_keys(rows: pd.DataFrame, count: int = TIGHTEST) -> list[str]:
    """Keys of the problems among the ``count`` tightest of any claim, each once."""
    found: dict[str, None] = {}
    for _, group in rows.groupby("claim", sort=False):
        found |= dict.fromkeys(_tightest(group, count)["problem"])
    return list(found)


def _tightest(group: pd.DataFrame, count: int) -> pd.DataFrame:
    measured = group[(group["verdict"] != "VACUOUS") & group["margin"].notna()]
    return measured.nsmallest(count, "margin")


class Content:
    """Rows judged and summarised; problems chosen to be drawn."""

    def __init__(self, study: Study) -> None:
        self.study = study
        self.rows = judged(study.rows)
        self.summary = summarise(self.rows, {name: text.statement for name, text in study.claims.items()})
        self.problems = self.rows.drop_duplicates("problem").sort_values("problem").reset_index(drop=True)
        self.shown = self.problems.head(MOST_PROBLEMS)
        self.reasons = vacuous_reasons(self.rows)
        self._groups = dict(iter(self.rows.groupby("claim", sort=False)))

    @property
    def counts(self) -> dict[str, int]:
        """How many cases got each verdict."""
        counts = self.rows["verdict"].astype(str).value_counts()
        return {verdict: int(counts.get(verdict, 0)) for verdict in VERDICTS}

    def claims(self) -> list[dict[str, Any]]:
        """One entry a claim, with everything that is said of it in words and numbers."""
        return [self._claim(row) for row in self.summary.to_dict("records")]

    def _claim(self, row: Mapping[Any, Any]) -> dict[str, Any]:
        text = self.study.claims.get(row["claim"], ClaimText(""))
        own = self.reasons[self.reasons["claim"] == row["claim"]]
        scale = "" if pd.isna(row["scale"]) else row["scale"]
        return {
            **{name: row[name] for name in ("claim", "source", "tag", "cases", "held", "failed", "unresolved")},
            "vacuous": row["vacuous"],
            "untested": bool(row["untested"]),
            "reading": text.reading,
            "statement": text.statement,
            "scale": scale,
            "smallest": typeset(margin_text(row["margin"], row["uncertainty"])),
            "margin": _plain(row["margin"]),
            "median": typeset(number(row["median_margin"])),
            "median_value": _plain(row["median_margin"]),
            "exponents": typeset(exponent_text(row["median_exponent"], row["median_claimed_exponent"])),
            "tightest": [_case(case) for case in self._tightest_of(row["claim"])],
            "reasons": list(zip(own["reason"], own["cases"], strict=True)),
        }

    def _tightest_of(self, claim: str) -> Sequence[Mapping[Any, Any]]:
        return _tightest(self._groups[claim], TIGHTEST).to_dict("records")

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
        total = len(self.problems)
        return {"total": total, "shown": len(shown), "keys": encode(keys), **names, **sizes, **scales}

    def claim_columns(self) -> list[dict[str, Any]]:
        """For each claim, in the order of the summary: verdict, margin and exponents on the problems drawn."""
        place = pd.Series(np.arange(len(self.shown)), index=self.shown["problem"])
        return [self._columns_of(row, place) for row in self.summary.to_dict("records")]

    def _columns_of(self, row: Mapping[Any, Any], place: pd.Series) -> dict[str, Any]:
        group = self._groups[row["claim"]]
        group = group[group["problem"].isin(place.index)]
        where = place.loc[group["problem"]].to_numpy()
        verdicts = np.full(len(place), NO_ROW, dtype=np.uint8)
        verdicts[where] = pd.Categorical(group["verdict"].astype(str), list(VERDICTS)).codes
        unit = UNITS.get(str(row["scale"]), 1.0)
        out = {"id": row["claim"], "verdicts": encode(verdicts)}
        out["margins"] = column(_placed(group["margin"], where, len(place)), "asinh", unit)
        if group["exponent"].notna().any():
            out["exponents"] = column(_placed(group["exponent"], where, len(place)), "asinh", 1e-3)
            out["claimed"] = column(_placed(group["claimed_exponent"], where, len(place)), "asinh", 1e-3)
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


def _case(row: Mapping[Any, Any]) -> dict[str, Any]:
    return {
        "problem": row["problem"],
        "verdict": str(row["verdict"]),
        "margin": typeset(margin_text(row["margin"], row["uncertainty"])),
        "exponents": typeset(exponent_text(row["exponent"], row["claimed_exponent"])),
        "witness": typeset(witness_text(row["neuron"], row["label"], row["t"])),
        "sizes": f"n={row['n']} m={row['m']} d={row['d']}",
        "kappa": typeset(number(row["kappa"])),
        "families": " / ".join(str(row[name]) for name in FAMILIES),
    }
