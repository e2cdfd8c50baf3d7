"""When results are stored, and that an end of any kind stores the rest."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.campaign.cheap import config, finished, open_store
from verify.campaign import run as running
from verify.campaign.executors import Here
from verify.campaign.run import run
from verify.catalogue import Selection


@pytest.mark.parametrize(("seconds", "problems", "parts"), [(1e9, 500, 1), (-1.0, 500, 3), (1e9, 8, 2)])
def test_a_part_is_written_in_time_or_when_it_is_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seconds: float, problems: int, parts: int
) -> None:
    monkeypatch.setattr(running, "SECONDS_PER_PART", seconds)
    monkeypatch.setattr(running, "PROBLEMS_PER_PART", problems)
    which = config(tmp_path)
    with open_store(tmp_path / "c", which) as store:
        assert list(run(which, Selection.parse(which.claims), store, Here())) == [4, 4, 4]
    assert len(list((tmp_path / "c" / "rows").rglob("part-*"))) == parts


def test_problems_that_are_certified_are_handed_out_one_by_one(tmp_path: Path) -> None:
    """They take seconds to minutes each, which a kill is not to cost several times."""
    which = config(tmp_path, problems=3, digits="certified")
    with open_store(tmp_path / "c", which) as store:
        assert list(run(which, Selection.parse(which.claims), store, Here())) == [1, 1, 1]


def test_an_error_that_comes_through_stores_what_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    which, right = config(tmp_path), running.draw

    def failing(*arguments: object) -> object:
        if arguments[1] == 9:
            raise MemoryError
        return right(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(running, "draw", failing)
    with open_store(tmp_path / "c", which) as store, pytest.raises(MemoryError):
        list(run(which, Selection.parse(which.claims), store, Here()))
    assert sorted(finished(tmp_path / "c")["index"]) == list(range(8))
