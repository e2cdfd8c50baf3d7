"""Run a campaign: draw what is missing, check it in parallel, store it in parts."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing

import pyarrow as pa

from verify.campaign.config import Config
from verify.campaign.dispatch import Dispatcher
from verify.campaign.executors import Executor
from verify.campaign.sample import Drawn, draw
from verify.campaign.schema import problems_table
from verify.campaign.store import Store
from verify.campaign.work import Task, check_tasks, rows_of_the_dead
from verify.catalogue import Selection

SECONDS_PER_PART, PROBLEMS_PER_PART = 5.0, 500
"""A part is written when so much time has passed, or so many problems wait: the most that a kill can cost."""
DEAD = "the process that worked on this problem died twice"


def run(config: Config, selection: Selection, store: Store, executor: Executor) -> Iterator[int]:
    """Check every problem that the store lacks; yields how many more are finished, each time some are.

    What is finished is stored also when the iterator is closed or an error comes through. Raises NotStored when the
    disk is full, PrecisionExhausted for digits that are not there, SimulationFailed when a cluster is lost.
    """
    missing = (draw(config, index) for index in range(config.problems) if index not in store.finished)
    with closing(_Parts(store)) as parts:
        dispatcher: Dispatcher[Drawn] = Dispatcher(
            executor,
            work=lambda drawn: (check_tasks, [Task.of(one) for one in drawn], selection, config.digits),
            dead=lambda one: rows_of_the_dead(Task.of(one), selection, DEAD),
            chunk=1 if config.digits == "certified" else Dispatcher.chunk,
        )
        for drawn, rows in dispatcher.outcomes(missing):
            parts.add(drawn, rows)
            yield len(drawn)


class _Parts:
    """Collects results until there are enough for a part file, or it is time."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._drawn: list[Drawn] = []
        self._rows: list[pa.Table] = []
        self._since = time.monotonic()

    def add(self, drawn: list[Drawn], rows: pa.Table) -> None:
        """Take the rows of some problems."""
        self._drawn += drawn
        self._rows.append(rows)
        if len(self._drawn) >= PROBLEMS_PER_PART or time.monotonic() - self._since > SECONDS_PER_PART:
            self.flush()

    def flush(self) -> None:
        """Store what waits."""
        drawn, rows = self._drawn, self._rows
        self._drawn, self._rows, self._since = [], [], time.monotonic()
        if drawn:
            self._store.add(pa.concat_tables(rows), problems_table(drawn))

    def close(self) -> None:
        """Store the rest."""
        self.flush()
