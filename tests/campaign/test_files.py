"""Files that are complete or not there."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

import pytest

from verify.campaign.files import write_durably
from verify.errors import NotStored


def test_a_failed_write_keeps_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "file"
    write_durably(path, lambda file: file.write(b"old"))

    def half(file: BinaryIO) -> None:
        file.write(b"ne")
        raise OSError(28, "No space left on device")

    with pytest.raises(NotStored, match=f"{path}: not written .No space left"):
        write_durably(path, half)
    assert path.read_bytes() == b"old" and [entry.name for entry in path.parent.iterdir()] == ["file"]
