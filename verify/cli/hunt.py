"""`verify hunt`: a search for every claim."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from verify.cli import spaces
from verify.cli.interrupts import as_interrupt
from verify.cli.options import AsJson, Claims
from verify.cli.searching import progress_of
from verify.cli.terminal import (
    ALL_HELD,
    INTERRUPTED,
    SOMETHING_FAILED,
    UNRESOLVED,
    complain,
    console,
    plain_table,
    print_json,
    records,
)

if TYPE_CHECKING:
    import pandas as pd

    from verify.studies.hunt import Hunt

Out = Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder of the table, and of a folder for each claim.")]
Seconds = Annotated[
    float | None, typer.Option("--seconds", metavar="S", help="Processor time for each claim, 600 by default.")
]
StopAfter = Annotated[
    float | None,
    typer.Option("--stop-after", metavar="S", min=0, help="Stop after so much real time; go on some other day."),
]
Merge = Annotated[
    list[Path] | None,
    typer.Option("--merge", metavar="DIR", help="Search nothing; take over what the hunt in DIR searched for longer."),
]
SECONDS = 600.0


def run(
    claims: Claims = None,
    seconds: Seconds = None,
    evaluations: spaces.Evaluations = None,
    stop_after: StopAfter = None,
    seed: spaces.Seed = 0,
    n: spaces.Inputs = spaces.INPUTS,
    m: spaces.Neurons = spaces.NEURONS,
    epsilon: spaces.Fraction = spaces.FRACTION,
    regime: spaces.InRegime = None,
    kappa: spaces.Kappa = None,
    jobs: spaces.Jobs = 1,
    out: Out = Path("reports/search"),
    merge: Merge = None,
    as_json: AsJson = False,
) -> None:
    """Search the claims one after the other, in the order given, and write the table of the smallest margins.

    Each has the same budget, counted in the search's own processor time, so that a busy machine does not shorten it;
    all claims together have eight hours of it. Stopped by Ctrl-C or --stop-after, the same command goes on with what
    is left; hunts of several machines are made one by --merge. Ends with 1 when a claim is refuted, with 3 when none is
    and some are left or unresolved.
    """
    from verify.catalogue import Selection
    from verify.check import select
    from verify.report.provenance import Provenance
    from verify.search import Budget
    from verify.studies import hunt_page
    from verify.studies.hunt import Hunt

    space = spaces.space_of(n, m, epsilon, regime, kappa)
    budget = Budget(SECONDS if seconds is None and evaluations is None else seconds, evaluations)
    wanted = select(Selection.parse(claims).claims())
    selection = Selection.parse(claims or [claim.id for claim in wanted])
    hunt = Hunt(wanted, selection, space, budget, seed, out, stop_after, note=complain)
    interrupted = _merged(hunt, merge) if merge else _hunted(hunt, jobs)
    rows, paths = hunt_page.rows(hunt), hunt_page.write(hunt, Provenance.collect(seed, digits=None))
    if as_json:
        print_json({"rows": records(rows), "files": [str(path) for path in paths]})
    else:
        console().print(plain_table(hunt_page.table(rows)))
    left = len(wanted) - len(hunt.finished())
    if left:
        complain(f"{left} of {len(wanted)} claims are left; the same command goes on")
    raise typer.Exit(INTERRUPTED if interrupted and stop_after is None else _code(rows, left))


def _merged(hunt: Hunt, others: list[Path]) -> bool:
    """Take over the longer searches of other hunts; never stopped. Raises InvalidArgument where there is no hunt."""
    from verify.errors import InvalidArgument

    for other in others:
        if not any((other / claim.id).is_dir() for claim in hunt.claims):
            raise InvalidArgument(f"--merge {other}: holds no search of any of the claims")
        taken = hunt.merge(other)
        complain(f"{other}: {len(taken)} searches taken over {', '.join(claim.id for claim in taken)}")
    return False


def _hunted(hunt: Hunt, jobs: int) -> bool:
    """Search; whether it was stopped."""
    from verify.search import folder
    from verify.studies.hunt_page import outcome

    interrupted = False
    with as_interrupt(), progress_of("") as progress:
        for found in hunt.run(progress, jobs):
            place = hunt.out / found.claim.id
            complain(f"{found.claim.id}: {outcome(hunt, place, folder.read(place))}")
            interrupted = found.interrupted
    return interrupted


def _code(rows: pd.DataFrame, left: int) -> int:
    if rows["outcome"].str.startswith("false").any():
        return SOMETHING_FAILED
    return UNRESOLVED if left or rows["outcome"].str.contains("unresolved").any() else ALL_HELD
