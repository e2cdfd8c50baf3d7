"""A search width by width: each begins with the worst case of the one before."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.problems import small
from tests.search.cheap import chosen
from verify.check import check
from verify.flow.simulate import simulate
from verify.search import Budget, Scale, Space
from verify.search.record import NAME
from verify.search.widths import by_width, widened

SPACE = Space(n=(2, 3), m=(2, 4), scale=Scale("kappa", 20, 200))


def test_a_neuron_split_in_two_changes_no_output() -> None:
    problem = small()
    wide = widened(problem)
    assert wide.initialisation.m == problem.initialisation.m + 1
    narrow, split = simulate(problem), simulate(wide)
    for t in (0.5, 20.0, float(narrow.t_end)):
        one, other = narrow.at(t), split.at(t)
        np.testing.assert_allclose(one.residual, other.residual, rtol=1e-3, atol=1e-5)
    verdicts = [check(one, ["L3.time", "L2.align+"], None)["margin"] for one in (problem, wide)]
    assert verdicts[0].tolist() == pytest.approx(verdicts[1].tolist(), rel=1e-3)


def test_every_width_begins_with_the_worst_case_of_the_one_before(tmp_path: Path) -> None:
    claim, selection = chosen(tmp_path, "Cheap.holds")
    found = dict(by_width(claim, selection, SPACE, Budget(evaluations=60), tmp_path / "out", seed=3))
    assert list(found) == [2, 3, 4] and all(one.evaluations >= 20 for one in found.values())
    for m in (3, 4):
        lines = (tmp_path / f"out/m={m}" / NAME).read_text(encoding="utf-8").splitlines()
        records = [json.loads(line) for line in lines]
        assert records[0]["stage"] == "again" and {len(one["problem"]["g"]) for one in records[:20]} == {m}
        before = found[m - 1].worst
        assert before is not None and records[0]["problem"]["y"] == before.problem["y"]
        assert len(before.problem["g"]) == m - 1


def test_a_width_where_nothing_can_be_measured_says_why(tmp_path: Path) -> None:
    claim, selection = chosen(tmp_path, "Cheap.never")
    found = dict(by_width(claim, selection, SPACE, Budget(evaluations=30), tmp_path / "out", seed=0))
    assert all("no reason at all" in one.unmeasured for one in found.values())
