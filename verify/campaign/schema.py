"""The columns of a campaign: one row for each claim of each problem, and one for each problem."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import pyarrow as pa

from verify.campaign.sample import FEATURES, Drawn
from verify.columns import COLUMNS
from verify.columns import INTEGERS as CHECK_INTEGERS
from verify.columns import TEXTS as CHECK_TEXTS

METADATA_KEY = b"verify.provenance"
TEXTS = (*CHECK_TEXTS, "inputs", "labels", "directions")
INTEGERS = (*CHECK_INTEGERS, "index", "n", "m", "d")


def _field(name: str) -> pa.Field:
    return pa.field(name, pa.string() if name in TEXTS else pa.int64() if name in INTEGERS else pa.float64())


ROWS = pa.schema([_field(name) for name in ("index", *COLUMNS, *FEATURES)])
PROBLEMS = pa.schema([_field(name) for name in ("index", "problem", *FEATURES)] + [pa.field("json", pa.string())])
ROW_COLUMNS = tuple(ROWS.names)


def rows_table(rows: pd.DataFrame, index: int, features: Mapping[str, Any]) -> pa.Table:
    """The rows of ``check`` on problem ``index`` as a table with the columns ``ROWS``."""
    constant = {"index": index, **features}
    columns = [
        pa.repeat(pa.scalar(constant[field.name], field.type), len(rows))
        if field.name in constant
        else pa.array(rows[field.name], field.type, from_pandas=True)
        for field in ROWS
    ]
    return pa.Table.from_arrays(columns, schema=ROWS)


def problems_table(drawn: Sequence[Drawn]) -> pa.Table:
    """Problems with their JSON, as a table with the columns ``PROBLEMS``."""
    records = [
        {"index": one.index, "problem": one.problem.key, **one.features, "json": json.dumps(one.problem.to_json())}
        for one in drawn
    ]
    return pa.Table.from_pylist(records, schema=PROBLEMS)
