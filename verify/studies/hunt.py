"""A search for every claim, one after the other, with the same budget: where are they tightest, do any fail?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from verify.catalogue import Selection
from verify.claim import Claim
from verify.errors import InvalidArgument
from verify.report.formats import margin_text, number
from verify.report.provenance import Provenance
from verify.search import Budget, Found, Space, folder, search
from verify.search.bench import Bench
from verify.studies.tables import write_page

NAME = "hunt"


@dataclass(frozen=True)
class Hunt:
    """What to search, how, and where to keep it; ``budget`` is that of each claim."""

    claims: Sequence[Claim]
    selection: Selection
    space: Space
    budget: Budget
    seed: int
    out: Path

    def run(self, progress: Callable[[Bench], None], jobs: int = 1) -> Iterator[dict[str, Any]]:
        """A row for each claim, as its search ends, each search kept in its own folder; Ctrl-C ends the last one early.

        A claim that cannot be measured in the space has a row that says why.
        """
        for claim in self.claims:
            place = self.out / claim.id
            with closing(folder.opened(place, claim.id, self.space, self.seed, self.budget)):
                try:
                    found = search(
                        claim,
                        self.selection,
                        self.space,
                        self.budget,
                        place,
                        seed=self.seed,
                        jobs=jobs,
                        progress=progress,
                    )
                except InvalidArgument as error:
                    yield {"claim": claim.id, "reading": claim.reading, "outcome": str(error)}
                    continue
                folder.write(place, self.space, self.seed, self.budget, found)
            yield row_of(found)
            if found.interrupted:
                return

    def write(self, rows: list[dict[str, Any]], provenance: Provenance) -> list[Path]:
        """The table of all rows, as hunt.md and hunt.csv."""
        frame = pd.DataFrame(rows)
        seconds = f"{self.budget.seconds:g} s" if self.budget.seconds is not None else ""
        evaluations = f"{self.budget.evaluations} evaluations" if self.budget.evaluations is not None else ""
        limits = " or ".join(part for part in (seconds, evaluations) if part)
        head = f"""# The smallest margins found

Every claim was searched for {limits} with the seed {self.seed}, by `verify hunt`. That is a short budget: a longer
search may find less, and a claim that no search refutes is not proved. In the folder of a claim `worst.json` is the
problem with the smallest margin, `simplest.json` a simplified one that shows the same; `verify replay FILE` checks it.

The space: {_words(self.space)}.
"""
        return write_page(self.out, NAME, [head], table_of(frame), frame, provenance, code=["claim"])


def _words(space: Space) -> str:
    return ", ".join(f"{name} {value}" for name, value in space.to_dict().items())


def row_of(found: Found) -> dict[str, Any]:
    """The row of one search."""
    worst = found.worst
    row: dict[str, Any] = {"claim": found.claim.id, "reading": found.claim.reading, "outcome": _outcome(found)}
    row |= {"evaluations": found.evaluations, "seconds": round(found.seconds, 1)} | found.verdicts
    if worst is not None:
        row |= {
            name: getattr(worst, name) for name in ("margin", "uncertainty", "scale", "exponent", "claimed_exponent")
        }
        row |= {"n": len(worst.problem["y"]), "m": len(worst.problem["g"]), "problem": worst.key}
    return row


def _outcome(found: Found) -> str:
    if found.refuted and found.simplest is not None:
        n, m = len(found.simplest.problem["y"]), len(found.simplest.problem["g"])
        return f"false: fails with n = {n}, m = {m}, confirmed with more digits"
    if found.interrupted:
        return "interrupted"
    return "no failure found" if found.worst is not None and found.worst.verdict == "HOLDS" else "unresolved"


def table_of(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows as texts."""
    whole = frame.reindex(columns=[*frame.columns, *(name for name in _SHOWN if name not in frame.columns)])
    margins = zip(whole["margin"], whole["uncertainty"], strict=True)
    return pd.DataFrame(
        {
            "claim": whole["claim"],
            "reading": whole["reading"].fillna(""),
            "outcome": whole["outcome"],
            "smallest margin": [margin_text(*pair) for pair in margins],
            "scale": whole["scale"].fillna(""),
            "exponent": whole["exponent"].map(number),
            "claimed": whole["claimed_exponent"].map(number),
            "n": whole["n"].map(lambda value: number(value, ".0f")),
            "m": whole["m"].map(lambda value: number(value, ".0f")),
            "evaluations": whole["evaluations"].map(lambda value: number(value, ".0f")),
        }
    )


_SHOWN = ("margin", "uncertainty", "scale", "exponent", "claimed_exponent", "n", "m", "evaluations")
