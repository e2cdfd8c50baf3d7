"""What a worker does: claims on a few problems, whatever happens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import pandas as pd
import pyarrow as pa

from verify.campaign.sample import Drawn
from verify.campaign.schema import rows_table
from verify.catalogue import Selection
from verify.check import select
from verify.claim import Claim
from verify.errors import (
    InvalidInitialisation,
    InvalidProblem,
    MissingExtra,
    PrecisionExhausted,
    SimulationFailed,
    was_interrupted,
)
from verify.problem import Problem
from verify.report.tables import ROW_COLUMNS

Claims = list[Claim] | None
Digits = int | str | None


@dataclass(frozen=True)
class Task:
    """One problem on its way to a worker: everything by value, so that any process on any machine can do it."""

    index: int
    key: str
    json: dict[str, Any]
    features: dict[str, Any]

    @classmethod
    def of(cls, drawn: Drawn) -> Task:
        """The task of checking a drawn problem."""
        return cls(drawn.index, drawn.problem.key, drawn.problem.to_json(), drawn.features)


def check_tasks(tasks: Sequence[Task], selection: Selection, digits: Digits) -> pa.Table:
    """The rows of every task, as a table with the columns of a campaign."""
    claims = _claims(selection)
    return pa.concat_tables(
        rows_table(check_or_say_why(Problem.from_json(task.json), claims, digits), task.index, task.features)
        for task in tasks
    )


def rows_of_the_dead(task: Task, selection: Selection, reason: str) -> pa.Table:
    """Rows for a problem that ends the process that works on it."""
    return rows_table(unresolved_rows(task.key, select(_claims(selection)), reason), task.index, task.features)


@lru_cache(maxsize=8)
def _claims(selection: Selection) -> Claims:
    return selection.claims()


def check_or_say_why(problem: Problem, claims: Claims, digits: Digits) -> pd.DataFrame:
    """The rows of a check; a claim that cannot be measured is UNRESOLVED and the reason says why.

    Raises PrecisionExhausted when digits were asked for that are not there, and KeyboardInterrupt for Ctrl-C, also for
    one that a compiled loop has turned into a SystemError.
    """
    from verify.check import check

    try:
        return certified_or_refused(problem, claims) if digits == "certified" else check(problem, claims, digits)
    except PrecisionExhausted as error:
        if isinstance(digits, int):
            raise
        return unresolved_rows(problem.key, select(claims), _why(error))
    except MissingExtra:
        raise
    except SimulationFailed as error:
        return unresolved_rows(problem.key, select(claims), _why(error))
    except Exception as error:
        if was_interrupted(error):
            raise KeyboardInterrupt from error
        return _one_by_one(problem, select(claims), digits, error)


def certified_or_refused(problem: Problem, claims: Claims) -> pd.DataFrame:
    """The rows of a certification; a problem that cannot be certified leaves all UNRESOLVED, and the reason says why.

    Raises MissingExtra without python-flint.
    """
    from verify.certify.rows import certified_rows

    try:
        return certified_rows(problem, claims)
    except (InvalidProblem, InvalidInitialisation) as error:
        return unresolved_rows(problem.key, select(claims), _why(error))


def _one_by_one(problem: Problem, claims: list[Claim], digits: Digits, error: Exception) -> pd.DataFrame:
    """After an error that nobody planned for, such as a bug in a user's claim: the other claims keep their rows."""
    if len(claims) == 1:
        return unresolved_rows(problem.key, claims, _why(error))
    return pd.concat([check_or_say_why(problem, [claim], digits) for claim in claims], ignore_index=True)


def _why(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def unresolved_rows(key: str, claims: Sequence[Claim], reason: str) -> pd.DataFrame:
    """One UNRESOLVED row a claim, without a margin."""
    rows: list[dict[str, Any]] = [
        dict.fromkeys(ROW_COLUMNS, float("nan"))
        | {"problem": key, "claim": claim.id, "source": claim.source, "tag": claim.tag, "verdict": "UNRESOLVED"}
        | {"scale": "", "neuron": pd.NA, "label": pd.NA, "digits": 16, "reason": reason}
        for claim in claims
    ]
    return pd.DataFrame(rows, columns=list(ROW_COLUMNS)).astype({"neuron": "Int64", "label": "Int64"})
