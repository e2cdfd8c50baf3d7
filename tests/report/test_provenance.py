"""Where a report comes from."""

from __future__ import annotations

import platform
import re
import sys
from pathlib import Path

import numpy as np
import pytest

import verify
from verify.report import provenance
from verify.report.provenance import Provenance


def test_versions_seed_and_command_are_recorded() -> None:
    found = Provenance.collect(seed=0, command="verify report").to_dict()
    assert found["python"] == platform.python_version() and found["numpy"] == np.__version__
    assert found["version"] == verify.__version__
    assert (found["seed"], found["command"]) == ("0", "verify report")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", found["date"])
    assert re.fullmatch(r"([0-9a-f]{40}\+?)?", found["commit"])


def test_the_command_line_of_this_process_is_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["/usr/bin/verify", "report", "--out", "my reports"])
    assert Provenance.collect().command == "verify report --out 'my reports'"


def test_outside_of_git_the_commit_is_empty(tmp_path: Path) -> None:
    assert provenance._commit(tmp_path) == ""
