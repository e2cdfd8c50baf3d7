"""The page of the sharpness table, and the problems that set its numbers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd

from verify.report.formats import number
from verify.report.provenance import Provenance
from verify.report.write import write_atomically
from verify.studies.sharpness import NAME, Sharpness, problem_file
from verify.studies.tables import write_page

ROWS = """## Rows that need a word

Derived here, by the leading order of the flow as λ → 0:

- `L3.time`, `P2.turn`, `L4.time`: outputs grow logistically, and the last stretch, up to a gap λ^(ε/5), takes
  (ε/10)Λ/‖D₊‖; that up to λ^(ε/29) takes (ε/58)Λ/‖D₋‖. Hence c → 0.1, 0.1, and 1/(58r), which is at most 0.0172 (r
  → 1). What is more than that at the edge of the regime are constants over κ.
- `L7.dead.corrected`, `L8.dead.corrected`: the rows measure the regime, not the bound. `verify/regime.py` asks that
  the linearised flow be through with these deaths at half of t₊₁ or t₋₁; at a hundred times that Λ it is a
  hundredth of it.
- `L2.align±`, `L7.align`, `L8.align`: 1 − cos falls like e^(−2‖D‖t), which is λ^(2ε) at the time κ/‖D‖. `L2.align+`
  is looked at later, at κ/‖D₋‖, where it is λ^(2rε): 2 again as r → 1. `L3.align`, `L4.align` and `L10.logistic`
  are at their worst as their phases begin, and have the same 2.
- `L2.norm`, `L7.norm`, `L8.norm`: the exponent is sharp, and so is half of the constant: neurons that start on
  their target grow at its rate. The other half is the paper's allowance for the residual, which is y up to
  something that vanishes.
- `P1.sign`: the bound lets all m neurons have the largest norm c, on one input, with one sign.
- `L9.lower±`: key neurons never shrink by more than a constant, so λ would do for λ^(1+ε) ("claimed +1") and for
  λ^(1+rε) (claimed +r, of which r → 1 is the smallest).
- `L3.idle`, `L4.idle`, `L10.colinear`: how fast idle neurons grow depends on the data as ε itself does. The
  smallest exponent is that of the largest ε in the space, and no number of the paper's.
- `L3.loss`, `L3.loss.appendix`: the gap λ^(ε/5) squared over 2n, which is ¼λ^(2ε/5) for n = 2.
- `L4.still`, `L4.fitted`, `L12.ball`: what is left of the gaps λ^(ε/5) and λ^(ε/29), hence 1/5 and 1/29.
- `C1.saddle`, `L4.close.corrected`: the factor 2 is ours, so that about half of it is used. `L4.close` has no
  factor, and fails by as much as one likes where 2n‖D₋‖ is small (E4).
- `L5.PL`, `L12.rate`: near θ* the slowest direction has the ratio 2‖D₋‖, and trajectories can come close to it;
  along y₋ it is 4‖D₋‖, which is what most of them show.
"""

HEAD = """# How sharp the bounds are

What each bound claims, what a search found, and the best that is consistent with it. Each number comes from a
search of {budget} (seed {seed}): the problem in an earlier table, the worst ones of `verify hunt`, then
Hypothesis, then CMA-ES, over n = 2 to 4 labels and m = 2 to 6 neurons. A longer search may find worse cases, and
nothing here proves that a bound can be improved; a claim beyond the best supported is refuted.

- **Exponents** p of bounds C(λ^ε)^p, the constant kept: the smallest p with which the bound is met with equality,
  at 100 to 1000 times the Λ that the proof asks for, where constants weigh little; where the claimed p depends on
  ε, by how much it could be sharper. Where that is less than a percent, the largest constant found at 1 to 10 times
  that Λ is given, as a factor of the claimed one.
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
        write_atomically(problem_file(study.out, row["problem"]), (json.dumps(row["json"]) + "\n").encode())
        for row in kept
    ]
    frame = pd.DataFrame([{name: value for name, value in row.items() if name != "json"} for row in rows])
    return [
        *write_page(study.out, NAME, [head, ROWS], table(rows), frame, provenance, code=("claim", "problem")),
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
