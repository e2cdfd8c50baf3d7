"""`verify claims`: what can be checked, and what experiments measure."""

from __future__ import annotations

from verify.cli.options import AsJson

FIELDS = ("id", "source", "tag", "reading", "command", "statement")


def run(as_json: AsJson = False) -> None:
    """List the claims, those of installed packages too: id, source, tag (T stated, R reconstructed, D derived here).

    The command is the one that measures a claim: `check` on one problem, or `reproduce` and an experiment for claims
    beyond the lemmas, which speak of many starts at once.
    """
    from verify.cli.terminal import console, print_json

    table = listed()
    if as_json:
        print_json(table)
        return
    from rich.table import Table
    from rich.text import Text

    shown = Table(*FIELDS, box=None, pad_edge=False, header_style="bold")
    for column in shown.columns[:5]:
        column.no_wrap = True
    for claim in table:
        shown.add_row(*(Text(claim[name], style="cyan" if name == "id" else "") for name in FIELDS))
    console().print(shown)


def listed() -> list[dict[str, str]]:
    """One row a claim: those of one problem, then those of experiments."""
    from verify.catalogue import available
    from verify.experiments.catalogue import measured_by

    own = [(c.id, c.source, c.tag, c.reading, "check", c.statement) for c in available()]
    beyond = [
        (remark.id, remark.source, remark.tag, "", f"reproduce {experiment.name}", remark.statement)
        for experiment, remark in measured_by().values()
    ]
    return [dict(zip(FIELDS, map(str, row), strict=True)) for row in (*own, *beyond)]
