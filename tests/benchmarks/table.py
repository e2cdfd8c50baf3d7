"""Runs side by side: median times, ratios within a group, accuracies."""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tabulate import tabulate


@dataclass(frozen=True)
class Run:
    """One program on one task: median seconds, and its largest error where the right answer is known."""

    group: str
    name: str
    seconds: float
    error: float | None = None
    note: str = ""


@dataclass
class Table:
    """Runs in the order in which they came; the first of a group is what its others are divided by."""

    runs: list[Run] = field(default_factory=list)

    def add(self, *runs: Run) -> None:
        self.runs.extend(runs)

    def text(self) -> str:
        """The table as plain text."""
        first: dict[str, float] = {}
        rows = []
        for run in self.runs:
            ratio = run.seconds / first.setdefault(run.group, run.seconds)
            error = "" if run.error is None else f"{run.error:.1e}"
            rows.append([run.group, run.name, f"{1e3 * run.seconds:.3g}", f"{ratio:.2f}", error, run.note])
        headers = ["task", "run", "ms", "ratio", "error", ""]
        return tabulate(rows, headers, disable_numparse=True, colalign=("left", "left", *["right"] * 3, "left"))


def median_seconds(tasks: dict[str, Callable[[], Any]], rounds: int) -> dict[str, float]:
    """Median time of each task, all run in turn in every round so that a busy machine slows them alike.

    Each is run once beforehand to be warm.
    """
    times: dict[str, list[float]] = {name: [] for name in tasks}
    for task in tasks.values():
        task()
    for _ in range(rounds):
        for name, task in tasks.items():
            began = time.perf_counter()
            task()
            times[name].append(time.perf_counter() - began)
    return {name: statistics.median(values) for name, values in times.items()}
