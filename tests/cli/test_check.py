"""`verify check`: verdicts, exit codes, bad input."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NoReturn

import pytest

from tests.cli.running import run
from tests.problems import small
from verify.claims import CLAIMS
from verify.cli.options import claims_of
from verify.errors import SimulationFailed

pytestmark = pytest.mark.usefixtures("in_an_empty_folder")


def test_a_claim_that_holds_ends_with_zero(file: Path) -> None:
    answer = run("check", file, "--claims", "L3.time", "--json")
    [found] = json.loads(answer.stdout)
    assert (answer.exit_code, found["verdict"], found["problem"]) == (0, "HOLDS", small().key)
    assert found["margin"] > 0 and found["label"] is None


@pytest.mark.parametrize(
    ("claim", "code"), [("My.claim", 0), ("My.failure", 1), ("My.question", 3), ("My.failure,L2.align+", 1)]
)
def test_exit_codes(file: Path, lemma: Path, claim: str, code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    own = claims_of(str(lemma)) or []
    monkeypatch.setattr("verify.claims.CLAIMS", (*CLAIMS, *own))
    assert run("check", file, "--claims", claim).exit_code == code


def test_the_table_shows_margin_verdict_and_witness(file: Path) -> None:
    output = run("check", file, "--claims", "L2.align+,L3.time").output
    assert "HOLDS" in output and "L3.time" in output and "nats" in output and "t=" in output


def test_claims_from_a_file(file: Path, lemma: Path) -> None:
    found = json.loads(run("check", file, "--claims", f"{lemma},L2.align+", "--json").stdout)
    assert [claim["claim"] for claim in found] == ["My.claim", "My.failure", "My.question", "L2.align+"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "cannot be read: No such file"),
        ("{", "not valid JSON"),
        ('{"y": [1, -1]}', "key 'g' is missing"),
        ('{"y": [1, 0], "g": [[1, 1]], "s": [1], "minus_log_lambda": 9}', "y"),
    ],
)
def test_bad_input_is_one_line_and_two(tmp_path: Path, text: str | None, message: str) -> None:
    path = tmp_path / "bad.json"
    if text is not None:
        path.write_text(text, encoding="utf-8")
    answer = run("check", path)
    assert (answer.exit_code, answer.stdout) == (2, "")
    [line] = answer.stderr.splitlines()
    assert line.startswith("verify: ") and message in line and str(path) in line


def test_unknown_claims_come_with_near_names(file: Path) -> None:
    answer = run("check", file, "--claims", "L2.algn+")
    assert answer.exit_code == 2
    assert "'L2.algn+' is unknown; did you mean L2.align+" in answer.stderr


@pytest.mark.parametrize(("part", "hint"), [("X.norms", "'X.norms' speaks"), ("X.nroms", "did you mean X.norms?")])
def test_claims_of_experiments_come_with_their_command(file: Path, part: str, hint: str) -> None:
    answer = run("check", file, "--claims", f"L2.norm,{part}")
    assert answer.exit_code == 2 and hint in answer.stderr and "`verify reproduce norms`" in answer.stderr


def test_a_simulation_that_fails_is_unresolved_not_bad_input(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any) -> NoReturn:
        raise SimulationFailed("too many steps")

    monkeypatch.setattr("verify.check.check", fails)
    assert run("check", file).exit_code == 3
