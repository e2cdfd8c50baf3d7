"""Many problems checked one by one, in this process or in several."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any

from verify.campaign.dispatch import Dispatcher
from verify.campaign.executors import executor
from verify.campaign.work import check_or_say_why, unresolved_rows
from verify.catalogue import Selection

if TYPE_CHECKING:
    import pandas as pd

    from verify.problem import Problem

PROBLEMS_WORTH_A_PROCESS = 4


def default_jobs(problems: int) -> int:
    """One process a processor, but none that would start for fewer than four problems."""
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(processors, problems // PROBLEMS_WORTH_A_PROCESS))


def check_all(
    problems: Sequence[Problem], claims: str | None, digits: int | str, jobs: int
) -> Iterator[tuple[int, pd.DataFrame]]:
    """Index and rows of every problem, as they are finished; `claims` is the text of --claims.

    A problem that ends its process twice is UNRESOLVED. Closing the iterator ends the processes.
    """
    selection = Selection.parse(claims)
    with closing(executor(jobs, None)) as pool:
        dispatcher: Dispatcher[int] = Dispatcher(
            pool,
            work=lambda which: (_check_json, problems[which[0]].to_json(), selection, digits),
            dead=lambda index: _dead_rows(problems[index], selection),
            chunk=1,
        )
        for which, rows in dispatcher.outcomes(iter(range(len(problems)))):
            yield which[0], rows


def _check_json(values: dict[str, Any], selection: Selection, digits: int | str) -> pd.DataFrame:
    from verify.problem import Problem

    return check_or_say_why(Problem.from_json(values), selection.claims(), digits)


def _dead_rows(problem: Problem, selection: Selection) -> pd.DataFrame:
    from verify.campaign.run import DEAD
    from verify.check import select

    return unresolved_rows(problem.key, select(selection.claims()), DEAD)
