"""What the studies' pages share: a table in Markdown and CSV, and where it comes from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from verify.report.formats import to_csv, to_markdown
from verify.report.provenance import Provenance
from verify.report.write import write_atomically


def write_page(
    folder: Path,
    name: str,
    paragraphs: Sequence[str],
    table: pd.DataFrame,
    rows: pd.DataFrame,
    provenance: Provenance,
    code: Sequence[str] = (),
) -> list[Path]:
    """Write NAME.md, paragraphs around a table of texts with its provenance, and NAME.csv with the numbers.

    The first paragraph stands above the table, the others below it. Raises ReportNotWritten.
    """
    head, *rest = paragraphs
    parts = [head, to_markdown(table, code=code), *rest, "## Provenance\n", _listed(provenance.to_dict())]
    text = "\n".join(part.rstrip("\n") + "\n" for part in parts)
    return [
        write_atomically(folder / f"{name}.csv", to_csv(rows).encode()),
        write_atomically(folder / f"{name}.md", text.encode()),
    ]


def _listed(values: Mapping[str, str]) -> str:
    return "".join(f"- {name}: {value or 'unknown'}\n" for name, value in values.items())
