"""Part files of a campaign: Parquet with checksums, read with errors that name the file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from verify.campaign.files import write_durably
from verify.campaign.schema import METADATA_KEY
from verify.errors import BrokenPart

NAME = "part-{:06d}.parquet"
PATTERN = "part-*.parquet"


def write_part(path: Path, table: pa.Table, provenance: Mapping[str, str]) -> None:
    """Write a table as one part file, complete or not at all. Raises NotStored."""
    metadata = {METADATA_KEY: json.dumps(dict(provenance)).encode()}
    described = table.replace_schema_metadata(metadata)

    def write(file: BinaryIO) -> None:
        pq.write_table(described, file, compression="zstd", write_page_checksum=True)

    write_durably(path, write)


def read_part(path: Path, columns: Sequence[str] | None = None) -> pa.Table:
    """Some columns of a part file, or all. Raises BrokenPart, naming the file, when it is truncated or damaged."""
    try:
        with pq.ParquetFile(path, page_checksum_verification=True) as file:
            return file.read(columns=None if columns is None else list(columns))
    except (pa.ArrowException, OSError, ValueError) as error:
        why = " ".join(str(error).split())[:160]
        raise BrokenPart(
            f"{path}: truncated or damaged ({why}); run the campaign again: it sets the file aside and repeats it"
        ) from error


def provenance_of(path: Path) -> dict[str, str]:
    """What a part file says of the run that wrote it."""
    metadata = pq.read_schema(path).metadata or {}
    found: dict[str, str] = json.loads(metadata.get(METADATA_KEY, b"{}"))
    return found


def parts_in(folder: Path) -> Iterator[Path]:
    """The part files of a folder in the order written."""
    return iter(sorted(folder.glob(PATTERN)))
