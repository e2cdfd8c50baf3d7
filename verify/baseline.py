"""The regression guard: stored problems with the margins they had, checked again and compared.

problems.jsonl    one problem a line, with the reason why it is there
margins.parquet   verdict, margin, error bar and time of every claim on each, with provenance
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from verify.campaign.files import write_durably
from verify.campaign.schema import METADATA_KEY
from verify.errors import InvalidArgument, VerifyError
from verify.problem import Problem
from verify.report.changes import COMPARED, Changes
from verify.report.formats import count

FOLDER = Path("reports/baseline")
PROBLEMS, MARGINS = "problems.jsonl", "margins.parquet"
UNRELEASED, CHANGED = "## [Unreleased]", "### Changed"


@dataclass(frozen=True)
class Case:
    """A problem of the baseline and why it is there."""

    problem: Problem
    why: str


def read_cases(folder: Path) -> list[Case]:
    """The problems of a baseline. Raises InvalidArgument, naming file and line, for what is no problem."""
    path = folder / PROBLEMS
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise InvalidArgument(f"{path}: cannot be read: {error.strerror}; a baseline is kept there") from error
    return [_case(line, f"{path} line {number}") for number, line in enumerate(lines, 1) if line.strip()]


def _case(line: str, where: str) -> Case:
    try:
        values = json.loads(line)
        return Case(Problem.from_json(values["problem"]), values["why"])
    except (ValueError, KeyError, TypeError, VerifyError) as error:
        raise InvalidArgument(f"{where}: not of the form {{'why': …, 'problem': {{…}}}}: {error}") from error


def write_cases(folder: Path, cases: Sequence[Case]) -> None:
    """Write the problems of a baseline, one a line."""
    lines = [json.dumps({"why": case.why, "problem": case.problem.to_json()}, ensure_ascii=False) for case in cases]
    write_durably(folder / PROBLEMS, lambda file: file.write(("\n".join(lines) + "\n").encode()))


def read_margins(folder: Path) -> pd.DataFrame:
    """The rows of a baseline, with the columns ``COMPARED``; none when it has not been accepted yet."""
    path = folder / MARGINS
    if not path.exists():
        return pd.DataFrame(columns=list(COMPARED))
    try:
        frame: pd.DataFrame = pq.read_table(path).to_pandas()
    except (pa.ArrowException, OSError, ValueError) as error:
        raise InvalidArgument(f"{path}: truncated or damaged: {error}") from error
    return frame.astype(dict.fromkeys(("problem", "claim", "verdict", "scale"), object))


def write_margins(folder: Path, rows: pd.DataFrame, provenance: dict[str, str]) -> None:
    """Write the rows that later ones are compared with."""
    table = pa.Table.from_pandas(rows[list(COMPARED)].sort_values(["claim", "problem"]), preserve_index=False)
    columns = [_small(name, column) for name, column in zip(table.column_names, table.columns, strict=True)]
    small = pa.table(columns, names=table.column_names)
    small = small.replace_schema_metadata({METADATA_KEY: json.dumps(provenance).encode()})
    buffer = BytesIO()
    pq.write_table(small, buffer, compression="zstd", compression_level=19)
    write_durably(folder / MARGINS, lambda file: file.write(buffer.getvalue()))


def _small(name: str, column: Any) -> Any:
    if name == "seconds":
        return column.cast(pa.float32())
    text = pa.types.is_string(column.type) or pa.types.is_large_string(column.type)
    return column.cast(pa.string()).dictionary_encode() if text else column


def record(changelog: Path, reason: str, changes: Changes) -> None:
    """Add the reason for a new baseline, and how much changed, to the unreleased changes.

    Raises InvalidArgument when the file is missing or has no such section.
    """
    text = _changelog(changelog)
    entry = f"- Baseline of `verify guard`: {reason} ({_told(changes)}).\n"
    head, body = text.split(UNRELEASED, 1)
    end = body.find("\n## ")
    section, rest = (body, "") if end < 0 else (body[:end], body[end:])
    if CHANGED in section:
        before, after = section.split(CHANGED, 1)
        kept, following = _list_after(after)
        section = f"{before}{CHANGED}{kept}{entry}{following}"
    else:
        section = f"{section.rstrip()}\n\n{CHANGED}\n\n{entry}"
    write_durably(changelog, lambda file: file.write(f"{head}{UNRELEASED}{section}{rest}".encode()))


def _told(changes: Changes) -> str:
    """How much changed, in words."""
    sizes = {
        "changed verdict": changes.flips,
        "moved margin": changes.moved,
        "longer error bar": changes.grown,
        "new case": changes.new,
    }
    return ", ".join(count(len(table), noun) for noun, table in sizes.items() if len(table)) or "nothing changed"


def check_changelog(changelog: Path) -> None:
    """Raise InvalidArgument unless a reason can be recorded there."""
    _changelog(changelog)


def _changelog(path: Path) -> str:
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise InvalidArgument(f"{path}: cannot be read: {error.strerror}; --accept records its reason there") from error
    if UNRELEASED not in text:
        raise InvalidArgument(f"{path}: has no section '{UNRELEASED}' to record the reason in")
    return text


def _list_after(text: str) -> tuple[str, str]:
    """A list of the changelog up to its end, and what follows it."""
    end = text.find("\n### ")
    body, following = (text, "") if end < 0 else (text[:end], text[end:])
    return body.rstrip() + "\n", following
