"""The command `verify`: what it prints, what it writes, and its exit codes."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import pandas as pd
import pytest
from typer.testing import CliRunner

import verify
from tests.problems import ROTATION, small
from tests.report.synthetic import frame, row
from verify.campaign import many
from verify.claims import CLAIMS
from verify.cli import app
from verify.cli.options import claims_of, digits_of
from verify.cli.replay import find
from verify.cli.report import draw
from verify.cli.terminal import exit_code, plain, records
from verify.errors import InvalidArgument, PrecisionExhausted, SimulationFailed, UnknownClaim

COMMANDS = ["claims", "check", "certify", "simulate", "campaign", "report", "reproduce", "diff", "guard", "replay"]
MY_CLAIMS = """
from verify import Claim, Margin
mine = Claim("My.claim", "here", "D", "0 ≤ 1", lambda evidence: Margin(1.0, 0.0, "relative"))
failing = Claim("My.failure", "here", "D", "1 ≤ 0", lambda evidence: Margin(-1.0, 0.0, "relative"))
open_question = Claim("My.question", "here", "D", "?", lambda evidence: Margin(0.0, 1.0, "relative"))
"""


def run(*arguments: object) -> Any:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    small().save(tmp_path / "problem.json")
    return tmp_path / "problem.json"


@pytest.fixture
def lemma(tmp_path: Path) -> Path:
    path = tmp_path / "my_lemma.py"
    path.write_text(MY_CLAIMS, encoding="utf-8")
    return path


# Help and start-up


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself_with_an_example(command: str) -> None:
    answer = run(command, "--help")
    assert answer.exit_code == 0
    assert f"verify {command}" in answer.output and "Example:" in answer.output


def test_help_lists_every_command_and_the_exit_codes() -> None:
    output = run("--help").output
    assert all(command in output for command in COMMANDS)
    assert "Exit codes" in output


def test_version() -> None:
    assert run("--version").output == f"verify {verify.__version__}\n"


def test_nothing_heavy_is_imported_before_a_command_runs() -> None:
    code = "import sys, verify.cli; print({'numpy', 'pandas', 'numba', 'matplotlib', 'hypothesis'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "set()\n"


def test_it_runs_as_a_module() -> None:
    done = subprocess.run([sys.executable, "-m", "verify", "--version"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, f"verify {verify.__version__}\n")


@pytest.mark.parametrize(
    "arguments", [[], ["chek"], ["check"], ["check", "a.json", "--digit", "3"], ["report", "--problems", "0"]]
)
def test_bad_usage_ends_with_two(arguments: list[str]) -> None:
    assert run(*arguments).exit_code == 2


# verify claims


def test_claims_are_listed_in_order() -> None:
    listed = json.loads(run("claims", "--json").stdout)
    assert [claim["id"] for claim in listed if claim["command"] == "check"] == [claim.id for claim in CLAIMS]
    assert set(listed[0]) == {"id", "source", "tag", "reading", "command", "statement"}
    assert all(claim["id"] in run("claims").output for claim in listed)
    beyond = {claim["id"]: claim["command"] for claim in listed[len(CLAIMS) :]}
    assert beyond["X.norms"] == "reproduce norms" and {"X.threshold", "X.high-dimension"} < set(beyond)


# verify check


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


def test_claims_by_id_pattern_and_file(lemma: Path, tmp_path: Path) -> None:
    assert claims_of(None) is None
    assert [claim.id for claim in claims_of("L2.*") or []] == ["L2.align+", "L2.align-", "L2.norm"]
    assert [claim.id for claim in claims_of(" L2.norm, L2.n*,") or []] == ["L2.norm"]
    with pytest.raises(UnknownClaim, match=r"`verify claims` lists all"):
        claims_of("zzz")
    with pytest.raises(InvalidArgument, match="names no claim"):
        claims_of(" , ")
    with pytest.raises(InvalidArgument, match="no such Python file"):
        claims_of("missing.py")
    (tmp_path / "empty.py").write_text("x = 1\n")
    with pytest.raises(InvalidArgument, match="defines no Claim"):
        claims_of(str(tmp_path / "empty.py"))
    (tmp_path / "broken.py").write_text("1 / 0\n")
    with pytest.raises(InvalidArgument, match=r"broken\.py: ZeroDivisionError"):
        claims_of(str(tmp_path / "broken.py"))


@pytest.mark.parametrize("text", ["", "x", "-3", "0", "1.5", "³"])
def test_digits_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(InvalidArgument, match="must be auto or a whole number"):
        digits_of(text)
    assert (digits_of("auto"), digits_of("50")) == ("auto", 50)


# verify simulate


def test_simulate_says_where_the_flow_ends(file: Path) -> None:
    answer = run("simulate", file, "--json")
    found = json.loads(answer.stdout)
    assert answer.exit_code == 0
    assert found["problem"] == small().key and found["t_end"] > 2000 and found["loss"] < 1e-50
    assert found["deactivations"][0].keys() == {"t", "neuron", "label"}
    output = run("simulate", file).output
    assert all(name in output for name in ("t_end", "loss at t_end", "deactivations", "error estimate"))


def test_until_is_the_end(file: Path) -> None:
    assert json.loads(run("simulate", file, "--until", 3, "--json").stdout)["t_end"] == 3.0
    answer = run("simulate", file, "--until", -1)
    assert answer.exit_code == 2 and "until = -1.0" in answer.stderr


@pytest.mark.parametrize("labels", [[2, -1], [1, -2]])
def test_the_figure_is_drawn_in_both_orientations(tmp_path: Path, labels: list[int]) -> None:
    values = small().to_json() | {"x": ROTATION, "y": labels}
    (tmp_path / "p.json").write_text(json.dumps(values))
    answer = run("simulate", tmp_path / "p.json", "--plot", tmp_path / "out.png")
    assert answer.exit_code == 0 and "figure written to" in answer.stderr
    assert (tmp_path / "out.png").read_bytes().startswith(b"\x89PNG")


def test_a_figure_of_an_unknown_kind_is_refused(file: Path, tmp_path: Path) -> None:
    answer = run("simulate", file, "--until", 1, "--plot", tmp_path / "out.gif")
    assert answer.exit_code == 2 and "not '.gif'" in answer.stderr


# verify report and verify replay


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


def test_a_simulation_that_fails_is_unresolved_not_bad_input(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("verify.check.check", fails(SimulationFailed("too many steps")))
    assert run("check", file).exit_code == 3


def test_a_report_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    answer = report("--out", "taken")
    assert answer.exit_code == 2
    assert "margins.parquet: not written" in answer.stderr and "Traceback" not in answer.output


@pytest.fixture
def stored() -> Iterator[Path]:
    folder = Path("reports/latest/problems")
    folder.mkdir(parents=True)
    for key in ("aaaa000000000000", "aaab000000000000"):
        (folder / f"{key}.json").write_text("{}")
    yield folder


def test_problems_are_found_by_key_prefix_and_store(stored: Path) -> None:
    expected = stored / "aaab000000000000.json"
    assert find("aaab000000000000", None) == find("aaab", None) == expected
    for store in (stored, stored.parent, stored.parent.parent):
        assert find("aaab", store).samefile(expected)
    assert find(str(expected), None) == expected


@pytest.mark.parametrize(
    ("which", "message"),
    [("aaa", "is ambiguous: aaaa0+, aaab0+; give more"), ("bbb", "no bbb"), ("*", "neither a file nor a key")],
)
def test_keys_that_name_no_single_problem(stored: Path, which: str, message: str) -> None:
    with pytest.raises(InvalidArgument, match=message):
        find(which, None)


# Exit codes and JSON


@pytest.mark.parametrize(
    ("verdicts", "code"),
    [
        ("HOLDS", 0), ("HOLDS VACUOUS", 0), ("HOLDS UNRESOLVED", 3), ("FAILS UNRESOLVED HOLDS", 1),
        ("VACUOUS", 3), ("", 3),
    ],
)  # fmt: skip
def test_exit_code_of_verdicts(verdicts: str, code: int) -> None:
    rows = frame(*(row(verdict=verdict, margin=-1.0 if verdict == "FAILS" else 1.0) for verdict in verdicts.split()))
    assert exit_code(rows) == code


def test_a_margin_that_is_no_number_never_ends_with_zero() -> None:
    assert exit_code(frame(row(margin=float("nan")))) == 3


def test_json_has_no_numbers_that_json_lacks() -> None:
    inf = float("inf")
    [found] = records(frame(row(margin=inf, uncertainty=float("nan"))))
    assert (found["margin"], found["uncertainty"], found["neuron"]) == ("inf", None, None)
    assert plain([float("nan"), -inf, (1, "a"), True, None]) == [None, "-inf", [1, "a"], True, None]
