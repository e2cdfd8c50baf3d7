"""The pytest plugin: fixture `margins` (or `margin`) collects the frames of `check`; the session ends with a table.

Importing this costs nothing beyond pytest, and nothing happens unless a test uses the fixture.
"""

from __future__ import annotations

import math
import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from verify.columns import COLUMNS
from verify.errors import InvalidArgument

if TYPE_CHECKING:
    import pandas as pd

    from verify.problem import Problem

#: From harmless to serious: of two verdicts on one claim of one problem, the more serious is kept.
VERDICTS = ("VACUOUS", "HOLDS", "UNRESOLVED", "FAILS")
Row = dict[str, Any]


@dataclass
class Tally:
    """The rows of one claim, counted; `tightest` is the row of the smallest margin that is a number."""

    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(VERDICTS, 0))
    tightest: Row | None = None

    @property
    def cases(self) -> int:
        """Number of rows."""
        return sum(self.counts.values())

    @property
    def all_vacuous(self) -> bool:
        """Whether no case tested the claim."""
        return self.counts["VACUOUS"] == self.cases

    def add(self, row: Row) -> None:
        """Count one row."""
        self.counts[row["verdict"]] += 1
        if row["verdict"] == "VACUOUS" or math.isnan(row["margin"]):
            return
        if self.tightest is None or row["margin"] < self.tightest["margin"]:
            self.tightest = row


class Margins:
    """Collects one row for each claim of each problem; the same pair recorded again is not a second case."""

    def __init__(self) -> None:
        self._rows: dict[tuple[str, str], Row] = {}
        self._problems: dict[str, Problem] = {}

    def record(self, frame: pd.DataFrame, problem: Problem) -> None:
        """Store the rows of `check(problem)`.

        A verdict HOLDS without a margin counts as UNRESOLVED. Raises InvalidArgument if columns are missing,
        a verdict is unknown, or the frame belongs to another problem.
        """
        self._store(frame, problem)

    def assert_held(self, frame: pd.DataFrame, problem: Problem) -> None:
        """Record the frame; raise AssertionError with a line per claim that FAILS and one to replay it."""
        __tracebackhide__ = True
        failed = [_failure(row) for row in self._store(frame, problem) if row["verdict"] == "FAILS"]
        if failed:
            raise AssertionError("\n".join([*failed, f"verify replay {problem.key}"]))

    def _store(self, frame: pd.DataFrame, problem: Problem) -> list[Row]:
        rows = _rows_of(frame, problem.key)
        for row in rows:
            known = self._rows.setdefault((row["problem"], row["claim"]), row)
            if VERDICTS.index(row["verdict"]) > VERDICTS.index(known["verdict"]):
                self._rows[row["problem"], row["claim"]] = row
        self._problems.setdefault(problem.key, problem)
        return rows

    @property
    def rows(self) -> list[Row]:
        """The rows in the order they were first recorded."""
        return list(self._rows.values())

    def tallies(self) -> dict[str, Tally]:
        """Return the counts of each claim."""
        tallies: dict[str, Tally] = {}
        for row in self.rows:
            tallies.setdefault(row["claim"], Tally()).add(row)
        return tallies

    def problems_to_keep(self) -> dict[str, Problem]:
        """Return the problems that fail and the tightest of each claim, by key."""
        tightest = [tally.tightest for tally in self.tallies().values() if tally.tightest is not None]
        failing = [row for row in self.rows if row["verdict"] == "FAILS"]
        return {row["problem"]: self._problems[row["problem"]] for row in failing + tightest}

    def frame(self) -> pd.DataFrame:
        """Return all rows, with the columns of `check`."""
        import pandas as pd

        return pd.DataFrame(self.rows, columns=list(COLUMNS)).astype({"neuron": "Int64", "label": "Int64"})

    def write(self, directory: Path) -> None:
        """Write margins.parquet, margins.csv and problems/KEY.json, each file whole or not at all."""
        problems = directory / "problems"
        problems.mkdir(parents=True, exist_ok=True)
        for key, problem in self.problems_to_keep().items():
            problem.save(problems / f"{key}.json")
        frame = self.frame()
        _write_whole(directory / "margins.parquet", lambda path: frame.to_parquet(path, index=False))
        _write_whole(directory / "margins.csv", lambda path: frame.to_csv(path, index=False))


