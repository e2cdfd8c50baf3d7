"""The table of a hunt, from the folders of its searches."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from verify.report.formats import margin_text, number
from verify.report.provenance import Provenance
from verify.search import Budget, folder
from verify.search.folder import sizes_of
from verify.studies.hunt import Hunt
from verify.studies.tables import write_page

NAME = "hunt"

HEAD = """# The smallest margins found

Every claim is to be searched for {limits} with the seed {seed}, by `verify hunt`; what was spent is in the table.
Seconds are processor time of the search alone, so that other programs on the machine do not count. A tenth of them is
for problems on which all claims of a part of the proof are measured, which costs a fifth a claim. A longer search may
find less, and a claim that no search refutes is not proved. In the folder of a claim `worst.json` is the problem with
the smallest margin, `simplest.json` a simplified one that shows the same; `verify replay FILE` checks it. The last
column is the version of the simulator and the claims under which the line was made.

Relative slack tends to 0 with ε wherever a bound is (1 + cε) times what it bounds, which says little. The column
"over ε or κ" has the smallest margin in the units in which bounds are written: relative slack over ε, nats over κ.

The space: {space}.
"""
NUMBERS = ("margin", "uncertainty", "scale", "exponent", "claimed_exponent")
COLUMNS = ("claim", "reading", "outcome", *NUMBERS, "scaled", "n", "m", "evaluations", "seconds", "code", "problem")


def rows(hunt: Hunt) -> pd.DataFrame:
    """One row a claim: what its folder says, or that it was not searched yet."""
    return pd.DataFrame([_row(hunt, claim.id, claim.reading) for claim in hunt.claims], columns=list(COLUMNS))


def _row(hunt: Hunt, claim: str, reading: str) -> dict[str, Any]:
    place = hunt.out / claim
    summary = folder.read(place)
    row: dict[str, Any] = {"claim": claim, "reading": reading, "outcome": outcome(hunt, place, summary)}
    if not summary:
        return row
    row |= {"code": summary.get("code", "")}
    row |= {name: summary[name] for name in ("evaluations", "seconds")} | {"scaled": summary.get("smallest_scaled")}
    worst = summary["worst"]
    if worst is None:
        return row
    n, m = sizes_of(place / "worst.json")
    return row | {name: worst[name] for name in NUMBERS} | {"n": n, "m": m, "problem": worst["key"]}


def outcome(hunt: Hunt, place: Path, summary: dict[str, Any]) -> str:
    """What a search came to, in words."""
    if not summary:
        return "not searched yet"
    if summary.get("unmeasured"):
        return str(summary["unmeasured"])
    if summary["refuted"]:
        n, m = sizes_of(place / "simplest.json")
        return f"false: fails with n = {n}, m = {m}, confirmed with more digits"
    verdict = summary["worst"]["verdict"] if summary["worst"] else ""
    words = {"HOLDS": "no failure found", "FAILS": "fails, not confirmed yet"}.get(verdict, "unresolved")
    if not summary["interrupted"] and hunt.budget.within(Budget(**summary["asked"]["budget"])):
        return words
    share = hunt.budget.spent(summary["seconds"], summary["evaluations"])
    return f"{min(share, 1):.0%} of the budget spent: {words}"


def write(hunt: Hunt, provenance: Provenance) -> list[Path]:
    """Write hunt.md and hunt.csv. Raises ReportNotWritten."""
    frame, budget = rows(hunt), hunt.budget
    seconds = f"{budget.seconds:g} s" if budget.seconds is not None else ""
    evaluations = f"{budget.evaluations} evaluations" if budget.evaluations is not None else ""
    head = HEAD.format(
        limits=" or ".join(part for part in (seconds, evaluations) if part),
        seed=hunt.seed,
        space=", ".join(f"{name} {value}" for name, value in hunt.space.to_dict().items()),
    )
    return write_page(hunt.out, NAME, [head], table(frame), frame, provenance, code=["claim"])


def table(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows as texts."""
    margins = zip(frame["margin"], frame["uncertainty"], strict=True)
    shown = {name: frame[name].astype(object).fillna("") for name in ("claim", "reading", "outcome")}
    shown["smallest margin"] = pd.Series([margin_text(*pair) for pair in margins], dtype=object)
    shown["scale"] = frame["scale"].astype(object).fillna("")
    shown["over ε or κ"] = frame["scaled"].map(lambda value: number(value, ".3g"))
    shown["exponent"], shown["claimed"] = frame["exponent"].map(number), frame["claimed_exponent"].map(number)
    for name in ("n", "m", "evaluations", "seconds"):
        shown[name] = frame[name].map(lambda value: number(value, ".0f"))
    shown["code"] = frame["code"].astype(object).fillna("").map(lambda code: code.rpartition("-")[2])
    return pd.DataFrame(shown)
