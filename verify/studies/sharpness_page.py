"""The page of the sharpness table, and the problems that set its numbers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd

from verify.report.formats import number
from verify.report.provenance import Provenance
from verify.report.write import write_atomically
from verify.studies.sharpness import Sharpness
from verify.studies.tables import write_page

HEAD = """# How sharp the bounds are

What each bound claims, what a search found, and the best that is consistent with it. Each number comes from a search of
{budget} (seed {seed}): Hypothesis, then CMA-ES, over n = 2 to 4 labels and m = 2 to 6 neurons. A longer search may
find worse cases, and nothing here proves that a bound can be improved; a claim beyond the best supported is refuted.

- **Exponents** p of bounds C(λ^ε)^p, the constant kept: the smallest p with which the bound is met with equality, at
  100 to 1000 times the Λ that the proof asks for, where constants weigh little; where the claimed p depends on ε, by
  how much it could be sharper. Where that is less than a percent, the largest constant found at 1 to 10 times that Λ is
  given, as a factor of the claimed one.
- **Constants** c: the worst one found at 1 to 10 times that Λ, and again at 100 to 1000 times.
"""
SHOWN = ("claim", "reading", "bound", "claimed", "measured", "deep inside", "best supported", "problem")


def write(rows: list[dict[str, Any]], study: Sharpness, provenance: Provenance) -> list[Path]:
    """Write sharpness.md, sharpness.csv and problems/KEY.json. Raises ReportNotWritten."""
    seconds = f"{study.budget.seconds:g} s" if study.budget.seconds is not None else ""
    evaluations = f"{study.budget.evaluations} evaluations" if study.budget.evaluations is not None else ""
    head = HEAD.format(budget=" or ".join(part for part in (seconds, evaluations) if part), seed=study.seed)
    kept = [row for row in rows if "json" in row]
    problems = [
        write_atomically(study.out / "problems" / f"{row['problem']}.json", (json.dumps(row["json"]) + "\n").encode())
        for row in kept
    ]
    frame = pd.DataFrame([{name: value for name, value in row.items() if name != "json"} for row in rows])
    return [
        *write_page(study.out, "sharpness", [head], table(rows), frame, provenance, code=("claim", "problem")),
        *problems,
    ]


def table(rows: list[dict[str, Any]]) -> pd.DataFrame:
    """The rows as texts."""
    return pd.DataFrame([_line(row) for row in rows], columns=list(SHOWN))


def _line(row: dict[str, Any]) -> dict[str, str]:
    line = {"claim": row["claim"], "reading": row["reading"], "bound": row["words"], "best supported": row["best"]}
    line |= {"problem": row.get("problem", ""), "deep inside": number(row.get("deep"), ".3g")}
    if "measured" not in row:
        return line | {"claimed": "", "measured": ""}
    varies = row["kind"] == "power" and row["claimed"] >= 3
    claimed = "depends on ε" if varies else number(row["claimed"], ".4g")
    measured = f"claimed {row['excess']:+.3g}" if varies else number(row["measured"], ".4g")
    return line | {"claimed": claimed, "measured": measured}
