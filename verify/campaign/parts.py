"""Part files of a campaign: Parquet whose name carries a checksum, read with errors that name the file."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path
from zlib import crc32

import pyarrow as pa
import pyarrow.parquet as pq

from verify.campaign.files import write_durably
from verify.campaign.schema import METADATA_KEY
from verify.errors import BrokenPart

NAME = re.compile(r"part-(\d{6,})-[0-9a-f]{8}\.parquet")


def write_part(folder: Path, number: int, table: pa.Table, provenance: Mapping[str, str]) -> None:
    """Write a table as ``part-NUMBER-CRC32.parquet``, complete or not at all. Raises NotStored."""
    metadata = {METADATA_KEY: json.dumps(dict(provenance)).encode()}
    buffer = BytesIO()
    pq.write_table(table.replace_schema_metadata(metadata), buffer, compression="zstd")
    content = buffer.getvalue()
    write_durably(folder / f"part-{number:06d}-{crc32(content):08x}.parquet", lambda file: file.write(content))


def read_part(path: Path, columns: Sequence[str] | None = None) -> pa.Table:
    """Some columns of a part file, or all. Raises BrokenPart, naming the file, when it is truncated or damaged."""
    try:
        content = path.read_bytes()
        if f"{crc32(content):08x}" != path.stem.split("-")[-1]:
            raise ValueError(f"its {len(content)} bytes do not match the checksum in its name")
        return pq.read_table(pa.BufferReader(content), columns=None if columns is None else list(columns))
    except (pa.ArrowException, OSError, ValueError) as error:
        why = " ".join(str(error).split())[:160]
        raise BrokenPart(
            f"{path}: truncated or damaged ({why}); run the campaign again: it sets the file aside and repeats it"
        ) from error


def provenance_of(path: Path) -> dict[str, str]:
    """What a part file says of the run that wrote it; empty when it cannot be read."""
    try:
        metadata = pq.read_schema(path).metadata or {}
    except (pa.ArrowException, OSError, ValueError):
        return {}
    found: dict[str, str] = json.loads(metadata.get(METADATA_KEY, b"{}"))
    return found


def parts_in(folder: Path) -> dict[int, Path]:
    """The part files of a folder by number, in the order written; files of other names are none."""
    found = ((NAME.fullmatch(path.name), path) for path in folder.glob("part-*.parquet"))
    return dict(sorted((int(name[1]), path) for name, path in found if name))
