"""The files of a report: complete, readable again, and never half written."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from typing import Any, NoReturn

import pandas as pd
import pytest

from tests.problems import decoupled, small
from tests.report.synthetic import campaign, frame, row
from verify.errors import VerifyError
from verify.problem import Problem
from verify.report.provenance import Provenance
from verify.report.write import ReportNotWritten, headline, read_provenance, write_atomically, write_report

PROVENANCE = Provenance(
    version="0.1", commit="abc", python="3.11", numpy="2.0", scipy="1.13", numba="0.60", pyarrow="16.1",
    platform="Linux", digits="auto", tolerance="none", seed="7", date="2024-01-01", command="verify report --seed 7",
)  # fmt: skip
FILES = ["margins.parquet", "margins.csv", "margins.md", "margins.tex", "margins.png"]


def test_all_files_are_written_and_nothing_else(tmp_path: Path) -> None:
    paths = write_report(campaign(5), tmp_path / "new" / "report", PROVENANCE)
    assert [path.name for path in paths] == FILES
    assert sorted(path.name for path in (tmp_path / "new" / "report").iterdir()) == sorted(FILES)


def test_parquet_gives_the_rows_back_with_their_provenance(tmp_path: Path) -> None:
    rows = campaign(5)
    write_report(rows, tmp_path, PROVENANCE)
    again = pd.read_parquet(tmp_path / "margins.parquet")
    assert list(again.columns) == list(rows.columns)
    assert again["margin"].tolist() == pytest.approx(rows["margin"].tolist(), rel=0, abs=0, nan_ok=True)
    assert again["verdict"].tolist() == rows["verdict"].map(str).tolist()
    assert read_provenance(tmp_path / "margins.parquet") == PROVENANCE.to_dict()


def test_column_types_do_not_depend_on_the_rows(tmp_path: Path) -> None:
    for name, rows in {"full": campaign(3), "bare": frame(row(verdict="VACUOUS", neuron=pd.NA))}.items():
        write_report(rows, tmp_path / name, PROVENANCE)
    full, bare = (pd.read_parquet(tmp_path / name / "margins.parquet") for name in ("full", "bare"))
    assert full.dtypes.tolist() == bare.dtypes.tolist()


def test_markdown_says_what_happened(tmp_path: Path) -> None:
    rows = frame(row("A", margin=0.25), row("B", "VACUOUS", reason="S_-1 is empty"))
    write_report(rows, tmp_path, PROVENANCE, statements={"A": "|a| ≤ b", "B": "c ≤ d"})
    text = (tmp_path / "margins.md").read_text(encoding="utf-8")
    assert "1 problem, 2 claims, 2 cases: 1 held, 0 failed, 0 unresolved, 1 vacuous." in text
    assert "| `B` | S_-1 is empty | 1 | never |" in text
    assert "| `A` | Lemma 3 | T | \\|a\\| ≤ b |" in text
    assert "- seed: 7\n" in text and "- command: verify report --seed 7\n" in text
    assert "![Margins of every claim](margins.png)" in text


def test_markdown_warns_of_claims_that_no_case_has_tested(tmp_path: Path) -> None:
    rows = frame(row("A"), row("B", "VACUOUS"), row("C", "VACUOUS"))
    write_report(rows, tmp_path, PROVENANCE)
    assert "**Not tested, vacuous in every case: `B`, `C`.**" in (tmp_path / "margins.md").read_text(encoding="utf-8")
    write_report(frame(row("A")), tmp_path, PROVENANCE)
    assert "Not tested" not in (tmp_path / "margins.md").read_text(encoding="utf-8")


def test_readings_stand_side_by_side_with_a_problem_to_replay(tmp_path: Path) -> None:
    rows = frame(
        row("A", "FAILS", -2.0, problem="a" * 16),
        row("A.corrected", margin=0.5, problem="b" * 16),
        row("B", margin=1.0),
    )
    readings = {"A": "literal", "A.corrected": "corrected"}
    statements = {"A": "x = 0", "A.corrected": "x ≤ 0", "B": "c ≤ d"}
    write_report(rows, tmp_path, PROVENANCE, statements=statements, readings=readings)
    text = (tmp_path / "margins.md").read_text(encoding="utf-8")
    section = text[text.index("## Readings") : text.index("![Margins")]
    lines = [line for line in section.splitlines() if line.startswith("| `")]
    assert [line.split(" | ")[1] for line in lines] == ["literal", "corrected"]
    assert "x = 0" in lines[0] and "`aaaaaaaaaaaaaaaa`" in lines[0] and "| 1 |" in lines[0]
    assert "x ≤ 0" in lines[1] and "`bbbbbbbbbbbbbbbb`" in lines[1]


def test_how_to_replay_is_told(tmp_path: Path) -> None:
    write_report(frame(row("A")), tmp_path, PROVENANCE, replay="verify replay KEY --store mine")
    assert "One case again: `verify replay KEY --store mine`" in (tmp_path / "margins.md").read_text(encoding="utf-8")


def test_a_margin_that_is_no_number_is_not_held_in_any_file(tmp_path: Path) -> None:
    write_report(frame(row("A", "HOLDS", float("nan"))), tmp_path, PROVENANCE)
    assert pd.read_parquet(tmp_path / "margins.parquet")["verdict"].tolist() == ["UNRESOLVED"]
    assert "0 held, 0 failed, 1 unresolved" in (tmp_path / "margins.md").read_text(encoding="utf-8")


def test_failing_and_tightest_problems_are_kept_and_can_be_read_again(tmp_path: Path) -> None:
    failing, tightest, plain = small(), decoupled(100.0), decoupled(200.0)
    rows = frame(
        row("A", "FAILS", -1.0, problem=failing.key),
        row("B", margin=0.1, problem=tightest.key),
        row("B", margin=0.2, problem=plain.key),
    )
    write_report(rows, tmp_path, PROVENANCE, problems=[failing, tightest, plain])
    stored = sorted((tmp_path / "problems").iterdir())
    assert [path.stem for path in stored] == sorted([failing.key, tightest.key])
    assert [Problem.from_json(path).key for path in stored] == [path.stem for path in stored]


def test_a_second_report_replaces_the_first(tmp_path: Path) -> None:
    for margin in (0.5, 0.25):
        write_report(frame(row(margin=margin)), tmp_path, PROVENANCE)
    assert pd.read_csv(tmp_path / "margins.csv")["margin"].tolist() == [0.25]


def test_a_full_disk_names_the_file_and_leaves_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = Path.write_bytes

    def full(path: Path, content: bytes) -> int:
        if "margins.md" in path.name:
            whole(path, content[:10])
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return whole(path, content)

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(ReportNotWritten, match=r"margins\.md: not written \(No space left on device\)") as raised:
        write_report(campaign(3), tmp_path, PROVENANCE)
    assert isinstance(raised.value, VerifyError)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["margins.csv", "margins.parquet"]


def test_an_interrupt_leaves_the_old_file_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_atomically(tmp_path / "a.txt", b"old")

    def interrupted(*_: Any) -> NoReturn:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_atomically(path, b"new")
    assert [file.read_bytes() for file in tmp_path.iterdir()] == [b"old"]


def test_a_folder_that_is_a_file_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "report").write_text("in the way")
    with pytest.raises(ReportNotWritten, match=r"margins\.parquet: not written"):
        write_report(frame(row()), tmp_path / "report", PROVENANCE)


def test_stored_problems_are_json_objects(tmp_path: Path) -> None:
    problem = small()
    write_report(frame(row(problem=problem.key)), tmp_path, PROVENANCE, problems=[problem])
    stored = json.loads((tmp_path / "problems" / f"{problem.key}.json").read_text(encoding="utf-8"))
    assert stored["y"] == [2, -1]


def test_headline_counts() -> None:
    rows = frame(row("A"), row("A", "FAILS", -1.0, problem="b" * 16), row("B", "VACUOUS"))
    assert headline(rows) == "2 problems, 2 claims, 3 cases: 1 held, 1 failed, 0 unresolved, 1 vacuous."
    rows.loc[:1, "reason"] = ["certified; at the ends of all pieces", "certified"]
    assert headline(rows).endswith("1 vacuous. Certified verdicts: 2.")
