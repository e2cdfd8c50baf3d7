"""Counts of verdicts and the tightest case of every claim, kept while results stream by."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from verify.report.tables import COUNTS, SUMMARY_COLUMNS, TIGHTEST, certified

WATCHED = ("claim", "source", "tag", "verdict", "reason", "seconds", *TIGHTEST)


class Tally:
    """One entry a claim; `add` takes the rows of any number of problems and keeps none of them."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._claims: dict[str, dict[str, Any]] = {}

    def add(self, rows: pa.Table) -> None:
        """Count the rows; a claim that held or failed on a margin that is not a number counts as unresolved."""
        frame = rows.select(list(WATCHED)).to_pandas()
        numberless = frame["margin"].isna() & frame["verdict"].isin(["HOLDS", "FAILS"])
        frame["verdict"] = frame["verdict"].mask(numberless, "UNRESOLVED")
        self.seconds += float(np.nansum(frame["seconds"].to_numpy(float)))
        counts = Counter(zip(frame["claim"], frame["verdict"], strict=True))
        proved = Counter(frame.loc[certified(frame), "claim"])
        measured = frame[(frame["verdict"] != "VACUOUS") & frame["margin"].notna()]
        tightest = measured.loc[measured.groupby("claim")["margin"].idxmin()].set_index("claim", drop=False)
        first = frame.drop_duplicates("claim")
        for claim, source, tag in zip(first["claim"], first["source"], first["tag"], strict=True):
            entry = self._claims.setdefault(claim, _empty(claim, source, tag))
            for name, verdict in COUNTS.items():
                entry[name] += counts[claim, verdict]
            entry["certified"] += proved[claim]
            if claim in tightest.index:
                _keep_tightest(entry, tightest.loc[claim].to_dict())

    @property
    def verdicts(self) -> dict[str, int]:
        """How many cases got each verdict."""
        return {verdict: sum(entry[name] for entry in self._claims.values()) for name, verdict in COUNTS.items()}

    @property
    def certified(self) -> int:
        """How many verdicts are certified."""
        return sum(entry["certified"] for entry in self._claims.values())

    def summary(self, statements: Mapping[str, str]) -> pd.DataFrame:
        """The columns of `verify.report.tables.summarise`, without medians; claims in the order of ``statements``."""
        names = [claim for claim in statements if claim in self._claims]
        names += [claim for claim in self._claims if claim not in statements]
        rows = []
        for claim in names:
            entry = self._claims[claim]
            cases = sum(entry[name] for name in COUNTS)
            rows.append(
                entry | {"statement": statements.get(claim, ""), "cases": cases, "untested": cases == entry["vacuous"]}
            )
        return pd.DataFrame(rows, columns=list(SUMMARY_COLUMNS))


def _empty(claim: str, source: str, tag: str) -> dict[str, Any]:
    counts = dict.fromkeys((*COUNTS, "certified"), 0)
    return {"claim": claim, "source": source, "tag": tag} | counts | dict.fromkeys(TIGHTEST)


def _keep_tightest(entry: dict[str, Any], row: Mapping[Any, Any]) -> None:
    known = entry["margin"]
    if known is None or math.isnan(known) or row["margin"] < known:
        entry.update({name: row[name] for name in TIGHTEST})
