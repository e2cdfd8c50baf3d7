"""The code in docs/ runs, and does what the text says."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from typer.testing import CliRunner

from verify.campaign.load import load
from verify.cli import app

DOCS = Path(__file__).resolve().parents[1] / "docs"


def blocks(name: str, language: str) -> list[str]:
    text = (DOCS / name).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def run(*arguments: str) -> Any:
    return CliRunner().invoke(app, list(arguments))


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small campaign of three claims in reports/mine."""
    folder = tmp_path_factory.mktemp("docs")
    (folder / "c.toml").write_text(
        'problems = 3\nclaims = "L2.align+,L3.time,L3.loss"\n[sample]\nn = 2\nm = 3\nkappa = [20, 40, 80]\n'
    )
    answer = run("campaign", str(folder / "c.toml"), "--out", str(folder / "reports/mine"), "--jobs", "1")
    assert answer.exit_code in (0, 1, 3), answer.output
    return folder


def test_the_snippets_on_data_run(campaign: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("duckdb")
    monkeypatch.chdir(campaign)
    names: dict[str, Any] = {}
    for block in blocks("data.md", "python"):
        exec(block, names)
    assert len(names["rows"]) == 9 and names["worst"].df()["cases"].sum() == len(names["tested"])
    assert set(names["decades"].df()["claim"]) == set(names["rows"].query("scale == 'nats'")["claim"])
    assert names["tightest"].key == names["lemma3"]["problem"].iloc[0]


def test_the_snippet_on_certified_verdicts_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("flint")
    monkeypatch.chdir(DOCS.parent)
    names: dict[str, Any] = {}
    for block in blocks("certified.md", "python"):
        exec(block, names)
    assert names["rows"].verdict.tolist() == ["HOLDS (certified)"] * 2
    assert float(names["state"].residual[2]) < 0.01


def test_the_tutorial_holds_what_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    statement, planted, python = blocks("tutorial.md", "python")
    lines = [line for line in (statement + planted).splitlines() if line.strip()]
    assert len(lines) < 40
    Path("my_lemma.py").write_text(statement + planted, encoding="utf-8")
    config = blocks("tutorial.md", "toml")[0].replace("problems = 20", "problems = 3")
    Path("my_lemma.toml").write_text(config, encoding="utf-8")
    answer = run("campaign", "my_lemma.toml", "--claims", "my_lemma.py", "--out", "c", "--jobs", "1")
    assert answer.exit_code == 1, answer.output
    verdicts = load("c", ["claim", "verdict"]).drop_duplicates().set_index("claim")["verdict"].to_dict()
    assert verdicts == {"My.largest": "HOLDS", "My.planted": "FAILS"}
    assert run("report", "c", "--jobs", "1").exit_code == 1 and Path("c/report/report.html").exists()
    names: dict[str, Any] = {}
    exec(statement + planted + python, names)
    found: pd.DataFrame = names["rows"]
    assert found["verdict"].tolist() == ["HOLDS", "FAILS"] and (found["uncertainty"] > 0).all()


def test_examples_of_docstrings_are_shown_as_code() -> None:
    pytest.importorskip("griffe")
    names: dict[str, Any] = {}
    exec((DOCS / "fences.py").read_text(encoding="utf-8"), names)
    shown = names["fenced"]("Sum.\n\n>>> one = 1\n>>> print(one,\n...     2)\n1 2\n\nThe end >>> here.")
    assert shown.count("```") == 2 and "```pycon\n>>> one = 1\n" in shown and "\n1 2\n```\n" in shown
    assert shown.startswith("Sum.\n\n```pycon") and shown.endswith("\nThe end >>> here.")
