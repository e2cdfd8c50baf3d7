"""`verify search`: what it prints and leaves, exit codes, bad input, Ctrl-C."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.running import run
from tests.search.cheap import CLAIMS, written

SMALL = ("--n", "2:3", "--m", "2:3", "--kappa", "20:200", "--evaluations", 40)


@pytest.fixture
def claims(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return written(tmp_path, CLAIMS)


def test_a_counterexample_is_stored_and_can_be_replayed(claims: Path) -> None:
    answer = run("search", f"{claims}:Cheap.fails", *SMALL)
    assert answer.exit_code == 1, answer.output
    assert "The claim is false" in answer.output and "as small there as the proof wants" in answer.output
    folder = Path("reports/latest/search/Cheap.fails")
    stored = json.loads((folder / "search.json").read_text(encoding="utf-8"))
    assert stored["refuted"] and stored["asked"]["budget"]["evaluations"] == 40 and stored["evaluations"] >= 40
    for name in ("worst", "simplest"):
        replayed = run("replay", folder / f"{name}.json", "--claims", claims, "--json")
        verdicts = {row["claim"]: row["verdict"] for row in json.loads(replayed.stdout)}
        assert verdicts["Cheap.fails"] == "FAILS" and verdicts["Cheap.holds"] in ("HOLDS", "FAILS")
    refused = run("search", f"{claims}:Cheap.fails", *SMALL, "--seed", 1)
    assert refused.exit_code == 2 and "holds another search (seed = 0 there, 1 here)" in refused.stderr


def test_a_claim_that_holds_ends_with_zero(claims: Path) -> None:
    answer = run("search", f"{claims}:Cheap.holds", *SMALL, "--json", "--out", "there")
    found = json.loads(answer.stdout)
    assert answer.exit_code == 0 and not found["refuted"] and found["worst"]["margin"] > 0
    assert found["confirmed"] is None and Path("there/simplest.json").exists()


def test_width_by_width_with_the_digits_asked_for(claims: Path) -> None:
    answer = run("search", f"{claims}:Cheap.fails", *SMALL, "--by-width", "--digits", 25, "--json", "--out", "there")
    found = json.loads(answer.stdout)
    assert answer.exit_code == 1 and [one["folder"] for one in found] == ["there/m=2", "there/m=3"]
    assert [one["confirmed"]["digits"] for one in found] == [25, 25]
    nothing = run("search", f"{claims}:Cheap.never", *SMALL, "--by-width", "--out", "nowhere")
    assert nothing.exit_code == 3 and "m=2: claim Cheap.never" in nothing.stdout.replace("\n", " ")


def test_ctrl_c_keeps_and_prints_the_best_so_far(claims: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("verify.search.run.descend", interrupted)
    answer = run("search", f"{claims}:Cheap.holds", *SMALL, "--out", "there")
    assert answer.exit_code == 130 and "interrupted after 12 evaluations" in answer.stderr
    assert "smallest margin    HOLDS" in answer.output and Path("there/worst.json").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("L3.tme",), "did you mean L3.time"),
        (("L3.*",), "must name one claim"),
        (("L3.time", "--seconds", 0), "leaves nothing to search with"),
        (("L3.time", "--n", "1"), "labels of both signs"),
        (("L3.time", "--digits", 3), "20 to 2000"),
        (("L3.time", "--n", "two"), "--n = 'two' must be LOW:HIGH"),
        (("L3.time", "--kappa", "1:2", "--regime", "1:2"), "not both"),
        (("L4.idle", "--m", "2", "--evaluations", 9), "every neuron is a key neuron"),
    ],
)
def test_bad_input_is_one_line_and_two(claims: Path, arguments: tuple[object, ...], message: str) -> None:
    answer = run("search", *arguments)
    assert answer.exit_code == 2 and message in answer.stderr and len(answer.stderr.splitlines()) == 1
