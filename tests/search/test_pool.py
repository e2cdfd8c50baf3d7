"""Claims measured together on one problem: the same numbers as alone, and it goes on where it was stopped."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from verify.catalogue import Selection
from verify.check import select
from verify.flow.simulate import simulate
from verify.search import Budget, Space
from verify.search.evaluation import evaluate
from verify.search.pool import fill
from verify.search.record import NAME

IDS = ["L2.norm", "L7.dead.corrected", "L9.lower+"]
SELECTION = Selection.parse(IDS)


def filled(folder: Path, evaluations: int, stop_at: int | None = None) -> dict[str, list[dict[str, Any]]]:
    asked = [0]

    def enough() -> bool:
        asked[0] += 1
        return stop_at is not None and asked[0] > stop_at

    fill(select(IDS), SELECTION, Space(), Budget(evaluations=evaluations), folder, 3, enough)
    return {claim: [json.loads(line) for line in (folder / claim / NAME).read_text().splitlines()] for claim in IDS}


def test_together_is_as_alone_with_one_simulation_a_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    right, simulated = simulate, []

    def counted(*arguments: Any, **options: Any) -> Any:
        simulated.append(arguments)
        return right(*arguments, **options)

    monkeypatch.setattr("verify.evidence.simulate", counted)
    lines = filled(tmp_path, 6)
    warm = len(IDS)  # each claim is measured once before the clock counts
    assert len(simulated) == warm + 6
    assert len({tuple(line["key"] for line in lines[claim]) for claim in IDS}) == 1
    for claim in IDS:
        assert len(lines[claim]) == 6 and {line["stage"] for line in lines[claim]} == {"pool"}
        for line in lines[claim]:
            one = evaluate(line["problem"], SELECTION, claim, None, "")
            assert (one.verdict, one.margin) == (line["verdict"], pytest.approx(line["margin"], rel=1e-9))
        times = [line["elapsed"] for line in lines[claim]]
        assert times == sorted(times) and times[-1] == pytest.approx(sum(line["seconds"] for line in lines[claim]))
    assert len(simulated) - (warm + 6) > 2 * 6  # vacuous claims alone simulate nothing


def test_it_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    begun = filled(tmp_path / "parts", 5, stop_at=2)
    assert [len(begun[claim]) for claim in IDS] == [2, 2, 2]
    whole, parts = filled(tmp_path / "whole", 5), filled(tmp_path / "parts", 5)
    for claim in IDS:
        assert [line["key"] for line in parts[claim]] == [line["key"] for line in whole[claim]]
