"""`verify certify FILE.json`: verdicts that depend on no tolerance, and certificates of them."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from verify.cli.options import AsJson, Claims, claims_of
from verify.cli.terminal import COLOURS, complain, console, print_json, records, verdict_code, working
from verify.errors import InvalidArgument

if TYPE_CHECKING:
    import pandas as pd
    from rich.table import Table

    from verify.certify.verdicts import Certification

File = Annotated[Path, typer.Argument(metavar="FILE.json", help="A problem; with --replay a certificate.")]
Depth = Annotated[
    int | None, typer.Option("--digits", metavar="N", help="Digits the state has at all times, from 20; 15 without.")
]
Bits = Annotated[int | None, typer.Option("--bits", metavar="B", help="Bits of the balls; as many as needed without.")]
Save = Annotated[Path | None, typer.Option("--save", metavar="CERTIFICATE.json", help="Write the certificate here.")]
Replay = Annotated[bool, typer.Option("--replay", help="Check the certificate in FILE.json again; sweeps over Λ anew.")]


def run(
    file: File,
    claims: Claims = None,
    digits: Depth = None,
    bits: Bits = None,
    save: Save = None,
    replay: Replay = False,
    as_json: AsJson = False,
) -> None:
    """Enclose the margins of claims on one problem in ball arithmetic; needs the extra `certify`."""
    if replay and (claims is not None or digits is not None or bits is not None or save is not None):
        raise InvalidArgument("--replay checks what the certificate says: leave the other options out")
    complain("numbers mean exactly the decimals that are written")
    with working(f"certifying {file}"):
        found = _again(file) if replay else _made(file, claims, digits, bits)
    if save is not None:
        from verify.certify.certificate import save as write

        write(found, save)
        complain(f"certificate written to {save}")
    rows = found.frame()
    if as_json:
        print_json(records(rows))
    else:
        console().print(table_of(rows))
    raise typer.Exit(verdict_code(Counter(str(outcome.verdict) for outcome in found.outcomes)))


def _made(file: Path, claims: str | None, digits: int | None, bits: int | None) -> Certification:
    from verify.certify.verdicts import certify
    from verify.problem import Problem

    return certify(Problem.from_json(file), claims_of(claims), digits, bits)


def _again(file: Path) -> Certification:
    from verify.certify.replay import replay

    return replay(file)


def table_of(rows: pd.DataFrame) -> Table:
    """The rows of a certification for the terminal: margins as [low, high]."""
    from rich.table import Table
    from rich.text import Text

    from verify.report.formats import witness_text

    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("claim", "tag", "verdict", "margin"):
        table.add_column(name, no_wrap=True, justify="right" if name == "margin" else "left")
    for name in ("scale", "witness", "remark"):
        table.add_column(name, overflow="fold")
    for row in rows.to_dict("records"):
        verdict = Text(row["verdict"], style=COLOURS[row["verdict"].split()[0]])
        witness = witness_text(row["neuron"], row["label"], row["t"])
        cells = [Text(word) for word in (interval(row["low"], row["high"]), row["scale"], witness, row["reason"])]
        table.add_row(Text(row["claim"]), Text(row["tag"]), verdict, *cells)
    return table


def interval(low: float, high: float, digits: int = 6) -> str:
    """An interval for people to read, rounded outwards.

    >>> interval(0.12345678, 0.12345679), interval(float("nan"), float("nan"))
    ('[0.123456, 0.123457]', '')
    """
    from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal

    if math.isnan(low):
        return ""
    ends = ((low, ROUND_FLOOR), (high, ROUND_CEILING))
    rounded = [Context(prec=digits, rounding=way).create_decimal(Decimal(x)) for x, way in ends]
    return f"[{', '.join(f'{x:g}'.replace('Infinity', 'inf') for x in rounded)}]"
