"""`verify diff A B`: what changed between two campaigns."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from verify.cli.options import All, AsJson, Growth
from verify.cli.terminal import ALL_HELD, SOMETHING_FAILED, working
from verify.errors import InvalidArgument

if TYPE_CHECKING:
    import pandas as pd

A = Annotated[Path, typer.Argument(metavar="A", help="A campaign, a report, or a baseline: before.")]
B = Annotated[Path, typer.Argument(metavar="B", help="Another one: after.")]


def run(a: A, b: B, growth: Growth = 3.0, whole: All = False, as_json: AsJson = False) -> None:
    """Compare two folders claim by claim and problem by problem: verdicts, margins, error bars, then time.

    Margins count as moved when they differ by more than both error bars together. Ends with 1 when anything but time
    changed.
    """
    from verify.cli.changes import print_changes
    from verify.report.changes import compare

    with working(f"comparing {a} and {b}"):
        changes = compare(rows_in(a), rows_in(b), growth)
    if not changes.cases:
        raise InvalidArgument(f"{a} and {b} have no problem and claim in common; nothing can be compared")
    print_changes(changes, as_json, whole)
    raise typer.Exit(SOMETHING_FAILED if changes.any else ALL_HELD)


def rows_in(folder: Path) -> pd.DataFrame:
    """The rows that can be compared, of a campaign, or of a folder with margins.parquet."""
    from verify.baseline import MARGINS, read_margins
    from verify.campaign.load import holds_campaign, load
    from verify.report.changes import COMPARED

    if holds_campaign(folder):
        return load(folder, COMPARED)
    if not (folder / MARGINS).is_file():
        raise InvalidArgument(f"{folder}: holds neither a campaign nor {MARGINS}")
    return read_margins(folder)
