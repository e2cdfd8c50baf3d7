"""The columns of a campaign keep what check says."""

from __future__ import annotations

import json
import math
from pathlib import Path

from tests.campaign.cheap import config
from tests.report.synthetic import frame, row
from verify.campaign.sample import FEATURES, draw
from verify.campaign.schema import PROBLEMS, ROWS, problems_table, rows_table
from verify.check import COLUMNS
from verify.problem import Problem


def test_rows_are_those_of_check_and_the_problem(tmp_path: Path) -> None:
    drawn = draw(config(tmp_path), 3)
    rows = frame(row(margin=math.inf, neuron=2), row("L5.PL", "VACUOUS", scale=""))
    table = rows_table(rows, 3, drawn.features)
    assert table.schema.equals(ROWS) and table.column_names == ["index", *COLUMNS, *FEATURES]
    assert table["margin"].to_pylist() == [math.inf, None]
    assert table["neuron"].to_pylist() == [2, None]
    assert table["kappa"].to_pylist() == [drawn.problem.kappa] * 2


def test_problems_keep_their_decimals(tmp_path: Path) -> None:
    drawn = [draw(config(tmp_path), index) for index in (0, 1)]
    table = problems_table(drawn)
    assert table.schema.equals(PROBLEMS)
    for text, one in zip(table["json"].to_pylist(), drawn, strict=True):
        assert Problem.from_json(json.loads(text)).key == one.problem.key
