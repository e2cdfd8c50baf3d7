"""The report on disk: margins as Parquet, CSV, Markdown and one figure, each file written whole or not at all."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import Protocol

import pandas as pd

from verify import columns
from verify.errors import VerifyError
from verify.report.formats import count, readable, to_csv, to_latex, to_markdown
from verify.report.provenance import Provenance
from verify.report.tables import COUNTS, VERDICTS, certified, judged, notable_problems, summarise, vacuous_reasons

METADATA_KEY = b"verify.provenance"
REPLAY = "verify replay KEY"


class ReportNotWritten(VerifyError, OSError):
    """A file of the report could not be written; the files written before it are complete and stay."""


class Stored(Protocol):
    """What is kept for replay: a Problem, by its key and its JSON."""

    @property
    def key(self) -> str: ...

    def to_json(self) -> dict[str, object]: ...


def write_report(
    rows: pd.DataFrame,
    out_dir: str | os.PathLike[str],
    provenance: Provenance,
    *,
    statements: Mapping[str, str] | None = None,
    readings: Mapping[str, str] | None = None,
    problems: Iterable[Stored] = (),
    replay: str = REPLAY,
) -> list[Path]:
    """Write margins.parquet, .csv, .md, .tex and .png to `out_dir`, and problems/KEY.json of those worth a replay.

    `rows` are results of `check`, concatenated; `statements` maps a claim's id to its sentence, `readings` to which of
    two readings of the text it is, `replay` is the command that shows one case again. Kept problems are the ones that
    fail or stay unresolved and the tightest of every claim. Returns the paths in the order written, data before
    pictures.
    Raises ReportNotWritten with the name of the file that could not be written.
    """
    folder, rows = Path(out_dir), judged(rows)
    summary = summarise(rows, statements)
    kept = set(notable_problems(rows))
    contents: dict[str, Callable[[], bytes]] = {
        "margins.parquet": lambda: parquet_bytes(rows, provenance),
        "margins.csv": lambda: to_csv(rows).encode(),
        **{f"problems/{problem.key}.json": _json_of(problem) for problem in problems if problem.key in kept},
        "margins.md": lambda: report_markdown(rows, summary, provenance, readings or {}, replay).encode(),
        "margins.tex": lambda: to_latex(readable(summary).drop(columns=["problem", "witness"])).encode(),
        "margins.png": lambda: _figure_bytes(rows),
    }
    return [write_atomically(folder / name, content()) for name, content in contents.items()]


def _json_of(problem: Stored) -> Callable[[], bytes]:
    return lambda: (json.dumps(problem.to_json(), indent=1) + "\n").encode()


def _figure_bytes(rows: pd.DataFrame) -> bytes:
    from verify.report.figures import figure_bytes, margins_figure

    return figure_bytes(margins_figure(rows))


def parquet_bytes(rows: pd.DataFrame, provenance: Provenance) -> bytes:
    """The rows as a Parquet file whose schema metadata holds the provenance as JSON under `verify.provenance`."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.Table.from_pandas(_storable(rows), preserve_index=False)
    metadata = {**(table.schema.metadata or {}), METADATA_KEY: json.dumps(provenance.to_dict()).encode()}
    buffer = BytesIO()
    pq.write_table(table.replace_schema_metadata(metadata), buffer)
    return buffer.getvalue()


def _storable(rows: pd.DataFrame) -> pd.DataFrame:
    """Plain column types, the same whatever the rows hold, so that reports can be concatenated."""
    kinds = {columns.TEXTS: "string", columns.INTEGERS: "Int64", columns.FLOATS: "float64"}
    types = {name: kind for names, kind in kinds.items() for name in names}
    return rows.astype(types)


def read_provenance(path: str | os.PathLike[str]) -> dict[str, str]:
    """The provenance stored in a margins.parquet; empty when the file carries none."""
    import pyarrow.parquet as pq

    metadata = pq.read_schema(path).metadata or {}
    found: dict[str, str] = json.loads(metadata.get(METADATA_KEY, b"{}"))
    return found


def report_markdown(
    rows: pd.DataFrame, summary: pd.DataFrame, provenance: Provenance, readings: Mapping[str, str], replay: str = REPLAY
) -> str:
    """The report to read: all in one line, the table of margins, readings, vacuous cases, statements, provenance."""
    figure = "![Margins of every claim](margins.png)\n"
    return markdown(headline(rows), summary, vacuous_reasons(rows), provenance.to_dict(), figure, readings, replay)


