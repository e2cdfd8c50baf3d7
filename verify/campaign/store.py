"""The folder of a campaign: what is finished, under which code, and adding to it so that a kill loses nothing stored.

    campaign.json                                   the configuration
    rows/code=VERSION/part-NUMBER-CHECKSUM.parquet  one row for each claim of each problem
    problems/code=VERSION/…                         the same part's problems with their JSON
    broken/                                         damaged parts, set aside

A part is committed by the name of its rows: problems go first, and problems without rows were never finished.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from verify.campaign.config import Config
from verify.campaign.files import TEMPORARY, held, write_durably
from verify.campaign.parts import parts_in, read_part, write_part
from verify.campaign.tally import Tally
from verify.errors import BrokenPart, InvalidCampaign

CONFIG, ROWS, PROBLEMS, BROKEN, LOCK = "campaign.json", "rows", "problems", "broken", ".lock"


class Store:
    """A campaign's folder, open for writing by one process; use it in a ``with`` statement.

    - ``finished``: indices of the problems stored under this code. ``tally``: their verdicts, counted.
    - ``set_aside``: what was wrong with which part.

    Raises InvalidCampaign when the folder holds another campaign, or another process writes to it.
    """

    def __init__(self, folder: Path, config: Config, code: str, provenance: Mapping[str, str]) -> None:
        self.folder, self.code, self.provenance = folder, code, provenance
        self.finished: set[int] = set()
        self.set_aside: list[str] = []
        self.tally = Tally()
        self._next = 0
        _check_config(folder, config)
        self._lock = held(folder / LOCK, "another campaign is writing there; wait, or give another --out")
        try:
            self._recover()
            write_durably(folder / CONFIG, lambda file: file.write(_config_bytes(config)))
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let other processes write here."""
        self._lock.close()

    def path(self, kind: str) -> Path:
        """Folder of the rows or problems under this code."""
        return self.folder / kind / f"code={self.code}"

    def add(self, rows: pa.Table, problems: pa.Table) -> None:
        """Store finished problems as one part. Raises NotStored; what was stored before stays."""
        write_part(self.path(PROBLEMS), self._next, problems, self.provenance)
        write_part(self.path(ROWS), self._next, rows, self.provenance)
        self._next += 1
        self._count(rows)

    def _count(self, rows: pa.Table) -> None:
        self.finished.update(rows["index"].unique().to_pylist())
        self.tally.add(rows)

    def _recover(self) -> None:
        """Note what is finished; remove what was never committed, set aside what is damaged."""
        for folder in (self.path(ROWS), self.path(PROBLEMS)):
            for path in folder.glob(f"*{TEMPORARY}"):
                path.unlink()
        rows, problems = parts_in(self.path(ROWS)), parts_in(self.path(PROBLEMS))
        for number in set(problems) - set(rows):
            problems[number].unlink()
        for number, path in rows.items():
            self._next = number + 1
            try:
                if number not in problems:
                    raise BrokenPart(f"{path}: its problems are missing")
                read_part(problems[number])
                self._count(read_part(path))
            except BrokenPart as error:
                pair = {ROWS: path, PROBLEMS: problems.get(number)}
                self._put_aside(pair, str(error).split("; run the campaign")[0])

    def _put_aside(self, pair: Mapping[str, Path | None], why: str) -> None:
        aside = self.folder / BROKEN / f"code={self.code}"
        for kind, path in pair.items():
            if path is not None:
                (aside / kind).mkdir(parents=True, exist_ok=True)
                os.replace(path, aside / kind / path.name)
        self.set_aside.append(f"{why}; moved to {aside}, its problems run again")


def _config_bytes(config: Config) -> bytes:
    return (json.dumps(config.to_dict(), indent=1, ensure_ascii=False) + "\n").encode()


def read_config(folder: Path) -> Config:
    """The configuration that a campaign's folder was run with. Raises InvalidCampaign when it holds none."""
    path = folder / CONFIG
    try:
        return Config.from_dict(json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError as error:
        raise InvalidCampaign(f"{folder}: holds no campaign: no {CONFIG}; `verify campaign` makes one") from error
    except (OSError, ValueError) as error:
        raise InvalidCampaign(f"{path}: cannot be read: {error}") from error


def _check_config(folder: Path, config: Config) -> None:
    if not (folder / CONFIG).exists():
        return
    known, wanted = _flat(read_config(folder).to_dict()), _flat(config.to_dict())
    differing = [name for name in {**known, **wanted} if known.get(name) != wanted.get(name)]
    differing = [name for name in differing if name not in ("problems", "title")]
    if differing:
        told = "; ".join(f"{name} = {known.get(name)!r} there, {wanted.get(name)!r} here" for name in differing)
        raise InvalidCampaign(f"{folder}: holds another campaign ({told}); give another --out")


def _flat(values: Mapping[str, Any]) -> dict[str, Any]:
    sample = {f"sample.{name}": value for name, value in values["sample"].items()}
    return {name: value for name, value in values.items() if name != "sample"} | sample
