"""The regression guard: what is stored, what it covers, and that a broken simulator is named."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from typer.testing import CliRunner

from tests.can_fail.planted import uncompiled
from tests.problems import small
from verify.baseline import FOLDER, Case, read_cases, read_margins, record, write_cases, write_margins
from verify.claims import CLAIMS
from verify.cli import app
from verify.errors import InvalidArgument
from verify.families import DIRECTIONS, INPUTS, LABELS
from verify.report.changes import COMPARED, compare

ROOT = Path(__file__).resolve().parents[1]
CHANGELOG = "# Changelog\n\n## [Unreleased]\n\n### Added\n\n- one\n\n## [0.1.0]\n\n### Changed\n\n- old\n"


def guard(folder: Path, *arguments: object) -> Any:
    return CliRunner().invoke(app, ["guard", "--baseline", str(folder), "--jobs", "1", *map(str, arguments)])


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    return read_cases(ROOT / FOLDER)


def test_the_committed_problems_cover_every_family(cases: list[Case]) -> None:
    told = [set(case.why.split(",")[0].split(" / ")) for case in cases]
    for family in [*INPUTS, *LABELS, *DIRECTIONS]:
        assert sum(family in words for words in told) >= 10, family
    assert len({case.problem.key for case in cases}) == len(cases) >= 250


def test_every_claim_is_tested_by_the_committed_margins(cases: list[Case]) -> None:
    rows = read_margins(ROOT / FOLDER)
    assert set(rows["problem"]) == {case.problem.key for case in cases}
    tested = rows[rows["verdict"].isin(["HOLDS", "FAILS"])].groupby("claim").size()
    assert set(tested.index) == {claim.id for claim in CLAIMS}
    assert tested.min() >= 20


def test_the_baseline_is_small() -> None:
    assert sum(path.stat().st_size for path in (ROOT / FOLDER).iterdir()) < 1_000_000


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cases: list[Case]) -> Path:
    """Two problems whose margins are those of the code as it is."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "CHANGELOG.md").write_text(CHANGELOG, encoding="utf-8")
    write_cases(tmp_path / "b", [case for case in cases if case.why == "rational / gaussian / lattice, small κ"])
    answer = guard(tmp_path / "b", "--accept", "a first one")
    assert answer.exit_code == 0, answer.output
    return tmp_path / "b"


def test_the_guard_holds_and_a_broken_simulator_is_named(scratch: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from verify.flow import course

    sound = guard(scratch)
    assert sound.exit_code == 0 and "no verdict, margin or error bar changed" in sound.output
    right = course.crossing
    monkeypatch.setattr(course, "crossing", lambda *arguments: max(right(*arguments), 0.0) ** (1 + 1e-4))
    uncompiled(monkeypatch)
    broken = guard(scratch)
    assert broken.exit_code == 1
    assert "margins moved beyond both error bars" in broken.output
    assert re.search(r"claims with a change:.*L7\.dead\.corrected \(\d+ moved", broken.output)
    assert "rational / gaussian / lattice, small κ" in broken.output
    accepted = guard(scratch, "--accept", "deactivations are late now")
    assert accepted.exit_code == 0 and guard(scratch).exit_code == 0
    text = Path("CHANGELOG.md").read_text(encoding="utf-8")
    assert "- Baseline of `verify guard`: a first one (49 new cases).\n" in text
    assert "deactivations are late now (" in text and "moved margins" in text
    assert text.index("late now") < text.index("## [0.1.0]") < text.index("- old")


def test_accepting_needs_a_reason_all_problems_and_a_changelog(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_cases(tmp_path / "b", [Case(small(), "small")])
    for arguments in (["--accept", " "], ["--accept", "why", "--every", 2], ["--accept", "why"]):
        assert guard(tmp_path / "b", *arguments).exit_code == 2
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n")
    answer = guard(tmp_path / "b", "--accept", "why")
    assert answer.exit_code == 2 and "has no section '## [Unreleased]'" in answer.stderr


def test_files_that_are_not_right_are_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match=r"problems\.jsonl: cannot be read"):
        read_cases(tmp_path)
    good = json.dumps({"why": "small", "problem": small().to_json()})
    (tmp_path / "problems.jsonl").write_text(f"{good}\n\n{{}}\n")
    with pytest.raises(InvalidArgument, match=r"problems\.jsonl line 3"):
        read_cases(tmp_path)
    (tmp_path / "margins.parquet").write_bytes(b"PAR1")
    with pytest.raises(InvalidArgument, match=r"margins\.parquet: truncated or damaged"):
        read_margins(tmp_path)


def test_margins_are_written_exactly(tmp_path: Path) -> None:
    values = [
        ("aa", "L3.time", "HOLDS", 1e-213, 0.0, "relative", 0.5),
        ("aa", "T1.loss", "HOLDS", float("inf"), 0.0, "nats", 1.0),
    ]
    rows = pd.DataFrame(values, columns=list(COMPARED))
    assert read_margins(tmp_path).empty
    write_margins(tmp_path, rows, {"version": "0"})
    pd.testing.assert_frame_equal(
        read_margins(tmp_path)[list(COMPARED[:-1])].astype(object), rows[list(COMPARED[:-1])].astype(object)
    )


def test_the_reason_joins_a_list_that_is_there(tmp_path: Path) -> None:
    path = tmp_path / "CHANGELOG.md"
    path.write_text("## [Unreleased]\n\n### Changed\n\n- a\n\n### Fixed\n\n- b\n", encoding="utf-8")
    rows = pd.DataFrame([("aa", "A", "HOLDS", 1.0, 0.1, "nats", 1.0)], columns=list(COMPARED))
    record(path, "why", compare(rows, rows.assign(verdict="FAILS")))
    expected = "### Changed\n\n- a\n- Baseline of `verify guard`: why (1 changed verdict).\n\n### Fixed\n\n- b\n"
    assert path.read_text(encoding="utf-8").endswith(expected)
