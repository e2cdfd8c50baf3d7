"""Another version of the code is another campaign."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from verify.campaign import version
from verify.campaign.version import code_version
from verify.catalogue import Selection


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package of three files in place of ours."""
    for name in ("flow/step.py", "cli/main.py", "campaign/sample.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x = 1\n")
    monkeypatch.setattr(version, "FOLDER", tmp_path)
    version._package_digest.cache_clear()
    yield tmp_path
    version._package_digest.cache_clear()


def changed(path: Path) -> bool:
    before = code_version()
    path.write_text("x = 2\n")
    version._package_digest.cache_clear()
    return code_version() != before


def test_it_follows_what_decides_a_verdict_and_nothing_else(package: Path) -> None:
    assert re.fullmatch(r"\S+-[0-9a-f]{8}", code_version())
    assert changed(package / "flow" / "step.py") and changed(package / "campaign" / "sample.py")
    assert not changed(package / "cli" / "main.py")


def test_it_follows_a_users_claims(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    versions = set()
    for text in ("a = 1", "a = 2"):
        path.write_text(text)
        versions.add(code_version(Selection.parse(str(path))))
    assert len(versions | {code_version()}) == 3
