"""The sharpness table: what is read off evaluations, and the command that writes it."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from typer.testing import CliRunner

from verify.catalogue import Selection
from verify.check import check, select
from verify.claims import CLAIMS
from verify.cli import app
from verify.problem import Problem
from verify.regime import in_regime
from verify.search.evaluation import evaluate
from verify.search.scales import sufficient
from verify.studies.constants import CONSTANTS, POWERS, claims_in_order, constant_factor, exponent_excess
from verify.studies.sharpness import _rounded_down

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "lambda-1500.json"


def run(*arguments: object) -> Any:
    return CliRunner().invoke(app, ["sharpness", *map(str, arguments)])


def test_a_bound_with_the_number_read_off_it_is_met_with_equality() -> None:
    problem = Problem.from_json(EXAMPLE).oriented()
    data, scale = problem.dataset, problem.initialisation.minus_log_lambda
    read = {one.claim: one.read for one in CONSTANTS}
    for claim, norm, slope in (("L3.time", data.norm_plus, 1.0), ("L4.time", data.norm_minus, data.ratio)):
        found = evaluate(problem.to_json(), Selection.parse(claim), claim, None, "")
        t = check(problem, [claim], None)["t"].iloc[0]
        c = read[claim](found, problem)
        assert t == pytest.approx((1 + c * slope * problem.epsilon) * scale / norm, rel=1e-9) and 0 < c < 3
    power = evaluate(problem.to_json(), Selection.parse("L3.idle"), "L3.idle", None, "")
    kept = power.bound_log - exponent_excess(power) * problem.kappa
    assert kept == pytest.approx(power.quantity_log, rel=1e-9)
    assert constant_factor(power) == pytest.approx(math.exp(-power.margin))


def test_every_line_of_the_table_is_a_claim_of_its_kind() -> None:
    problem = Problem.from_json(EXAMPLE)
    rows = check(problem, list(POWERS), None).set_index("claim")
    assert rows["claimed_exponent"].notna().all() or set(rows.index[rows["claimed_exponent"].isna()]) <= {"L4.idle"}
    assert len(claims_in_order(CLAIMS)) == len(POWERS) + len(CONSTANTS) == len(select(claims_in_order(CLAIMS)))


def test_numbers_are_rounded_to_what_is_supported() -> None:
    assert [_rounded_down(x) for x in (0.19999, 2.0461, 0.03448275)] == ["0.199", "2.04", "0.0344"]


def test_the_command_writes_the_table_and_goes_on_for_free(tmp_path: Path) -> None:
    asked = ("--claims", "L3.time,L2.norm", "--evaluations", 8, "--out", tmp_path, "--hunted", tmp_path / "none")
    answer = run(*asked, "--json")
    assert answer.exit_code == 0, answer.output
    rows = {row["claim"]: row for row in json.loads(answer.stdout)["rows"]}
    assert 0 < rows["L3.time"]["deep"] < 0.2 and rows["L3.time"]["best"].startswith("c ≥ 0.")
    assert rows["L2.norm"]["best"].startswith("exponent as claimed, constant × ") and rows["L2.norm"]["factor"] < 1
    text = (tmp_path / "sharpness.md").read_text(encoding="utf-8")
    assert "8 evaluations (seed 0)" in text and "| `L3.time` |  | t₂ ≤ (1 + cε)Λ/‖D₊‖ | 3 |" in text
    for row in rows.values():
        assert Problem.from_json(tmp_path / "problems" / f"{row['problem']}.json").key == row["problem"]
    files = {path: path.stat().st_size for path in tmp_path.rglob("evaluations.jsonl")}
    again = run(*asked, "--json")
    assert json.loads(again.stdout)["rows"] == list(rows.values())
    assert {path: path.stat().st_size for path in tmp_path.rglob("evaluations.jsonl")} == files
    assert len(pd.read_csv(tmp_path / "sharpness.csv")) == 2


def test_the_worst_problems_of_a_hunt_are_looked_at_first(tmp_path: Path) -> None:
    hunted, out = tmp_path / "hunted", tmp_path / "out"
    known = in_regime(Problem.from_json(EXAMPLE).oriented(), 2.0)
    (hunted / "L3.time").mkdir(parents=True)
    known.save(hunted / "L3.time" / "worst.json")
    answer = run("--claims", "L3.time", "--evaluations", 3, "--out", out, "--hunted", hunted, "--json")
    (row,) = json.loads(answer.stdout)["rows"]
    (constant,) = (one for one in CONSTANTS if one.claim == "L3.time")
    found = evaluate(known.to_json(), Selection.parse("L3.time"), "L3.time", None, "")
    assert row["measured"] >= constant.read(found, known)
    deep = 100 * sufficient(known, select("L3.time")[0]).minus_log_lambda
    for name, scale in (("constant", known.initialisation.minus_log_lambda), ("deep", deep)):
        first = json.loads((out / f"searches/L3.time-{name}/evaluations.jsonl").read_text("utf-8").splitlines()[0])
        assert first["stage"] == "again" and first["problem"]["y"] == known.to_json()["y"]
        assert float(first["problem"]["minus_log_lambda"]) == pytest.approx(scale, rel=1e-5)


def test_a_later_table_says_no_less(tmp_path: Path) -> None:
    known = in_regime(Problem.from_json(EXAMPLE).oriented(), 2.0)
    (tmp_path / "problems").mkdir()
    known.save(tmp_path / "problems" / "kept.json")
    (tmp_path / "sharpness.csv").write_text("claim,problem\nL3.time,kept\nL2.norm,gone\nL4.time,\n")
    answer = run("--claims", "L3.time", "--evaluations", 2, "--out", tmp_path, "--hunted", tmp_path / "none", "--json")
    lines = (tmp_path / "searches/L3.time-constant/evaluations.jsonl").read_text("utf-8").splitlines()
    assert answer.exit_code == 0 and json.loads(lines[0])["key"] == known.key
    for claim in ("L2.norm", "L4.time"):
        others = ("--claims", claim, "--evaluations", 2, "--out", tmp_path, "--hunted", tmp_path / "none")
        assert run(*others).exit_code == 0


def test_ctrl_c_prints_the_lines_so_far(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def rows(*_: Any) -> Iterator[dict[str, Any]]:
        yield {"claim": "L2.norm", "reading": "", "kind": "power", "words": "a bound", "best": "exponent 2"}
        raise KeyboardInterrupt

    monkeypatch.setattr("verify.studies.sharpness.Sharpness.run", rows)
    answer = run("--claims", "L2.norm,L3.time", "--out", tmp_path)
    assert answer.exit_code == 130 and "exponent 2" in answer.stdout and "1 of 2 bounds" in answer.stderr
    assert not list(tmp_path.iterdir())


def test_a_claim_without_a_number_is_refused(tmp_path: Path) -> None:
    wrong = run("--claims", "L1.sign", "--out", tmp_path)
    assert wrong.exit_code == 2 and "L1.sign: no exponent or constant" in wrong.stderr
