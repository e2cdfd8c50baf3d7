"""`verify reproduce NAME`: the paper's experiments and remarks, with figures and a table of what was measured."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from verify.cli.options import AsJson
from verify.cli.terminal import complain, console, print_json, verdict_code

if TYPE_CHECKING:
    from verify.experiments.result import Progress, Result

Names = Annotated[
    list[str],
    typer.Argument(
        metavar="NAME...",
        help="section5, appendix-a1, appendix-a1-lazy, appendix-a2, remarks, one of these, all, or a claim: X.norms.",
    ),
]
Seeds = Annotated[
    int | None,
    typer.Option("--seeds", metavar="N", min=2, help="Seeds of each experiment; 20 by default, 5 of threshold."),
]
Out = Annotated[Path, typer.Option("--out", metavar="DIR", help="Where tables and figures go.")]
SECONDS_PER_LINE = 15.0
SEEDS = ".seeds"
"""Folder in which long experiments keep their seeds, until the code that makes them changes."""


def run(names: Names, seeds: Seeds = None, out: Out = Path("reports/reproduction"), as_json: AsJson = False) -> None:
    """Run experiments of the paper with its parameters, over many seeds; write tables, figures and an animation.

    Each is written as soon as it is done, and appendix-a2 keeps every seed: an interruption costs one experiment at
    most, or one seed of that.
    """
    from verify.experiments.catalogue import chosen
    from verify.experiments.store import store
    from verify.report.provenance import Provenance

    experiments, provenance = chosen(names), Provenance.collect(digits=None)
    verdicts: Counter[str] = Counter()
    rows: list[dict[str, Any]] = []
    for experiment in experiments:
        began = time.monotonic()
        with _told() as progress:
            result = experiment.result(seeds, progress, out / SEEDS)
            progress(f"{experiment.name}, writing")
            store(result, out, replace(provenance, date=datetime.now(UTC).isoformat(timespec="seconds")))
        verdicts.update(str(finding.verdict) for finding in result.findings)
        rows += _shown(result, time.monotonic() - began, as_json)
    if as_json:
        print_json(rows)
    raise typer.Exit(verdict_code(verdicts))


def _shown(result: Result, seconds: float, as_json: bool) -> list[dict[str, Any]]:
    from rich.table import Table
    from rich.text import Text

    from verify.cli.terminal import COLOURS
    from verify.report.formats import margin_text

    rows: list[dict[str, Any]] = [
        {"experiment": result.name, "quantity": row.quantity, "paper": row.paper, "values": list(row.values)}
        for row in result.rows
    ]
    rows += [
        {"experiment": result.name, "claim": f.claim.id, "verdict": str(f.verdict), "margin": f.margin.value,
         "uncertainty": f.margin.uncertainty, "scale": f.margin.scale, "text": f.text}
        for f in result.findings
    ]  # fmt: skip
    if as_json:
        return rows
    table = Table("quantity", "the paper says", "measured", box=None, pad_edge=False, header_style="bold")
    for row in result.rows:
        table.add_row(Text(row.quantity), Text(row.paper), Text(row.text()))
    screen = console()
    screen.print(f"[bold]{result.title}[/], {result.seeds} seeds, {seconds:.0f} s")
    screen.print(table)
    for f in result.findings:
        screen.print(Text(str(f.verdict), style=COLOURS[f.verdict]), Text(f.claim.id, style="cyan"),
                     Text(margin_text(f.margin.value, f.margin.uncertainty)), Text(f.claim.statement))  # fmt: skip
    screen.print()
    return rows


@contextmanager
def _told() -> Iterator[Progress]:
    """What is being done: a spinner on a terminal, elsewhere a line now and then."""
    screen = console(stderr=True)
    if screen.is_terminal:
        with screen.status("starting") as status:
            yield status.update
        return
    last = time.monotonic()

    def tell(message: str) -> None:
        nonlocal last
        if time.monotonic() - last > SECONDS_PER_LINE:
            complain(message)
            last = time.monotonic()

    yield tell
