"""Read a campaign: its rows as a tidy DataFrame, its problems, where they come from."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from verify.campaign.parts import parts_in, provenance_of, read_part
from verify.campaign.schema import PROBLEMS as PROBLEMS_SCHEMA
from verify.campaign.schema import ROW_COLUMNS
from verify.campaign.schema import ROWS as SCHEMA
from verify.campaign.store import PROBLEMS, ROWS, read_config
from verify.columns import COLUMNS
from verify.errors import InvalidArgument, InvalidCampaign, did_you_mean
from verify.problem import Problem


def load(folder: str | os.PathLike[str], columns: Sequence[str] | None = None, code: str | None = None) -> pd.DataFrame:
    """The rows of a campaign, one for each claim of each problem, in the order of the problems' index.

    - ``columns``: some of ``verify.campaign.schema.ROW_COLUMNS``; None means all. Those of `check`, and of the problem:
      index, inputs, labels, directions (families), n, m, d, epsilon, ratio, kappa, minus_log_lambda.
    - ``code``: the version of the code whose rows are meant; None means the one that ran last, see `codes`.

    Raises InvalidCampaign when the folder holds no campaign, InvalidArgument for an unknown column or code, BrokenPart
    when a file is damaged.
    """
    names = list(ROW_COLUMNS if columns is None else columns)
    unknown = [name for name in names if name not in ROW_COLUMNS]
    if unknown:
        raise InvalidArgument(f"columns: {unknown[0]!r} is none; {did_you_mean(unknown[0], ROW_COLUMNS)}")
    wanted = list(dict.fromkeys([*names, "index"]))
    tables = [read_part(path, wanted) for path in row_parts(folder, code)]
    table = pa.concat_tables(tables) if tables else SCHEMA.empty_table().select(wanted)
    order = pc.sort_indices(table["index"].combine_chunks())
    frame: pd.DataFrame = table.take(order).replace_schema_metadata(None).to_pandas()
    integers = {name: "Int64" for name in ("neuron", "label") if name in names}
    return frame[names].astype(integers)


REPORTED = (
    "problem", "claim", "source", "tag", "verdict", "margin", "uncertainty", "scale", "exponent", "claimed_exponent",
    "neuron", "label", "t", "digits", "reason",
)  # fmt: skip


class Rows:
    """The rows of a campaign as a report needs them, compact: a claim at a time, a hundred bytes a row.

    ``claims``: ids in the order stored. Raises as `load` does.
    """

    def __init__(self, folder: str | os.PathLike[str], code: str | None = None) -> None:
        parts = [_compact(read_part(path, REPORTED)) for path in row_parts(folder, code)]
        empty = SCHEMA.empty_table().select(list(REPORTED))
        self._table = pa.concat_tables(parts).unify_dictionaries() if parts else _compact(empty)
        self.claims: list[str] = self._table["claim"].unique().to_pylist()

    def of(self, claim: str) -> pd.DataFrame:
        """The rows of one claim, with the columns of `check`; those that no report needs are empty."""
        own = self._table.filter(pc.equal(self._table["claim"], claim))
        frame: pd.DataFrame = own.replace_schema_metadata(None).to_pandas()
        texts = {name: object for name in REPORTED if isinstance(frame[name].dtype, pd.CategoricalDtype)}
        frame = frame.astype(texts | dict.fromkeys(("neuron", "label"), "Int64"))
        return frame.reindex(columns=list(COLUMNS))


def _compact(table: pa.Table) -> pa.Table:
    columns = [
        column.dictionary_encode() if pa.types.is_string(column.type) else column for column in table.itercolumns()
    ]
    return pa.table(columns, names=table.column_names)


def features(folder: str | os.PathLike[str], code: str | None = None) -> pd.DataFrame:
    """One row a problem: index, key, and what is said of it."""
    names = [name for name in PROBLEMS_SCHEMA.names if name != "json"]
    tables = [read_part(path, names) for path in _parts(Path(folder), PROBLEMS, code)]
    table = pa.concat_tables(tables) if tables else PROBLEMS_SCHEMA.empty_table().select(names)
    frame: pd.DataFrame = table.replace_schema_metadata(None).to_pandas()
    return frame


def codes(folder: str | os.PathLike[str]) -> list[str]:
    """The versions of the code that a campaign was run with, the one that ran last at the end."""
    read_config(Path(folder))
    dated = []
    for place in (Path(folder) / ROWS).glob("code=*"):
        parts = list(parts_in(place).values())
        if parts:
            dated.append((provenance_of(parts[-1]).get("date", ""), place.name.removeprefix("code=")))
    return [code for _, code in sorted(dated)]


def row_parts(folder: str | os.PathLike[str], code: str | None = None) -> list[Path]:
    """The part files of the rows under one version of the code, by default the last one."""
    return _parts(Path(folder), ROWS, code)


def provenance(folder: str | os.PathLike[str], code: str | None = None) -> dict[str, str]:
    """Where the rows come from: that of the last part written; empty without any."""
    parts = row_parts(folder, code)
    return provenance_of(parts[-1]) if parts else {}


def problems(folder: str | os.PathLike[str], keys: Iterable[str], code: str | None = None) -> Iterator[Problem]:
    """The stored problems with these keys, or whose keys begin so, in the order stored."""
    wanted = tuple(keys)
    for path in _parts(Path(folder), PROBLEMS, code):
        table = read_part(path, ["problem", "json"])
        for key, text in zip(table["problem"].to_pylist(), table["json"].to_pylist(), strict=True):
            if key.startswith(wanted):
                yield Problem.from_json(json.loads(text))


def _parts(folder: Path, kind: str, code: str | None) -> list[Path]:
    known = codes(folder)
    if code is not None and code not in known:
        raise InvalidArgument(f"code = {code!r}: {folder} has no such rows; it has: {', '.join(known) or 'none'}")
    if not known:
        return []
    return list(parts_in(folder / kind / f"code={code or known[-1]}").values())


def holds_campaign(folder: str | os.PathLike[str]) -> bool:
    """Whether there is a campaign in the folder."""
    try:
        read_config(Path(folder))
    except InvalidCampaign:
        return False
    return True
