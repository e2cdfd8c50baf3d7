"""The folder of a search: what was asked, every evaluation, and the two problems worth keeping.

search.json         what was asked, and what came out
evaluations.jsonl   every evaluation, in the order made
worst.json          the problem with the smallest margin
simplest.json       a simplified one that shows the same
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import IO, Any

from verify.campaign.files import held, write_durably
from verify.campaign.version import code_version
from verify.catalogue import Selection
from verify.errors import InvalidArgument
from verify.problem import Problem
from verify.search.bench import Objective
from verify.search.budget import Budget
from verify.search.evaluation import Evaluation
from verify.search.found import Found
from verify.search.record import NAME, evaluations_in
from verify.search.space import Space

SUMMARY, LOCK = "search.json", ".lock"


def opened(folder: Path, claim: str, space: Space, seed: int, budget: Budget) -> IO[str]:
    """Make the folder, or go on in it: its lock, to be closed in the end.

    Raises InvalidArgument when it holds another search; another budget is the same search.
    """
    asked = _asked(claim, space, seed)
    path = folder / SUMMARY
    lock = held(folder / LOCK, "another search is writing there; wait, or give another --out")
    if path.exists():
        there = json.loads(path.read_text(encoding="utf-8"))
        differing = [name for name in asked if there["asked"].get(name) != asked[name]]
        if differing:
            lock.close()
            told = "; ".join(f"{name} = {there['asked'].get(name)} there, {asked[name]} here" for name in differing)
            raise InvalidArgument(f"{folder}: holds another search ({told}); give another --out")
    else:
        _write(path, {"asked": asked | _limits(budget)})
    return lock


def read(folder: Path) -> dict[str, Any]:
    """The summary of a folder; empty where there is none, or where no search was written yet."""
    path = folder / SUMMARY
    summary: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return summary if "statement" in summary else {}


def sizes_of(path: Path) -> tuple[int, int]:
    """n and m of a problem that was stored."""
    problem = Problem.from_json(path)
    return problem.dataset.n, problem.initialisation.m


def best_of(folder: Path, objective: Objective, most: int) -> list[Problem]:
    """Problems of a search worth another look: its worst and simplest, and ``most`` with the smallest objective."""
    kept = [folder / f"{name}.json" for name in ("worst", "simplest")]
    problems = [Problem.from_json(path) for path in kept if path.exists()]
    record = folder / NAME
    measured = [one for _, one in evaluations_in(record.read_bytes())] if record.exists() else []
    finite = [one for one in measured if objective(one) < math.inf]
    return problems + [Problem.from_json(one.problem) for one in sorted(finite, key=objective)[:most]]


def take_over(folder: Path, other: Path, claim: str, space: Space, seed: int) -> bool:
    """Replace a search by the same one from elsewhere if that has more processor seconds; whether it was.

    Evaluations that only ``folder`` has are kept. To be called with the lock of `opened`.
    """
    theirs = read(other)
    if not theirs or any(theirs["asked"].get(name) != value for name, value in _asked(claim, space, seed).items()):
        return False
    if theirs["seconds"] <= read(folder).get("seconds", 0):
        return False
    records = [path.read_bytes() for path in (other / NAME, folder / NAME) if path.exists()]
    lines = dict.fromkeys(line for record in records for line in record.splitlines(keepends=True))
    write_durably(folder / NAME, lambda file: file.writelines(lines))
    for name in ("worst.json", "simplest.json"):
        (folder / name).unlink(missing_ok=True)
        if (other / name).exists():
            Problem.from_json(other / name).save(folder / name)
    _write(folder / SUMMARY, theirs)
    return True


def finished(folder: Path, claim: str, space: Space, seed: int, budget: Budget) -> str:
    """Under which version of the code this search was finished there, on no smaller budget; empty if it was not."""
    there = read(folder)
    if not there or there["interrupted"]:
        return ""
    same = all(there["asked"].get(name) == value for name, value in _asked(claim, space, seed).items())
    return str(there.get("code", "")) if same and budget.within(Budget(**there["asked"]["budget"])) else ""


def write(folder: Path, space: Space, seed: int, budget: Budget, found: Found, selection: Selection) -> dict[str, Any]:
    """Store what a search has found; returns the summary."""
    summary = {
        "asked": _asked(found.claim.id, space, seed) | _limits(budget),
        "statement": found.claim.statement,
        "code": code_version(selection),
        "refuted": found.refuted,
        "interrupted": found.interrupted,
        "unmeasured": found.unmeasured,
        "evaluations": found.evaluations,
        "seconds": round(found.seconds, 1),
        "verdicts": found.verdicts,
        "smallest_scaled": found.scaled,
        "worst": _case(found.worst),
        "simplest": _case(found.simplest),
        "confirmed": _case(found.confirmed),
    }
    for name, case in (("worst", found.worst), ("simplest", found.simplest)):
        if case is not None:
            Problem.from_json(case.problem).save(folder / f"{name}.json")
    _write(folder / SUMMARY, summary)
    return summary


def _asked(claim: str, space: Space, seed: int) -> dict[str, Any]:
    return {"claim": claim, "seed": seed, "space": space.to_dict()}


def _limits(budget: Budget) -> dict[str, Any]:
    return {"budget": {"seconds": budget.seconds, "evaluations": budget.evaluations}}


def _case(case: Evaluation | None) -> dict[str, Any] | None:
    return None if case is None else {k: v for k, v in case.to_json().items() if k not in ("problem", "elapsed")}


def _write(path: Path, values: dict[str, Any]) -> None:
    content = (json.dumps(values, indent=1, ensure_ascii=False) + "\n").encode()
    write_durably(path, lambda file: file.write(content))
