"""`verify guard`: the stored baseline, checked again."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from verify.cli.options import All, AsJson, Growth, Jobs
from verify.cli.terminal import ALL_HELD, SOMETHING_FAILED, console, working
from verify.errors import InvalidArgument

if TYPE_CHECKING:
    import pandas as pd

    from verify.baseline import Case
    from verify.report.changes import Changes

Folder = Annotated[Path, typer.Option("--baseline", metavar="DIR", help="Where the baseline is.")]
Every = Annotated[int, typer.Option("--every", metavar="K", min=1, help="Check every K-th problem only.")]
Accept = Annotated[
    str | None, typer.Option("--accept", metavar="REASON", help="Make the new margins the baseline; say why.")
]
CHANGELOG = Path("CHANGELOG.md")


def run(
    baseline: Folder = Path("reports/baseline"),
    every: Every = 1,
    accept: Accept = None,
    growth: Growth = 3.0,
    jobs: Jobs = None,
    whole: All = False,
    as_json: AsJson = False,
) -> None:
    """Check the problems of the baseline again and compare verdicts, margins and error bars with the stored ones.

    Ends with 1 and the differences when a verdict flips, a margin moves by more than both error bars together, or an
    error bar grows by more than --growth. `--accept REASON` stores what was found and adds the reason to CHANGELOG.md.
    """
    from verify.baseline import check_changelog, read_cases
    from verify.cli.changes import print_changes

    if accept is not None:
        if every != 1 or not accept.strip():
            raise InvalidArgument("--accept needs a reason, and all problems: leave out --every")
        check_changelog(CHANGELOG)
    cases = read_cases(baseline)[::every]
    rows = check_again(cases, jobs)
    changes = _changes(baseline, cases, rows, growth)
    print_changes(changes, as_json, whole)
    if accept is not None:
        _accept(baseline, rows, accept.strip(), changes)
        return
    if not as_json:
        _explain(changes, cases)
    raise typer.Exit(SOMETHING_FAILED if changes.any else ALL_HELD)


def check_again(cases: list[Case], jobs: int | None) -> pd.DataFrame:
    """All claims on the problems of a baseline, in float64: what float64 leaves unresolved is part of the baseline."""
    import pandas as pd

    from verify.campaign.many import check_all
    from verify.catalogue import Selection
    from verify.cli.progress import tracked
    from verify.cli.workers import default_jobs

    found: dict[int, pd.DataFrame] = {}

    def collect() -> Generator[int]:
        problems = [case.problem for case in cases]
        for index, rows in check_all(problems, Selection(), None, jobs or default_jobs(len(cases))):
            found[index] = rows
            yield 1

    with closing(tracked(collect(), 0, len(cases))) as steps:
        for _ in steps:
            pass
    return pd.concat([found[index] for index in sorted(found)], ignore_index=True)


def _changes(folder: Path, cases: list[Case], rows: pd.DataFrame, growth: float) -> Changes:
    from verify.baseline import read_margins
    from verify.report.changes import compare

    known = read_margins(folder)
    return compare(known[known["problem"].isin([case.problem.key for case in cases])], rows, growth)


def _explain(changes: Changes, cases: list[Case]) -> None:
    screen = console()
    why = {case.problem.key: case.why for case in cases}
    concerned = [key for table in (changes.flips, changes.moved) for key in table["problem"]]
    for key in list(dict.fromkeys(concerned))[:5]:
        screen.print(f"{key}: {why[key]}")
    if changes.any:
        screen.print("[red]The baseline does not hold.[/] If this is meant: verify guard --accept 'why'")
    elif len(changes.new):
        screen.print("New cases are not guarded yet: verify guard --accept 'why'")


def _accept(folder: Path, rows: pd.DataFrame, reason: str, changes: Changes) -> None:
    from verify.baseline import record, write_margins
    from verify.report.provenance import Provenance

    with working(f"writing {folder}"):
        write_margins(folder, rows, Provenance.collect(digits=None).to_dict())
        record(CHANGELOG, reason, changes)
    console().print(f"accepted; the reason is in {CHANGELOG}")
