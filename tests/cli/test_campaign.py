"""`verify campaign`, `report DIR`, `diff`, `replay`: what they print, what they leave, and kills."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from tests.campaign.cheap import finished, toml
from tests.campaign.test_executors import wait_for
from tests.cli.running import run
from verify.campaign.load import load
from verify.cli.progress import tracked
from verify.errors import SimulationFailed


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return toml(tmp_path)


def campaign(config: Path, *arguments: object) -> Any:
    return run("campaign", config, "--out", "c", "--jobs", 1, *arguments)


def test_a_campaign_ends_with_a_summary_and_goes_on_for_free(config: Path) -> None:
    answer = campaign(config)
    assert answer.exit_code == 1
    assert "12 of 12 problems, 36 cases" in answer.output and "verify report c" in answer.output
    parts = sorted(Path("c").rglob("*.parquet"))
    again = campaign(config, "--json")
    assert again.exit_code == 1 and sorted(Path("c").rglob("*.parquet")) == parts
    found = json.loads(again.stdout)
    assert (found["problems"], found["VACUOUS"]) == (
        12,
        12 + int((load("c").query("claim == 'My.few'")["n"] > 2).sum()),
    )
    assert {line["claim"]: line["cases"] for line in found["summary"]} == {"My.size": 12, "My.few": 12, "My.never": 12}


def test_the_claims_of_the_command_line_replace_those_of_the_file(config: Path) -> None:
    assert campaign(config, "--claims", "A1.interpolator").exit_code == 0
    assert set(load("c", ["claim"])["claim"]) == {"A1.interpolator"}


def test_a_dry_run_says_what_would_run_and_leaves_nothing(config: Path) -> None:
    answer = campaign(config, "--dry-run")
    assert answer.exit_code == 0 and not Path("c").exists()
    for text in ("12, seed 0; 0 are finished in c, 12 would run", "3: My.size, My.few, My.never", "20 to 200", "about"):
        assert text in answer.output


@pytest.mark.parametrize(
    ("text", "message"),
    [("problems = 0", "problems = 0 must be an integer of at least 1"), ('claims = "L3.tme"', "did you mean L3.time")],
)
def test_bad_input_is_one_line_and_two(config: Path, text: str, message: str) -> None:
    config.write_text(text, encoding="utf-8")
    answer = campaign(config)
    assert answer.exit_code == 2 and message in answer.stderr and len(answer.stderr.splitlines()) == 1


def test_ctrl_c_leaves_what_was_finished(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from verify.campaign import run as running

    right, calls = running.draw, [0]

    def interrupted(*arguments: Any) -> Any:
        calls[0] += 1
        if calls[0] > 9:
            raise KeyboardInterrupt
        return right(*arguments)

    monkeypatch.setattr(running, "draw", interrupted)
    answer = campaign(config)
    assert answer.exit_code == 130 and "after 8 of 12 problems; the same command goes on" in answer.stderr
    monkeypatch.setattr(running, "draw", right)
    assert campaign(config).exit_code == 1 and len(finished(Path("c"))) == 12


KILLABLE = (
    "import sys, verify.campaign.run as run; run.SECONDS_PER_PART = 0.1; from verify.cli import app; app(sys.argv[1:])"
)


@pytest.mark.slow
def test_killed_twice_it_ends_with_exactly_all_problems(tmp_path: Path) -> None:
    config, out = toml(tmp_path, problems=200), tmp_path / "c"
    command = [sys.executable, "-c", KILLABLE, "campaign", str(config), "--out", str(out), "--jobs", "2"]
    environment = os.environ | {"SECONDS_A_CLAIM": "0.02"}
    parts = lambda: len(list(out.rglob("rows/*/part-*.parquet")))  # noqa: E731
    for _ in range(2):
        before = parts()
        child = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE)
        wait_for(lambda before=before: parts() > before + 2)
        child.send_signal(signal.SIGKILL)
        child.wait()
        kept = finished(out)
        assert 0 < len(kept) < 200 and kept["index"].is_unique
    done = subprocess.run(command, env=environment | {"SECONDS_A_CLAIM": "0"}, capture_output=True, text=True)
    assert done.returncode == 1, done.stderr
    assert sorted(finished(out)["index"]) == list(range(200)) and finished(out)["problem"].nunique() == 200
    assert "200 of 200 problems" in done.stdout


def test_a_report_of_a_campaign(config: Path) -> None:
    campaign(config)
    answer = run("report", "c", "--jobs", 1)
    assert answer.exit_code == 1, answer.output
    assert sorted(path.name for path in Path("c/report").iterdir()) == [
        "claims.csv",
        "claims.md",
        "claims.tex",
        "report.html",
    ]
    page = Path("c/report/report.html").read_text(encoding="utf-8")
    assert (
        "<h1>Cheap</h1>" in page and "verify replay KEY --store c" in page and "κ ≥ 50" in page.replace("<i>κ</i>", "κ")
    )
    assert page.count('class="trajectory"') > 10
    assert pd.read_csv("c/report/claims.csv")["cases"].tolist() == [12, 12, 12]
    assert "My.never" in Path("c/report/claims.md").read_text(encoding="utf-8")
    refused = run("report", "c", "--problems", 3)
    assert refused.exit_code == 2 and "--problems does not go with the folder" in refused.stderr
    assert run("report", "nowhere").exit_code == 2


def test_a_problem_of_a_campaign_is_replayed(config: Path) -> None:
    campaign(config)
    key = finished(Path("c"))["problem"].iloc[0]
    answer = run("replay", key[:10], "--store", "c", "--claims", "A1.interpolator", "--json")
    assert json.loads(answer.stdout)[0]["problem"] == key
    assert run("replay", "ffff00001111", "--store", "c").exit_code == 2


def test_campaigns_are_compared(config: Path) -> None:
    campaign(config)
    run("campaign", config, "--out", "d", "--jobs", 1)
    same = run("diff", "c", "d")
    assert same.exit_code == 0 and "36 cases compared; no verdict, margin or error bar changed" in same.output
    source = Path("cheap_claims.py")
    source.write_text(source.read_text(encoding="utf-8").replace("evidence.kappa - 50", "evidence.kappa - 60"))
    run("campaign", config, "--out", "e", "--jobs", 1)
    other = run("diff", "c", "e", "--json")
    found = json.loads(other.stdout)
    assert other.exit_code == 1 and found["claims"] == ["My.size"]
    assert len(found["flips"]) + len(found["moved"]) == 12
    assert "margins moved beyond both error bars" in run("diff", "c", "e").output
    assert run("diff", "c", config.parent).exit_code == 2


def test_progress_elsewhere_than_on_a_terminal_is_a_line_now_and_then(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("verify.cli.progress.SECONDS_PER_LINE", -1.0)
    assert list(tracked(iter([2, 3]), 5, 20)) == [2, 3]
    assert "7 of 20 problems" in capsys.readouterr().err


def test_a_lost_cluster_ends_with_three(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def lost(*_: object) -> Any:
        raise SimulationFailed("the connection to the cluster was lost")

    monkeypatch.setattr("verify.campaign.dispatch.Dispatcher.outcomes", lost)
    answer = campaign(config)
    assert answer.exit_code == 3 and "connection to the cluster was lost" in answer.stderr
