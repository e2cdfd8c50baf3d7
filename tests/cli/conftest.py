"""A problem, claims of a user, and an empty folder to work in."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.problems import small

MY_CLAIMS = """
from verify import Claim, Margin
mine = Claim("My.claim", "here", "D", "0 ≤ 1", lambda evidence: Margin(1.0, 0.0, "relative"))
failing = Claim("My.failure", "here", "D", "1 ≤ 0", lambda evidence: Margin(-1.0, 0.0, "relative"))
open_question = Claim("My.question", "here", "D", "?", lambda evidence: Margin(0.0, 1.0, "relative"))
"""


@pytest.fixture
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
