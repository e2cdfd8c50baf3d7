"""`verify sharpness`: the best exponents and constants that survive a search."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from verify.cli import spaces
from verify.cli.interrupts import as_interrupt
from verify.cli.options import AsJson, Claims
from verify.cli.searching import progress_of
from verify.cli.terminal import INTERRUPTED, complain, console, plain_table, print_json

Out = Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder of the table and of the searches behind it.")]
Hunted = Annotated[
    Path, typer.Option("--hunted", metavar="DIR", help="A hunt, whose problems are looked at first, if it is there.")
]
EVALUATIONS = 300


def run(
    claims: Claims = None,
    seconds: spaces.Seconds = None,
    evaluations: spaces.Evaluations = None,
    seed: spaces.Seed = 0,
    jobs: spaces.Jobs = 1,
    out: Out = Path("reports/sharpness"),
    hunted: Hunted = Path("reports/search"),
    as_json: AsJson = False,
) -> None:
    """Write the table "claimed, measured, best supported" of all exponents and constants.

    Two searches for each bound, 300 evaluations each unless --seconds or --evaluations says otherwise. Ctrl-C prints
    the lines so far and leaves the table in DIR as it is; the same command goes on.
    """
    from verify.report.provenance import Provenance
    from verify.search import Budget
    from verify.studies.sharpness import Sharpness
    from verify.studies.sharpness_page import table, write

    budget = Budget(seconds, EVALUATIONS if seconds is None and evaluations is None else evaluations)
    study = Sharpness.of(claims, budget, seed, out, hunted)
    rows: list[dict[str, Any]] = []
    try:
        with as_interrupt(), progress_of("") as progress:
            for row in study.run(progress, jobs):
                rows.append(row)
                complain(f"{row['claim']}: {row['best']}")
    except KeyboardInterrupt:
        console().print(plain_table(table(rows)))
        complain(f"interrupted after {len(rows)} of {len(study.claims)} bounds; the same command goes on")
        raise typer.Exit(INTERRUPTED) from None
    paths = write(rows, study, Provenance.collect(seed, digits=None))
    if as_json:
        print_json({"rows": rows, "files": [str(path) for path in paths]})
    else:
        console().print(plain_table(table(rows)))
