"""From the rows of `check` over many problems to one row a claim.

`summarise` counts verdicts and keeps the tightest case with its witness; `vacuous_reasons` says why a claim was not
tested. A margin that is not a number never counts as held: `judged` makes such a row UNRESOLVED before all counting.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from verify import columns
from verify.errors import InvalidArgument

VERDICTS = ("HOLDS", "FAILS", "UNRESOLVED", "VACUOUS")
COUNTS = {"held": "HOLDS", "failed": "FAILS", "unresolved": "UNRESOLVED", "vacuous": "VACUOUS"}
ROW_COLUMNS = columns.COLUMNS
SUMMARY_COLUMNS = (
    "claim", "source", "tag", "statement", "cases", "held", "failed", "unresolved", "vacuous", "certified", "margin",
    "uncertainty", "scale", "two_scales", "median_margin", "exponent", "claimed_exponent", "median_exponent",
    "median_claimed_exponent", "neuron", "label", "t", "digits", "problem", "untested", "why_vacuous",
)  # fmt: skip
INTEGERS = ("neuron", "label", "digits")
FLOATS = ("margin", "uncertainty", "exponent", "claimed_exponent", "t")
TIGHTEST = (
    "margin",
    "uncertainty",
    "scale",
    "exponent",
    "claimed_exponent",
    "neuron",
    "label",
    "t",
    "digits",
    "problem",
)


def judged(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with every verdict one of the four, and no claim held or failed on a margin that is not a number.

    Raises InvalidArgument when a column of `check` is missing or a verdict is unknown.
    """
    missing = [name for name in ROW_COLUMNS if name not in rows.columns]
    if missing:
        raise InvalidArgument(f"rows: missing column(s) {', '.join(missing)}; pass the DataFrame that check() returns")
    verdict = rows["verdict"].map(str)
    unknown = sorted(set(verdict.unique()) - set(VERDICTS))
    if unknown:
        raise InvalidArgument(f"rows: unknown verdict {unknown[0]!r}; expected one of {', '.join(VERDICTS)}")
    numberless = rows["margin"].isna() & verdict.isin(["HOLDS", "FAILS"])
    reason = rows["reason"].astype(object).where(~numberless, "the margin is not a number")
    return rows.assign(verdict=verdict.mask(numberless, "UNRESOLVED"), reason=reason).reset_index(drop=True)


def certified(rows: pd.DataFrame) -> pd.Series:
    """Which rows, as `judged` leaves them, held or failed by a proof in ball arithmetic."""
    proved = rows["reason"].map(lambda reason: str(reason).split(";")[0] == columns.CERTIFIED)
    return proved.astype(bool) & rows["verdict"].isin(["HOLDS", "FAILS"])


def summarise(rows: pd.DataFrame, statements: Mapping[str, str] | None = None) -> pd.DataFrame:
    """One row a claim: counts of verdicts, how many are certified, smallest margin with its witness, medians.

    `rows` is one or more results of `check` concatenated; `statements` maps a claim's id to its sentence and, when
    given, sets the order. `untested` marks a claim that is vacuous on every case, `two_scales` one whose margins are
    in nats on some problems and relative on others: it has no median.

    >>> from verify.report.tables import summarise, ROW_COLUMNS
    >>> row = dict.fromkeys(ROW_COLUMNS) | {"claim": "L3.time", "verdict": "HOLDS", "margin": 0.5, "scale": "relative"}
    >>> summary = summarise(pd.DataFrame([row]))
    >>> int(summary.held[0]), float(summary.margin[0])
    (1, 0.5)
    """
    statements = statements or {}
    rows = judged(rows)
    present = list(dict.fromkeys(rows["claim"]))
    order = [claim for claim in statements if claim in present] + [
        claim for claim in present if claim not in statements
    ]
    groups = dict(iter(rows.groupby("claim", sort=False)))
    table = pd.DataFrame(
        [{"statement": statements.get(claim, ""), **_summary(groups[claim])} for claim in order],
        columns=list(SUMMARY_COLUMNS),
    )
    return table.astype(dict.fromkeys(INTEGERS, "Int64") | dict.fromkeys(FLOATS, "float64"))


def _summary(group: pd.DataFrame) -> dict[str, object]:
    first = group.iloc[0]
    counts = {name: int((group["verdict"] == verdict).sum()) for name, verdict in COUNTS.items()}
    tested = group[group["verdict"] != "VACUOUS"]
    measured = tested[tested["margin"].notna()]
    tightest = measured.iloc[int(measured["margin"].astype(float).argmin())] if len(measured) else None
    two_scales = measured["scale"].nunique() > 1
    return {
        "claim": first["claim"], "source": first["source"], "tag": first["tag"], "cases": len(group), **counts,
        "certified": int(certified(group).sum()),
        **{name: None if tightest is None else tightest[name] for name in TIGHTEST},
        "two_scales": two_scales,
        "median_margin": float("nan") if two_scales else _median(measured["margin"]),
        "median_exponent": _median(measured["exponent"]),
        "median_claimed_exponent": _median(measured["claimed_exponent"]),
        "untested": tested.empty,
        "why_vacuous": "; ".join(f"{reason} ({count})" for reason, count in _reasons(group, 2)),
    }  # fmt: skip


def _median(values: pd.Series) -> float:
    finite = values.dropna().astype(float)
    return float(np.median(finite)) if len(finite) else float("nan")


def _reasons(group: pd.DataFrame, most: int | None = None) -> list[tuple[str, int]]:
    vacuous = group.loc[group["verdict"] == "VACUOUS", "reason"].fillna("").replace("", "no reason given")
    counts = vacuous.value_counts()
    return [(str(reason), int(count)) for reason, count in counts.head(most or len(counts)).items()]


def vacuous_reasons(rows: pd.DataFrame, most: int = 3) -> pd.DataFrame:
    """The `most` commonest reasons for VACUOUS of every claim: columns claim, reason, cases."""
    groups = judged(rows).groupby("claim", sort=False)
    found = [(claim, reason, count) for claim, group in groups for reason, count in _reasons(group, most)]
    return pd.DataFrame(found, columns=["claim", "reason", "cases"])


def notable_problems(rows: pd.DataFrame) -> list[str]:
    """Keys of the problems to keep for replay: all that fail or stay unresolved, and the tightest of every claim."""
    rows = judged(rows)
    troubled = rows.loc[rows["verdict"].isin(["FAILS", "UNRESOLVED"]), "problem"]
    tightest = summarise(rows)["problem"].dropna()
    return list(dict.fromkeys([*troubled, *tightest]))
