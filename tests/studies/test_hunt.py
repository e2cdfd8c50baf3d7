"""`verify hunt`: a line and a folder for each claim, measured or not; Ctrl-C keeps what there is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from typer.testing import CliRunner

from tests.search.cheap import CLAIMS, written
from verify.cli import app
from verify.problem import Problem

SMALL = ("--n", "2:3", "--m", "2:3", "--kappa", "20:200", "--evaluations", 20, "--out", "there")


def run(*arguments: object) -> Any:
    return CliRunner().invoke(app, ["hunt", *map(str, arguments)])


@pytest.fixture
def claims(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return written(tmp_path, CLAIMS)


def test_every_claim_has_a_line_and_a_folder(claims: Path) -> None:
    answer = run("--claims", claims, *SMALL, "--json")
    assert answer.exit_code == 1, answer.output
    rows = {row["claim"]: row for row in json.loads(answer.stdout)["rows"]}
    assert rows["Cheap.holds"]["outcome"] == "no failure found" and rows["Cheap.holds"]["margin"] > 0
    assert rows["Cheap.fails"]["outcome"].startswith("false: fails with n = 2, m = 2")
    assert "no reason at all" in rows["Cheap.never"]["outcome"]
    for claim in ("Cheap.holds", "Cheap.fails"):
        assert Problem.from_json(Path("there") / claim / "worst.json").key == rows[claim]["problem"]
    text = Path("there/hunt.md").read_text(encoding="utf-8")
    assert "searched for 20 evaluations with the seed 0" in text and "| `Cheap.never` |" in text
    assert pd.read_csv("there/hunt.csv")["claim"].tolist() == list(rows)


def test_ctrl_c_keeps_the_lines_so_far(claims: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from verify.search import run as running

    right, calls = running.descend, [0]

    def interrupted(*arguments: Any) -> None:
        calls[0] += 1
        if calls[0] > 1:
            raise KeyboardInterrupt
        right(*arguments)

    monkeypatch.setattr(running, "descend", interrupted)
    answer = run("--claims", claims, *SMALL)
    assert answer.exit_code == 130 and "interrupted after 2 of 4 claims" in answer.stderr
    assert "interrupted" in Path("there/hunt.md").read_text(encoding="utf-8")
