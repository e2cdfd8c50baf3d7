"""`verify reproduce`: what it writes and says, and its exit codes."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from verify.cli import app
from verify.experiments import catalogue, width
from verify.experiments.catalogue import Experiment


def run(*arguments: object) -> Any:
    return CliRunner().invoke(app, ["reproduce", *map(str, arguments)])


def test_writes_tables_and_figures(tmp_path: Path) -> None:
    answer = run("width", "--seeds", 2, "--out", tmp_path)
    assert answer.exit_code == 0 and "HOLDS X.width" in answer.stdout
    assert {path.name for path in tmp_path.iterdir()} == {"width.json", "width.png", "README.md"}
    rows = json.loads(run("width", "--seeds", 2, "--out", tmp_path, "--json").stdout)
    assert rows[-1]["verdict"] == "HOLDS" and rows[0]["values"][0] < 0.1


def test_ends_with_1_when_a_claim_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(width, "probability", lambda n, other, m: 0.5)
    monkeypatch.setattr(width, "width_needed", lambda n, other, confidence=0.95: 2**n)
    assert run("width", "--seeds", 2, "--out", tmp_path).exit_code == 1
    assert "FAILS" in (tmp_path / "README.md").read_text(encoding="utf-8")


def test_names_what_it_does_not_know_and_keeps_what_is_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = run("secton5", "--out", tmp_path)
    assert answer.exit_code == 2 and "did you mean 'section5'" in answer.stderr and not list(tmp_path.iterdir())

    def interrupted(seeds: int, progress: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setitem(catalogue.EXPERIMENTS, "leaky", Experiment("leaky", interrupted, ()))
    assert run("width", "leaky", "--seeds", 2, "--out", tmp_path).exit_code == 130
    assert (tmp_path / "width.json").exists()
