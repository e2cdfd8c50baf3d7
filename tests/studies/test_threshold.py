"""The study of λ*: what it draws, that it goes on, and what its page says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from verify.cli import app
from verify.dataset import Dataset
from verify.errors import InvalidArgument
from verify.flow.simulate import simulate
from verify.initialisation import Initialisation
from verify.problem import Problem
from verify.regime import deaths_in_time
from verify.report.provenance import Provenance
from verify.search.threshold import Threshold
from verify.studies import threshold as study_module
from verify.studies.regression import fit
from verify.studies.threshold import GROUPS, ONE_SIGN, OUTPUTS, RECORD, Study, fits_at_start
from verify.studies.threshold_page import by_inputs, ceiling, deciding, medians, slopes, write


def run(*arguments: object) -> Any:
    return CliRunner().invoke(app, ["threshold", *map(str, arguments)])


@pytest.fixture
def law(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Thresholds that obey Λ* = 3n + ½ ln m + noise, and how many were asked for."""
    asked = []

    def measured(problem: Any, claims: Any, **_: Any) -> Threshold:
        asked.append(1)
        noise = 0.01 * np.sin(len(asked))
        star = 3 * problem.dataset.n + 0.5 * np.log(problem.initialisation.m) + noise
        return Threshold(star, star - 0.01, claims[0].id, "", 100.0, "phase_three", {star: ()})

    monkeypatch.setattr(study_module, "threshold", measured)
    return asked


def test_problems_meet_the_assumptions_and_repeat() -> None:
    study = Study((2, 5), (4,), 2, 7)
    for n in study.n:
        first, second = study.problem(n, 4, 0), study.problem(n, 4, 1)
        assert first.has_key_sets and first.dataset.is_oriented and first.key != second.key
        assert first.key == Study((n,), (4,), 1, 7).problem(n, 4, 0).key


def test_one_sign_keeps_the_directions_and_the_key_sets() -> None:
    study = Study((3,), (16,), 1, 0)
    fair, one = study.problem(3, 16, 0), study.problem(3, 16, 0, ONE_SIGN)
    assert (fair.initialisation.directions == one.initialisation.directions).all() and one.has_key_sets
    assert (one.initialisation.signs < 0).sum() == 1 < (fair.initialisation.signs < 0).sum()


def test_a_label_is_fitted_at_time_zero_at_the_scale_of_the_closed_form() -> None:
    study = Study((4,), (32,), 1, 0)
    for group in (OUTPUTS, ONE_SIGN):
        problem = study.problem(4, 32, 0, group)
        fits = fits_at_start(problem)
        for shift in (-0.001, 0.001):
            state = simulate(problem.at_scale(fits + shift), until=0.0).at(0.0)
            assert (state.residual * problem.dataset.y < 0).any() == (shift < 0)
    none = Problem(Dataset.standard([2, -1]), Initialisation([[1, -1], [-1, 1]], [-1, 1], 1000.0))
    assert fits_at_start(none) == -np.inf


def test_no_key_neurons_of_two_labels_die_later_than_the_ceiling() -> None:
    deaths = [deaths_in_time(Study((2,), (256,), 1, seed).problem(2, 256, 0)) / 2 for seed in range(4)]
    assert 0.8 * ceiling() < max(deaths) < ceiling()


