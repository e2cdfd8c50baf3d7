"""What all commands share: exit codes, consoles, JSON on stdout, the table of one check."""

from __future__ import annotations

import json
import math
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console
    from rich.table import Table

ALL_HELD, SOMETHING_FAILED, BAD_INPUT, UNRESOLVED, INTERRUPTED = 0, 1, 2, 3, 130
COLOURS = {"HOLDS": "green", "FAILS": "bold red", "UNRESOLVED": "yellow", "VACUOUS": "dim"}
WIDTH_OF_A_FILE = 160


def exit_code(rows: pd.DataFrame) -> int:
    """1 when a claim fails; else 3 when one is unresolved or nothing was tested at all; else 0."""
    from verify.report.tables import judged

    return verdict_code(Counter(judged(rows)["verdict"]))


def verdict_code(counts: Mapping[str, int]) -> int:
    """The exit code of a run with so many cases of every verdict."""
    if counts.get("FAILS", 0):
        return SOMETHING_FAILED
    return ALL_HELD if counts.get("HOLDS", 0) and not counts.get("UNRESOLVED", 0) else UNRESOLVED


def console(*, stderr: bool = False) -> Console:
    """A console as wide as the terminal, or wide enough for every table when written to a file."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    return Console(stderr=stderr, highlight=False, width=None if stream.isatty() else WIDTH_OF_A_FILE)


def complain(message: str) -> None:
    """One line on stderr."""
    print("verify:", " ".join(message.split()), file=sys.stderr)


@contextmanager
def working(message: str) -> Iterator[None]:
    """A spinner on stderr while something takes its time; nothing when stderr is no terminal."""
    screen = console(stderr=True)
    if not screen.is_terminal:
        yield
        return
    with screen.status(message):
        yield


def print_json(value: Any) -> None:
    """`value` as JSON on stdout: numbers that are missing become null, infinite ones the strings inf and -inf."""
    print(json.dumps(plain(value), indent=1, ensure_ascii=False))


def plain(value: Any) -> Any:
    """`value` with JSON types only.

    >>> plain({"margin": float("inf"), "t": float("nan"), "neuron": 3})
    {'margin': 'inf', 't': None, 'neuron': 3}
    """
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    value = value.item() if hasattr(value, "item") else value
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    return value if isinstance(value, (str, int, float, type(None))) else str(value)


def records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of a table as JSON objects; every missing value is null."""
    return [plain(row) for row in table.astype(object).where(table.notna(), None).to_dict("records")]


def check_table(rows: pd.DataFrame) -> Table:
    """The rows of one check for the terminal."""
    import pandas as pd
    from rich.table import Table
    from rich.text import Text

    from verify.report.formats import exponent_text, margin_text, witness_text
    from verify.report.tables import judged

    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("claim", "tag", "verdict"):
        table.add_column(name, no_wrap=True)
    table.add_column("margin", justify="right", no_wrap=True)
    for name in ("scale", "exponent / claimed", "witness", "remark"):
        table.add_column(name, overflow="fold")
    for row in judged(rows).to_dict("records"):
        verdict = Text(row["verdict"], style=COLOURS[row["verdict"]])
        margin = margin_text(row["margin"], row["uncertainty"])
        exponents = exponent_text(row["exponent"], row["claimed_exponent"])
        witness = witness_text(row["neuron"], row["label"], row["t"])
        words = (row["claim"], row["tag"], margin, row["scale"], exponents, witness, row["reason"])
        cells = [Text("" if pd.isna(word) else str(word)) for word in words]
        table.add_row(*cells[:2], verdict, *cells[2:])
    return table


def print_check(rows: pd.DataFrame, as_json: bool) -> None:
    """The rows of one check, as a table or as JSON."""
    if as_json:
        print_json(records(rows))
    else:
        console().print(check_table(rows))


LEFT = ("claim", "scale", "exponent / claimed", "problem")
"""Columns of the summary that are read from the left."""


def summary_table(summary: pd.DataFrame) -> Table:
    """The summary of many checks for the terminal: one line a claim."""
    from rich.table import Table
    from rich.text import Text

    from verify.report.formats import readable

    left_out = ["tag", "median margin", "median exponent / claimed", "witness"]
    texts = readable(summary).drop(columns=left_out)
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in texts.columns:
        table.add_column(name, no_wrap=True, justify="left" if name in LEFT else "right")
    for cells, row in zip(texts.to_numpy().tolist(), summary.itertuples(), strict=True):
        style = "red" if row.failed or row.untested else "yellow" if row.unresolved else ""
        table.add_row(*(Text(cell) for cell in cells), style=style)
    return table


def plain_table(texts: pd.DataFrame) -> Table:
    """A table of texts for the terminal."""
    from rich.table import Table
    from rich.text import Text

    table = Table(*map(str, texts.columns), box=None, pad_edge=False, header_style="bold")
    for cells in texts.astype(str).to_numpy().tolist():
        table.add_row(*map(Text, cells))
    return table
