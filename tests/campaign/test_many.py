"""Given problems, one by one."""

from __future__ import annotations

from pathlib import Path

from tests.campaign.cheap import config
from verify.campaign.many import check_all
from verify.campaign.sample import draw
from verify.catalogue import Selection


def test_every_problem_has_the_rows_of_its_claims(tmp_path: Path) -> None:
    which = config(tmp_path)
    problems = [draw(which, index).problem for index in range(3)]
    found = dict(check_all(problems, Selection.parse(which.claims), "auto", 1))
    assert sorted(found) == [0, 1, 2]
    for index, rows in found.items():
        assert set(rows["problem"]) == {problems[index].key} and len(rows) == 3