def test_the_slopes_of_a_law_come_out_and_a_stopped_study_goes_on(tmp_path: Path, law: list[int]) -> None:
    study = Study((2, 3, 4), (8, 64), 2, 0)
    steps = study.run(tmp_path)
    for _ in range(10):
        next(steps)
    steps.close()
    with open(tmp_path / RECORD, "a", encoding="utf-8") as file:
        file.write('{"cut sho')
    *_, rows = study.run(tmp_path)
    assert len(law) == len(rows) == len(study.cases()) == 12 * len(GROUPS)
    *_, other = Study((2, 3, 4), (8, 64), 2, 1).run(tmp_path)
    assert len(other) == len(rows) and not set(other["problem"]) & set(rows["problem"])
    table = slopes(rows).set_index("group")
    for group in GROUPS:
        b, p = (float(table.loc[group, name].split(" ± ")[0]) for name in ("b", "p"))
        assert b == pytest.approx(3, abs=0.02) and p == pytest.approx(0.5, abs=0.02)
    paths = write(rows, tmp_path, Provenance.collect(0))
    assert [path.name for path in paths] == ["threshold.csv", "threshold.md", "threshold.png"]
    text = paths[1].read_text(encoding="utf-8")
    assert "b > 0 and p = 0.5" in text and "| phase 1 | 2 | 8 | 2 |" in text and "| L3.time 2 |" in text
    each = by_inputs(rows).set_index("group")
    for n in (2, 3, 4):
        assert float(each.loc["convergence", f"n = {n}"].split(" ± ")[0]) == pytest.approx(0.5, abs=0.02)
    assert deciding(rows).set_index("group").loc["phases 2, 3", "problems"] == 12
    assert pd.read_csv(paths[0])["threshold"].notna().all() and paths[2].stat().st_size > 10_000


def test_the_command_over_sizes(tmp_path: Path, law: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("verify.studies.threshold_page.figure_bytes", lambda _: b"")
    monkeypatch.setattr("verify.studies.threshold_page.figure", lambda _: None)
    answer = run("--n", "2,3,4", "--m", "8,16", "--repeats", 1, "--out", tmp_path, "--json")
    assert answer.exit_code == 0, answer.output
    assert len(json.loads(answer.stdout)["slopes"]) == len(GROUPS)
    few = run("--n", "2", "--m", "8", "--repeats", 1, "--out", tmp_path)
    assert few.exit_code == 0 and "take more sizes" in few.output
    for arguments, message in (
        (("--n", "two"), "whole numbers between commas"),
        (("--m", "1"), "two key sets need m of at least 2"),
        (("--claims", "L3.time"), "goes with FILE.json"),
    ):
        wrong = run(*arguments)
        assert wrong.exit_code == 2 and message in wrong.stderr


def test_the_command_on_a_problem(tmp_path: Path) -> None:
    path = tmp_path / "problem.json"
    Study((3,), (4,), 1, 0).problem(3, 4, 0).save(path)
    found = json.loads(run(path, "--claims", "L9.lower+,L7.dead.corrected", "--json").stdout)
    assert found["minus_log_lambda"] > found["failing"] >= 0 and found["sufficient"] > 0
    told = run(path, "--claims", "L7.dead")
    assert told.exit_code in (0, 1) and "sufficient" in told.output


def test_ctrl_c_is_told_and_never_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, half = (
        tmp_path / "problem.json",
        Threshold(8.0, 7.0, "L3.time", "", 9.0, "deaths_in_time", {7.0: (), 8.0: ()}, True),
    )
    Study((3,), (4,), 1, 0).problem(3, 4, 0).save(path)
    monkeypatch.setattr("verify.search.threshold.threshold", lambda *_, **__: half)
    told = run(path)
    assert told.exit_code == 130 and "≤ 8 " in told.stdout and "interrupted" in told.stderr
    monkeypatch.setattr(study_module, "threshold", lambda *_, **__: half)
    with pytest.raises(KeyboardInterrupt):
        next(Study((3,), (4,), 1, 0).run(tmp_path))
    assert not (tmp_path / RECORD).read_text()


def test_a_problem_on_which_nothing_fails_sets_no_slope(tmp_path: Path, law: list[int]) -> None:
    *_, rows = Study((2, 3, 4), (8, 64), 2, 0).run(tmp_path)
    rows.loc[0, ["threshold", "failing", "claim"]] = 1e-2, 0.0, ""
    group = rows.loc[0, "group"]
    assert int(slopes(rows).set_index("group").loc[group, "problems"]) == 11
    lines = deciding(rows[rows["group"] == group]).set_index("claim that fails first")
    assert lines.loc["nothing", "problems"] == 1 and "nothing 1" in medians(rows)["fails first"].iloc[0]


def test_a_fit_needs_enough_points() -> None:
    with pytest.raises(InvalidArgument, match="do not determine"):
        fit({"x": np.ones(5)}, np.arange(5.0))
