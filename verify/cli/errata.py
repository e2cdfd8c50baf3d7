"""`verify errata`: where the text is wrong, with counterexamples, and measuring them again."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from verify.cli.options import AsJson
from verify.cli.terminal import ALL_HELD, SOMETHING_FAILED, console, plain_table, print_json, working

if TYPE_CHECKING:
    from verify.errata import Erratum

Ids = Annotated[list[str] | None, typer.Argument(metavar="[ID]...", help="Entries such as E4; all of them by default.")]
Folder = Annotated[Path, typer.Option("--errata", metavar="DIR", help="Where the register is.")]
Check = Annotated[bool, typer.Option("--check", help="Measure every counterexample again, in 40 digits.")]


def run(
    ids: Ids = None, errata: Folder = Path("reports/errata"), check: Check = False, as_json: AsJson = False
) -> None:
    """List the errata, or tell the entries asked for in full; `--check` ends with 1 when one comes out otherwise."""
    from verify.errata import read_register

    entries = read_register(errata, ids)
    if as_json:
        print_json([_record(entry, check) for entry in entries])
        raise typer.Exit(ALL_HELD)
    if check:
        raise typer.Exit(SOMETHING_FAILED if _print_checks(entries) else ALL_HELD)
    if ids:
        for entry in entries:
            _print_whole(entry)
    else:
        _print_list(entries)


def _record(entry: Erratum, check: bool) -> dict[str, Any]:
    from verify.errata import measured_again

    values = asdict(entry) | {"folder": str(entry.folder)}
    if check:
        values["again"] = [asdict(again) for again in measured_again(entry)]
    return values


def _print_list(entries: list[Erratum]) -> None:
    import pandas as pd

    columns = ("id", "status", "source", "title")
    console().print(plain_table(pd.DataFrame([{name: getattr(entry, name) for name in columns} for entry in entries])))


def _print_whole(entry: Erratum) -> None:
    screen = console()
    screen.print(f"[bold]{entry.id}: {entry.title}[/]  ({entry.source}; {entry.status})\n", soft_wrap=True)
    for name in ("printed", "why", "corrected", "found"):
        screen.print(f"[bold]{name}[/]")
        screen.print(getattr(entry, name) + "\n", markup=False, soft_wrap=True)
    for measurement in entry.measurements:
        exponent = "" if measurement.exponent is None else f", exponent {measurement.exponent:.4g}"
        told = f"{measurement.claim}: {measurement.verdict}, margin {measurement.margin:.4g}{exponent}"
        screen.print(f"{told}   verify replay {entry.path(measurement)}", soft_wrap=True)
    screen.print()


def _print_checks(entries: list[Erratum]) -> bool:
    """Measure again and print a line each; whether anything differs."""
    import pandas as pd

    from verify.errata import measured_again
    from verify.report.formats import margin_text

    lines = []
    for entry in entries:
        with working(f"measuring {entry.id}"):
            for again in measured_again(entry):
                cells = {"id": entry.id, "claim": again.measurement.claim, "problem": again.measurement.problem}
                margin = f"{margin_text(again.margin, again.uncertainty)} {again.scale}"
                lines.append(cells | {"verdict": again.verdict, "margin": margin, "differs": again.difference})
    console().print(plain_table(pd.DataFrame(lines)))
    return any(line["differs"] for line in lines)
