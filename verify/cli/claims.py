"""`verify claims`: what can be checked."""

from __future__ import annotations

from verify.cli.options import AsJson


def run(as_json: AsJson = False) -> None:
    """List the claims, those of installed packages too: id, source, tag (T stated, R reconstructed, D derived here)."""
    from verify.catalogue import available
    from verify.cli.terminal import console, print_json

    fields = ("id", "source", "tag", "reading", "statement")
    table = [{name: str(getattr(claim, name)) for name in fields} for claim in available()]
    if as_json:
        print_json(table)
        return
    from rich.table import Table
    from rich.text import Text

    shown = Table(*fields, box=None, pad_edge=False, header_style="bold")
    for column in shown.columns[:4]:
        column.no_wrap = True
    for claim in table:
        shown.add_row(*(Text(claim[name], style="cyan" if name == "id" else "") for name in fields))
    console().print(shown)