def markdown(
    headline: str,
    summary: pd.DataFrame,
    reasons: pd.DataFrame,
    provenance: Mapping[str, str],
    figures: str,
    readings: Mapping[str, str],
    replay: str = REPLAY,
) -> str:
    """The same from tables that are made already."""
    table = readable(summary)
    parts = [
        "# Margins of the claims\n",
        headline + "\n",
        _warning(summary),
        to_markdown(table, code=["claim", "problem"]),
        _readings(summary, table, readings),
        _untested(summary, reasons),
        figures,
        f"Columns and verdicts are explained in reports/README.md. One case again: `{replay}`, "
        "KEY from the column problem.\n",
        _statements(summary),
        "## Provenance\n",
        "".join(f"- {name}: {value or 'unknown'}\n" for name, value in provenance.items()),
    ]
    return "\n".join(part for part in parts if part)


def headline(rows: pd.DataFrame) -> str:
    """One sentence with the number of problems, claims and verdicts."""
    rows = judged(rows)
    counts = rows["verdict"].value_counts().to_dict()
    verdicts = {verdict: counts.get(verdict, 0) for verdict in VERDICTS}
    return sentence(rows["problem"].nunique(), rows["claim"].nunique(), verdicts, int(certified(rows).sum()))


def sentence(problems: int, claims: int, verdicts: Mapping[str, int], proved: int = 0) -> str:
    """The same from numbers.

    >>> sentence(2, 1, {"HOLDS": 1, "FAILS": 1, "UNRESOLVED": 0, "VACUOUS": 0})
    '2 problems, 1 claim, 2 cases: 1 held, 1 failed, 0 unresolved, 0 vacuous.'
    """
    sizes = {"problem": problems, "claim": claims, "case": sum(verdicts.values())}
    told = ", ".join(f"{verdicts[verdict]} {word}" for word, verdict in COUNTS.items())
    return f"{', '.join(count(size, noun) for noun, size in sizes.items())}: {told}.{proved_words(proved)}"


def proved_words(proved: int) -> str:
    """How many verdicts are certified; nothing where none is.

    >>> proved_words(3)
    ' Certified verdicts: 3.'
    """
    return f" Certified verdicts: {proved}." if proved else ""


def _warning(summary: pd.DataFrame) -> str:
    """Which claims no case has tested: their lines are no evidence."""
    untested = [f"`{claim}`" for claim in summary.loc[summary["untested"].astype(bool), "claim"]]
    return f"**Not tested, vacuous in every case: {', '.join(untested)}.**\n" if untested else ""


def _readings(summary: pd.DataFrame, table: pd.DataFrame, readings: Mapping[str, str]) -> str:
    """Claims of which the text admits two readings, side by side, each with a problem to replay."""
    double = summary["claim"].isin(list(readings)).to_numpy()
    if not double.any():
        return ""
    shown = table.loc[double, ["claim", "cases", "held", "failed", "unresolved", "smallest margin", "scale", "problem"]]
    shown.insert(1, "reading", [readings[claim] for claim in shown["claim"]])
    shown["statement"] = summary.loc[double, "statement"]
    text = "The text admits two readings of these. A literal one that fails does so on the problem named, for good.\n"
    return f"## Readings\n\n{text}\n" + to_markdown(shown, code=["claim", "problem"])


def _untested(summary: pd.DataFrame, reasons: pd.DataFrame) -> str:
    if reasons.empty:
        return ""
    untested = set(summary.loc[summary["untested"].astype(bool), "claim"])
    tested = ["never" if claim in untested else "in other cases" for claim in reasons["claim"]]
    return "## Vacuous cases\n\n" + to_markdown(reasons.assign(tested=tested), code=["claim"])


def _statements(summary: pd.DataFrame) -> str:
    if not summary["statement"].map(bool).any():
        return ""
    return "## Statements\n\n" + to_markdown(summary[["claim", "source", "tag", "statement"]], code=["claim"])


def write_atomically(path: Path, content: bytes) -> Path:
    """Write `content` to a temporary file beside `path`, then rename it into place. Raises ReportNotWritten."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_bytes(content)
        os.replace(temporary, path)
    except OSError as error:
        why = error.strerror or str(error)
        raise ReportNotWritten(f"{path}: not written ({why}); the files written before it are complete") from error
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
    return path