def _rows_of(frame: pd.DataFrame, key: str) -> list[Row]:
    missing = [name for name in COLUMNS if name not in frame.columns]
    if missing:
        raise InvalidArgument(f"frame lacks the columns {missing}; give the frame that verify.check.check returned")
    rows = [{str(name): value for name, value in row.items()} for row in frame.to_dict("records")]
    return [_checked({**row, "verdict": str(row["verdict"])}, key) for row in rows]


def _checked(row: Row, key: str) -> Row:
    if row["problem"] != key:
        raise InvalidArgument(f"frame is about problem {row['problem']!r}, not about the problem {key!r} given")
    if row["verdict"] not in VERDICTS:
        raise InvalidArgument(f"verdict = {row['verdict']!r} must be one of {', '.join(VERDICTS)}")
    try:
        margin = float(row["margin"])
    except TypeError:  # None and pandas.NA
        margin = math.nan
    verdict = "UNRESOLVED" if row["verdict"] == "HOLDS" and math.isnan(margin) else row["verdict"]
    return {**row, "margin": margin, "verdict": verdict}


def _failure(row: Row) -> str:
    witness = ", ".join(f"{name} = {row[name]}" for name in ("neuron", "label", "t") if _is_known(row[name]))
    margin = f"{row['margin']:.6g} ± {row['uncertainty']:.1g} {row['scale']}"
    return f"{row['claim']} FAILS: margin {margin} at {witness or 'no witness'}"


def _is_known(value: object) -> bool:
    return isinstance(value, (int, float)) and not math.isnan(value)


def _write_whole(path: Path, write: Callable[[Path], object]) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    os.close(handle)
    try:
        write(Path(name))
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


# Hooks of pytest

RECORDER = pytest.StashKey[Margins]()
OUTCOME = pytest.StashKey[str]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add --margins-out."""
    text = "folder for margins.parquet, margins.csv and problems/ (default: reports/latest of the rootdir)"
    parser.getgroup("verify").addoption("--margins-out", metavar="DIR", help=text)


def pytest_configure(config: pytest.Config) -> None:
    """Start the session with no rows."""
    config.stash[RECORDER] = Margins()


@pytest.fixture(scope="session")
def margins(pytestconfig: pytest.Config) -> Margins:
    """The session's collector: `margins.record(frame, problem)` and `margins.assert_held(frame, problem)`."""
    return pytestconfig.stash[RECORDER]


@pytest.fixture(scope="session")
def margin(margins: Margins) -> Margins:
    """Another name of the fixture `margins`."""
    return margins


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write what was recorded, also after an interrupt; a failure to write never changes the exit code."""
    recorder, directory = session.config.stash[RECORDER], _directory(session.config)
    if not recorder.rows:
        return
    try:
        recorder.write(directory)
        session.config.stash[OUTCOME] = f"written to {directory}"
    except Exception as error:
        session.config.stash[OUTCOME] = f"NOT written to {directory}: {type(error).__name__}: {error}"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print the table of claims; red where a claim failed or was never tested."""
    tallies = config.stash[RECORDER].tallies()
    if not tallies:
        return
    terminalreporter.section("margins")
    lines = _table([HEADER, *(_cells(claim, tally) for claim, tally in tallies.items())])
    terminalreporter.write_line(lines[0], bold=True)
    for line, tally in zip(lines[1:], tallies.values(), strict=True):
        terminalreporter.write_line(line, red=tally.all_vacuous or tally.counts["FAILS"] > 0)
    outcome = config.stash.get(OUTCOME, "not written")
    terminalreporter.write_line(outcome, red=not outcome.startswith("written"))


HEADER = ["claim", "cases", "held", "failed", "unresolved", "vacuous", "smallest margin", "problem key"]


def _cells(claim: str, tally: Tally) -> list[str]:
    counts = [str(tally.counts[verdict]) for verdict in ("HOLDS", "FAILS", "UNRESOLVED", "VACUOUS")]
    if tally.all_vacuous:
        smallest = ["never tested", "all vacuous"]
    elif tally.tightest is None:
        smallest = ["none", "-"]
    else:
        smallest = [f"{tally.tightest['margin']:.4g} {tally.tightest['scale']}", tally.tightest["problem"]]
    return [claim, str(tally.cases), *counts, *smallest]


def _table(rows: list[list[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def _directory(config: pytest.Config) -> Path:
    given = config.getoption("--margins-out")
    directory = config.invocation_params.dir / given if given else config.rootpath / "reports" / "latest"
    worker: dict[str, str] = getattr(config, "workerinput", {})
    return directory / worker["workerid"] if worker else directory
