"""The register is true: every entry comes out again, from its data alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from verify.cli import app
from verify.errata import measured_again, read_register
from verify.errors import InvalidArgument
from verify.problem import Problem

FOLDER = Path(__file__).resolve().parents[2] / "reports" / "errata"
ENTRIES = {entry.id: entry for entry in read_register(FOLDER)}


def run(*arguments: object) -> Any:
    return CliRunner().invoke(app, ["errata", *map(str, arguments), "--errata", str(FOLDER)])


def test_every_suspicion_has_an_entry() -> None:
    assert list(ENTRIES) == ["E1", "E2", "E3", "E4", "E5", "E6"]


@pytest.mark.parametrize("name", ENTRIES)
def test_an_entry_comes_out_again(name: str) -> None:
    entry = ENTRIES[name]
    found = list(measured_again(entry, None))
    assert [again.difference for again in found] == [""] * len(found)
    verdicts = {again.verdict for again in found}
    assert verdicts == ({"HOLDS"} if entry.status == "no error" else {"FAILS", "HOLDS"})


@pytest.mark.parametrize("name", ["E1", "E2", "E4"])
def test_counterexamples_are_small_and_simple(name: str) -> None:
    for measurement in ENTRIES[name].measurements:
        problem = Problem.from_json(ENTRIES[name].path(measurement))
        assert problem.dataset.n <= 3 and problem.initialisation.m <= 4
        values = problem.to_json()
        assert all(len(repr(abs(y))) <= 3 for y in values["y"]) and values["epsilon"] is None
        assert {abs(entry) for row in values["g"] for entry in row} == {1.0}


def test_the_list_and_an_entry_can_be_read() -> None:
    listed = run()
    assert listed.exit_code == 0 and all(entry.title in listed.output for entry in ENTRIES.values())
    told = run("E4")
    assert told.exit_code == 0 and "verify replay" in told.output and "2n‖D₋‖ = 2‖y₋‖ < 1" in told.output
    (record,) = json.loads(run("E1", "--check", "--json").stdout)
    assert [again["difference"] for again in record["again"]] == [""] * 4
    wrong = run("E66")
    assert wrong.exit_code == 2 and "did you mean 'E6'" in wrong.stderr


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('status = "confirmed"', 'status = "maybe"', "status = 'maybe' must be one of"),
        ('title = "', 'titel = "', "title must be a text"),
        ("margin = ", "margins = ", "margin is missing; margins is unknown"),
        ("[[measurements]]", "[[measured]]", "needs a [[measurements]]"),
    ],
)
def test_a_broken_entry_is_named(tmp_path: Path, old: str, new: str, message: str) -> None:
    text = (FOLDER / "E4.toml").read_text(encoding="utf-8")
    (tmp_path / "E4.toml").write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(InvalidArgument) as error:
        read_register(tmp_path)
    assert message in str(error.value) and "E4.toml" in str(error.value)


def test_a_wrong_margin_is_noticed(tmp_path: Path) -> None:
    text = (FOLDER / "E6.toml").read_text(encoding="utf-8")
    (tmp_path / "E6.toml").write_text(text.replace("-110.9", "-111.9"), encoding="utf-8")
    (tmp_path / "E6.json").write_bytes((FOLDER / "E6.json").read_bytes())
    (entry,) = read_register(tmp_path)
    assert [bool(again.difference) for again in measured_again(entry, None)] == [True, False]
