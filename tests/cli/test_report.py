"""`verify report`: what it writes, kills, and errors on the way."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NoReturn

import pandas as pd
import pytest

from tests.cli.running import run
from tests.report.synthetic import frame, row
from verify.campaign import many
from verify.cli.report import draw
from verify.errors import PrecisionExhausted, SimulationFailed

pytestmark = pytest.mark.usefixtures("in_an_empty_folder")


def report(*arguments: object) -> Any:
    return run("report", "--problems", 3, "--claims", "L2.*", "--jobs", 1, *arguments)


def test_a_report_can_be_replayed(tmp_path: Path) -> None:
    answer = report("--out", "reports/mine")
    assert answer.exit_code == 0, answer.output
    rows = pd.read_parquet("reports/mine/margins.parquet")
    assert (rows["problem"].nunique(), sorted(set(rows["claim"]))) == (3, ["L2.align+", "L2.align-", "L2.norm"])
    assert "3 problems, 3 claims, 9 cases" in answer.output
    key = rows.loc[rows["margin"].idxmin(), "problem"]
    again = run("replay", key, "--claims", "L2.*", "--json")
    margins = [row["margin"] for row in json.loads(again.stdout)]
    assert margins == pytest.approx(rows.loc[rows["problem"] == key, "margin"].tolist(), rel=1e-12)
    assert "t_end" in run("replay", key[:8], "--claims", "L2.norm").output


@pytest.mark.parametrize("out", ["reports/mine", "else where/mine", "reports/deep/mine"])
def test_the_command_that_a_report_prints_replays_its_cases(out: str, tmp_path: Path) -> None:
    printed = report("--out", out).stdout.partition("one case again: ")[2].strip()
    assert f"`{printed}`" in Path(out, "margins.md").read_text(encoding="utf-8")
    key = next(Path(out, "problems").iterdir()).stem
    command, *words = shlex.split(printed.replace("KEY", key))
    assert command == "verify" and run(*words, "--claims", "L2.norm").exit_code == 0
    assert ("--store" in words) == (out != "reports/mine")


def test_the_seed_decides_the_report(tmp_path: Path) -> None:
    keys = []
    for seed, out in ((1, "a"), (1, "b"), (2, "c")):
        report("--seed", seed, "--out", out)
        keys.append(pd.read_parquet(f"{out}/margins.parquet")["problem"].tolist())
    assert keys[0] == keys[1] != keys[2]


def test_the_report_for_programs(tmp_path: Path) -> None:
    found = json.loads(report("--out", "r", "--json").stdout)
    assert [claim["cases"] for claim in found["summary"]] == [3, 3, 3]
    assert "r/margins.md" in found["files"]


def test_the_command_in_the_report_repeats_it(tmp_path: Path) -> None:
    report("--out", "r", "--kappa", 5, 6)
    expected = "verify report --problems 3 --seed 0 --kappa 5.0 6.0 --digits auto --out r --claims 'L2.*'"
    assert f"- command: {expected}\n" in Path("r/margins.md").read_text(encoding="utf-8")


def test_the_problems_of_a_report_are_distinct_also_in_their_regime() -> None:
    keys = [problem.key for problem in draw(300, 0, None)]
    assert len(set(keys)) == 300


def test_processes_give_the_rows_of_one(tmp_path: Path) -> None:
    report("--out", "one")
    report("--out", "two", "--jobs", 2)
    one, two = (pd.read_parquet(f"{name}/margins.parquet").drop(columns="seconds") for name in ("one", "two"))
    pd.testing.assert_frame_equal(one, two)


def interrupt_after(count: int, error: type[BaseException]) -> Any:
    done = [0]

    def check(problem: Any, *_: Any) -> pd.DataFrame:
        if done[0] == count:
            raise error("stopped")
        done[0] += 1
        return frame(row("L2.norm", problem=problem.key))

    return check


@pytest.mark.parametrize(("error", "code"), [(KeyboardInterrupt, 130), (SimulationFailed, 3)])
def test_what_is_finished_is_kept(error: type[BaseException], code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(many, "check_or_say_why", interrupt_after(2, error))
    answer = report("--out", "r")
    assert answer.exit_code == code
    assert "after 2 of 3 problems; these are in the report" in answer.stderr
    assert len(pd.read_parquet("r/margins.parquet")) == 2


def test_an_interrupt_before_the_first_problem_writes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(many, "check_or_say_why", interrupt_after(0, KeyboardInterrupt))
    assert report("--out", "r").exit_code == 130
    assert not Path("r").exists()


@pytest.mark.slow
def test_ctrl_c_ends_the_processes_and_keeps_the_report(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "verify", "report", "--problems", "500", "--jobs", "2", "--out", "r"]
    child = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True, start_new_session=True)
    time.sleep(15)
    os.killpg(child.pid, signal.SIGINT)
    _, complaint = child.communicate(timeout=60)
    assert child.returncode == 130
    assert "Traceback" not in complaint
    assert (tmp_path / "r" / "margins.png").exists() == ("of 500 problems" in complaint)


def fails(error: Exception) -> Any:
    def check(*_: Any) -> NoReturn:
        raise error

    return check


def test_a_simulation_that_fails_leaves_its_claims_unresolved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("verify.check.check", fails(SimulationFailed("too many steps")))
    answer = report("--out", "r")
    rows = pd.read_parquet("r/margins.parquet")
    assert answer.exit_code == 3
    assert set(rows["verdict"]) == {"UNRESOLVED"} and set(rows["reason"]) == {"SimulationFailed: too many steps"}
    assert len(list(Path("r/problems").iterdir())) == 3


def test_digits_that_are_not_there_are_bad_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("verify.check.check", fails(PrecisionExhausted("digits = 50 is not available")))
    answer = report("--digits", 50)
    assert (answer.exit_code, answer.stderr) == (2, "verify: digits = 50 is not available\n")


def test_a_report_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    answer = report("--out", "taken")
    assert answer.exit_code == 2
    assert "margins.parquet: not written" in answer.stderr and "Traceback" not in answer.output
