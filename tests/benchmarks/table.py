"""Runs side by side: median times, ratios within a group, accuracies."""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tabulate import tabulate

HEADERS = ["task", "run", "ms", "ratio", "error", ""]
ALIGNED = ("left", "left", *["right"] * 3, "left")


@dataclass(frozen=True)
class Run:
    """One program on one task: median seconds, and its largest error where the right answer is known.

    ``place``: where the run stands in the figure, as ("Λ", 230.0) or ("m", 2000); None keeps it out.
    """

    group: str
    name: str
    seconds: float
    error: float | None = None
    note: str = ""
    place: tuple[str, float] | None = None


@dataclass
class Table:
    """Runs in the order in which they came; the first of a group is what its others are divided by."""

    runs: list[Run] = field(default_factory=list)

    def add(self, *runs: Run) -> None:
        self.runs.extend(runs)

    def rows(self) -> list[list[str]]:
        """One row a run: task, run, ms, ratio, error, note."""
        first: dict[str, float] = {}
        rows = []
        for run in self.runs:
            ratio = run.seconds / first.setdefault(run.group, run.seconds)
            error = "" if run.error is None else f"{run.error:.1e}"
            rows.append([run.group, run.name, f"{1e3 * run.seconds:.3g}", f"{ratio:.2f}", error, run.note])
        return rows

    def text(self) -> str:
        """The table as plain text."""
        return tabulate(self.rows(), HEADERS, disable_numparse=True, colalign=ALIGNED)

    def markdown(self) -> str:
        """The table for a page of Markdown."""
        return tabulate(self.rows(), HEADERS, tablefmt="pipe", disable_numparse=True, colalign=ALIGNED)


def median_seconds(tasks: dict[str, Callable[[], Any]], rounds: int) -> dict[str, float]:
    """Median processor time of each task, all run in turn in every round so that a busy machine slows them alike.

    Processor time, not that of the clock: what else runs on the machine counts little. Each task is run once beforehand
    to be warm.
    """
    times: dict[str, list[float]] = {name: [] for name in tasks}
    for task in tasks.values():
        task()
    for _ in range(rounds):
        for name, task in tasks.items():
            began = time.process_time()
            task()
            times[name].append(time.process_time() - began)
    return {name: statistics.median(values) for name, values in times.items()}
