"""Seeds that are kept: made once, made again when a file is damaged or the code is another."""

from pathlib import Path

import numpy as np
import pytest

from verify.experiments import kept as module
from verify.experiments.kept import Record, code_of, kept


def test_made_once_and_again_when_damaged(tmp_path: Path) -> None:
    made = []

    def make() -> Record:
        made.append(1)
        return {"x": np.array([1.0, 2.0]), "count": np.array(3)}

    path = tmp_path / "folder/00.npz"
    for _ in range(2):
        found = kept(path, make)
        assert found["x"].tolist() == [1.0, 2.0] and int(found["count"]) == 3
    assert len(made) == 1 and [file.name for file in path.parent.iterdir()] == ["00.npz"]
    path.write_bytes(path.read_bytes()[:-30])
    assert kept(path, make)["x"].tolist() == [1.0, 2.0] and len(made) == 2
    assert kept(None, make).keys() == found.keys() and len(made) == 3


def test_the_code_is_that_of_all_modules_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "verify"
    (package / "inner").mkdir(parents=True)
    (package / "top.py").write_text("from verify.inner import low\nfrom verify.side import f\n")
    for name in ("inner/low", "side", "other"):
        (package / f"{name}.py").write_text("x = 1\n")
    monkeypatch.setattr(module, "FOLDER", package)
    before = code_of("verify.top")
    (package / "other.py").write_text("x = 2\n")
    assert code_of("verify.top") == before
    for name in ("inner/low", "side", "top"):
        text = (package / f"{name}.py").read_text()
        (package / f"{name}.py").write_text(text + "y = 2\n")
        assert code_of("verify.top") != before
        (package / f"{name}.py").write_text(text)
    assert code_of("verify.top") == before
