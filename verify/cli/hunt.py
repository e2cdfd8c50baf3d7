"""`verify hunt`: a search for every claim."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from verify.cli import spaces
from verify.cli.interrupts import as_interrupt
from verify.cli.options import AsJson, Claims, Jobs
from verify.cli.search import SECONDS, progress_of
from verify.cli.terminal import ALL_HELD, INTERRUPTED, SOMETHING_FAILED, complain, console, print_json, records

Out = Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder of the table, and of a folder for each claim.")]


def run(
    claims: Claims = None,
    seconds: spaces.Seconds = None,
    evaluations: spaces.Evaluations = None,
    seed: spaces.Seed = 0,
    n: spaces.Inputs = "2:4",
    m: spaces.Neurons = "2:6",
    epsilon: spaces.Fraction = "0.3:0.95",
    regime: spaces.InRegime = None,
    kappa: spaces.Kappa = None,
    jobs: Jobs = 1,
    out: Out = Path("reports/search"),
    as_json: AsJson = False,
) -> None:
    """Search the claims one after the other, with the same budget each, and write the table of the smallest margins.

    The same command goes on where it was stopped. Ends with 1 when a claim is refuted.
    """
    import pandas as pd

    from verify.catalogue import Selection
    from verify.check import select
    from verify.report.provenance import Provenance
    from verify.search import Budget
    from verify.studies.hunt import Hunt, table_of

    space = spaces.space_of(n, m, epsilon, regime, kappa, None, None)
    budget = Budget(SECONDS if seconds is None and evaluations is None else seconds, evaluations)
    wanted = select(Selection.parse(claims).claims())
    selection = Selection.parse(claims or [claim.id for claim in wanted])
    hunt = Hunt(wanted, selection, space, budget, seed, out)
    rows: list[dict[str, Any]] = []
    with as_interrupt(), progress_of("") as progress:
        for row in hunt.run(progress, jobs or 1):
            rows.append(row)
            complain(f"{row['claim']}: {row['outcome']}")
    frame = pd.DataFrame(rows)
    paths = hunt.write(rows, Provenance.collect(seed, digits=None))
    if as_json:
        print_json({"rows": records(frame), "files": [str(path) for path in paths]})
    else:
        from verify.cli.terminal import plain_table

        console().print(plain_table(table_of(frame)))
    if rows and rows[-1]["outcome"] == "interrupted":
        complain(f"interrupted after {len(rows)} of {len(wanted)} claims; the same command goes on")
        raise typer.Exit(INTERRUPTED)
    raise typer.Exit(SOMETHING_FAILED if any("false" in row["outcome"] for row in rows) else ALL_HELD)
