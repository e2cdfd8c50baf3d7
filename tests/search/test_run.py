"""Searches find what is there, simplify it, and go on where they were stopped."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.search.cheap import PLANTED, chosen
from verify.check import check
from verify.errors import InvalidArgument
from verify.problem import Problem
from verify.search import Budget, Found, Scale, Space, search
from verify.search.record import NAME

SMALL = Space(n=(2, 3), m=(2, 4), scale=Scale("kappa", 20, 200))


def looked(folder: Path, claim: str, evaluations: int, **options: Any) -> Found:
    one, selection = chosen(folder, claim)
    return search(one, selection, SMALL, Budget(evaluations=evaluations), folder / "out", **options)


def lines(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "out" / NAME).read_text(encoding="utf-8").splitlines()]


def test_a_planted_falsehood_is_refuted_shrunk_and_confirmed(tmp_path: Path) -> None:
    claim, selection = chosen(tmp_path, "L3.planted", PLANTED)
    found = search(claim, selection, Space(), Budget(evaluations=20), tmp_path, seed=1, first=True)
    assert found.refuted and found.confirmed is not None and found.confirmed.digits == 40
    problem = Problem.from_json(found.confirmed.problem)
    assert (problem.dataset.n, problem.initialisation.m) == (2, 2)
    rows = check(problem, ["L3.time", claim])
    assert rows["verdict"].tolist() == ["HOLDS", "FAILS"]


@pytest.mark.parametrize("library", ["cma", "scipy"])
def test_the_second_stage_goes_below_the_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, library: str) -> None:
    monkeypatch.setattr("verify.search.descend.has_cma", lambda: library == "cma")
    found = looked(tmp_path, "Cheap.holds", 250)
    drawn = min(line["margin"] for line in lines(tmp_path) if line["stage"] == "draw")
    assert not found.refuted and found.worst is not None and 0.01 <= found.worst.margin <= drawn
    assert sum(line["stage"] == "descend" for line in lines(tmp_path)) >= 150
    if library == "cma":
        assert found.worst.stage == "descend" and found.worst.margin - 0.01 < (drawn - 0.01) / 10


def test_it_goes_on_where_it_was_stopped_and_finds_the_same(tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    whole.mkdir()
    parts.mkdir()
    expected = looked(whole, "Cheap.fails", 120)

    def stop(bench: Any) -> None:
        if len(bench.seen) >= 50:
            raise KeyboardInterrupt

    stopped = looked(parts, "Cheap.fails", 120, progress=stop)
    assert stopped.interrupted and stopped.worst is not None and 50 <= stopped.evaluations < 120
    with open(parts / "out" / NAME, "ab") as file:
        file.write(b'{"code": "cut sho')
    again = looked(parts, "Cheap.fails", 120)
    assert again.refuted and not again.interrupted
    assert again.worst is not None and expected.worst is not None and again.worst.key == expected.worst.key
    assert [line["key"] for line in lines(parts)] == [line["key"] for line in lines(whole)]


def test_processes_find_what_one_process_finds(tmp_path: Path) -> None:
    alone, together = tmp_path / "1", tmp_path / "2"
    alone.mkdir()
    together.mkdir()
    first, second = looked(alone, "Cheap.holds", 30), looked(together, "Cheap.holds", 30, jobs=2)
    assert first.worst is not None and second.worst is not None and first.worst.key == second.worst.key
    assert {line["key"] for line in lines(alone)} == {line["key"] for line in lines(together)}


def test_a_failure_that_more_digits_deny_is_none(tmp_path: Path) -> None:
    found = looked(tmp_path, "Cheap.doubtful", 20)
    assert found.verdicts["FAILS"] > 0
    assert found.worst is not None and found.worst.verdict == "HOLDS" and not found.refuted


def test_hypotheses_that_are_never_met_are_told(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match=r"in none of the 12 problems .* no reason at all"):
        looked(tmp_path, "Cheap.never", 40)
