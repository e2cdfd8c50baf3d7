"""`verify hunt`: a line and a folder for each claim, measured or not; Ctrl-C keeps what there is."""

from __future__ import annotations

import json
import re
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


def test_claims_of_one_part_begin_with_problems_measured_together(claims: Path) -> None:
    answer = run("--claims", claims, *SMALL, "--json", "--evaluations", 50)
    assert "4 claims on problems drawn for all of them" in answer.stderr
    rows = {row["claim"]: row for row in json.loads(answer.stdout)["rows"]}
    drawn = []
    for claim in ("Cheap.holds", "Cheap.fails"):
        lines = Path("there", claim, "evaluations.jsonl").read_text(encoding="utf-8").splitlines()
        pool = [line for line in map(json.loads, lines) if line["stage"] == "pool"]
        assert lines.index(json.dumps(pool[-1], ensure_ascii=False)) == len(pool) - 1 == 4
        assert rows[claim]["margin"] <= min(line["margin"] for line in pool)
        drawn.append([line["key"] for line in pool])
    assert drawn[0] == drawn[1]


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
    assert answer.exit_code == 130 and "3 of 4 claims are left" in answer.stderr
    rows = pd.read_csv("there/hunt.csv").set_index("claim")
    assert rows.loc["Cheap.fails", "outcome"] == "30% of the budget spent: fails, not confirmed yet"
    assert rows.loc["Cheap.never", "outcome"] == "not searched yet" and rows.loc["Cheap.holds", "evaluations"] >= 20


def test_another_day_it_goes_on_with_what_is_left(claims: Path) -> None:
    first = run("--claims", claims, *SMALL, "--stop-after", 0)
    assert first.exit_code == 3 and "4 of 4 claims are left" in first.stderr
    second = run("--claims", claims, *SMALL)
    assert second.exit_code == 1 and "left" not in second.stderr
    table = Path("there/hunt.csv").read_text(encoding="utf-8")
    larger = run("--claims", claims, *SMALL, "--evaluations", 1000, "--stop-after", 0, "--json")
    outcomes = {row["claim"]: row["outcome"] for row in json.loads(larger.stdout)["rows"]}
    assert re.fullmatch(r"[34]% of the budget spent: no failure found", outcomes["Cheap.holds"])
    third = run("--claims", claims, *SMALL)
    assert third.exit_code == 1 and "Cheap" not in third.stderr
    assert Path("there/hunt.csv").read_text(encoding="utf-8") == table


def test_after_a_change_of_the_code_it_begins_with_the_worst_cases(
    claims: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("--claims", claims, *SMALL).exit_code == 1
    before = pd.read_csv("there/hunt.csv").set_index("claim")
    for module in ("verify.search.run", "verify.search.folder", "verify.studies.hunt"):
        monkeypatch.setattr(f"{module}.code_version", lambda selection: "0.1.0-later")
    assert "Cheap.doubtful" not in run("--claims", claims, *SMALL, "--stop-after", 0).stderr
    kept = pd.read_csv("there/hunt.csv").set_index("claim")
    pd.testing.assert_frame_equal(kept, before)
    assert run("--claims", claims, *SMALL).exit_code == 1
    after = pd.read_csv("there/hunt.csv").set_index("claim")
    assert set(after["code"]) == {"0.1.0-later"}
    lines = map(json.loads, Path("there/Cheap.holds/evaluations.jsonl").read_text(encoding="utf-8").splitlines())
    later = [line for line in lines if line["code"] == "0.1.0-later"]
    assert later[0]["key"] == before.loc["Cheap.holds", "problem"] and later[0]["stage"] == "again"
    assert after.loc["Cheap.holds", "margin"] <= before.loc["Cheap.holds", "margin"]


def test_of_two_hunts_the_longer_search_of_each_claim_is_kept(claims: Path) -> None:
    here, there = ((*SMALL[:-1], name) for name in ("here", "there"))
    assert run("--claims", claims, *here).exit_code == run("--claims", claims, *there).exit_code == 1
    for place, claim, seconds in (
        ("there", "Cheap.holds", 1e6),
        ("here", "Cheap.fails", 2e6),
        ("there", "Cheap.fails", 1e6),
    ):
        path = Path(place, claim, "search.json")
        path.write_text(json.dumps(json.loads(path.read_text()) | {"seconds": seconds}))
    for place, key in (("here", "only here"), ("there", "only there")):
        with open(Path(place, "Cheap.holds", "evaluations.jsonl"), "a", encoding="utf-8") as file:
            file.write(json.dumps(json.loads(first_line(place)) | {"key": key}) + "\n")
    answer = run("--claims", claims, *here, "--merge", "there", "--json")
    rows = {row["claim"]: row for row in json.loads(answer.stdout)["rows"]}
    assert "Cheap.holds" in answer.stderr and "Cheap.fails" not in answer.stderr
    assert (rows["Cheap.holds"]["seconds"], rows["Cheap.fails"]["seconds"]) == (1e6, 2e6)
    text = Path("here/Cheap.holds/evaluations.jsonl").read_text(encoding="utf-8")
    assert "only here" in text and "only there" in text and len(set(text.splitlines())) == len(text.splitlines())
    assert "Cheap" not in run("--claims", claims, *here, "--merge", "there").stderr
    assert "0 searches" in run("--claims", claims, *here, "--seed", 0, "--merge", "there", "--merge", "there").stderr
    other = run("--claims", claims, *SMALL[:-1], "new", "--seed", 1, "--merge", "there")
    assert "0 searches" in other.stderr and "4 of 4 claims are left" in other.stderr
    none = run("--claims", claims, *here, "--merge", "nowhere")
    assert none.exit_code == 2 and "holds no search" in none.stderr


def first_line(place: str) -> str:
    return Path(place, "Cheap.holds", "evaluations.jsonl").read_text(encoding="utf-8").splitlines()[0]
