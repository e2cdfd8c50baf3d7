"""Many given problems checked one by one, in this process or in several."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Any

import pandas as pd

from verify.campaign.dispatch import Dispatcher
from verify.campaign.executors import executor
from verify.campaign.run import DEAD
from verify.campaign.work import Digits, check_or_say_why, unresolved_rows
from verify.catalogue import Selection
from verify.check import select
from verify.problem import Problem


def check_all(
    problems: Sequence[Problem], selection: Selection, digits: Digits, jobs: int
) -> Iterator[tuple[int, pd.DataFrame]]:
    """Index and rows of every problem, as they are finished.

    A problem that ends its process twice is UNRESOLVED. Closing the iterator ends the processes.
    """
    with closing(executor(jobs, None)) as pool:
        dispatcher: Dispatcher[int] = Dispatcher(
            pool,
            work=lambda which: (_check_json, problems[which[0]].to_json(), selection, digits),
            dead=lambda index: unresolved_rows(problems[index].key, select(selection.claims()), DEAD),
            chunk=1,
        )
        for which, rows in dispatcher.outcomes(iter(range(len(problems)))):
            yield which[0], rows


def _check_json(values: dict[str, Any], selection: Selection, digits: Digits) -> pd.DataFrame:
    return check_or_say_why(Problem.from_json(values), selection.claims(), digits)
