"""Every evaluation of a search in one file that only grows: a kill costs at most the line under way."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

from verify.errors import NotStored
from verify.search.evaluation import Evaluation

NAME = "evaluations.jsonl"


def evaluations_in(content: bytes) -> Iterator[tuple[str, Evaluation]]:
    """The evaluations of a record, with the version of the code that made each; a last line cut short is left out."""
    for line in content[: content.rfind(b"\n") + 1].splitlines():
        values = json.loads(line)
        code = values.pop("code")
        yield code, Evaluation.from_json(values)


class Record:
    """A file of evaluations, one JSON object a line.

    - ``known``: those that were made under this code, by key. ``older``: those of other versions of the code, whose
      problems are worth another look and whose numbers are not.

    A last line that was cut short by a kill is dropped. Raises NotStored when the file cannot be written.
    """

    def __init__(self, path: Path, code: str) -> None:
        self._code, self._path = code, path
        self.known: dict[str, Evaluation] = {}
        self.older: list[Evaluation] = []
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = open(path, "a+b")  # noqa: SIM115
            self._load()
        except OSError as error:
            raise NotStored(f"{path}: cannot be written: {error.strerror or error}") from error

    def _load(self) -> None:
        self._file.seek(0)
        content = self._file.read()
        whole = content[: content.rfind(b"\n") + 1]
        if len(whole) < len(content):
            self._file.truncate(len(whole))
        for code, found in evaluations_in(whole):
            if code == self._code:
                self.known[found.key] = found
            else:
                self.older.append(found)

    def add(self, evaluation: Evaluation) -> None:
        """Keep one more evaluation."""
        line = json.dumps({"code": self._code} | evaluation.to_json(), ensure_ascii=False) + "\n"
        try:
            self._file.write(line.encode())
            self._file.flush()
        except OSError as error:
            why = f"{self._path}: not written ({error.strerror or error}); what was found before is there"
            raise NotStored(why) from error
        self.known[evaluation.key] = evaluation

    def close(self) -> None:
        """Force the file to the disk."""
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
