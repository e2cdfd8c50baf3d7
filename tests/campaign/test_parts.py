"""Part files: exact, named by their checksum, with their provenance."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from verify.campaign.parts import parts_in, provenance_of, read_part, write_part
from verify.errors import BrokenPart, NotStored

TABLE = pa.table({"margin": [1e-213, float("inf"), None], "claim": ["A", "B", "C"]})


def test_what_is_written_is_read(tmp_path: Path) -> None:
    for number in (10, 2):
        write_part(tmp_path, number, TABLE, {"seed": str(number)})
    (tmp_path / "part-notes.parquet").write_text("not one of ours")
    parts = parts_in(tmp_path)
    assert list(parts) == [2, 10]
    assert read_part(parts[2]).equals(TABLE) and read_part(parts[2], ["claim"]).column_names == ["claim"]
    assert [provenance_of(path)["seed"] for path in parts.values()] == ["2", "10"]


@pytest.mark.parametrize("where", [0.0, 0.3, 0.6, 0.95])
def test_one_changed_byte_anywhere_is_noticed(tmp_path: Path, where: float) -> None:
    write_part(tmp_path, 0, TABLE, {})
    path = parts_in(tmp_path)[0]
    content = bytearray(path.read_bytes())
    content[int(where * len(content))] ^= 1
    path.write_bytes(content)
    with pytest.raises(BrokenPart, match=f"{path.name}: truncated or damaged"):
        read_part(path, ["claim"])


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    with pytest.raises(NotStored, match="taken/part-000000"):
        write_part(tmp_path / "taken", 0, TABLE, {})
