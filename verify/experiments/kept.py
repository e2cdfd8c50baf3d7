"""Seeds of a long experiment, kept one by one: a run that was killed loses at most the seed in hand."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from verify.notation import FloatArray
from verify.release import FOLDER
from verify.report.write import write_atomically

Record = dict[str, FloatArray]


def kept(path: Path | None, make: Callable[[], Record]) -> Record:
    """The arrays stored at ``path``, or else those that ``make`` returns, which are then stored there.

    A file that cannot be read counts as none. With ``path`` None nothing is stored. Raises ReportNotWritten.
    """
    if path is not None and path.exists():
        try:
            with np.load(path, allow_pickle=False) as stored:
                return dict(stored)
        except (OSError, ValueError, EOFError, BadZipFile):
            pass
    record = make()
    if path is not None:
        content = BytesIO()
        np.savez_compressed(content, allow_pickle=False, **record)
        write_atomically(path, content.getvalue())
    return record


def code_of(module: str) -> str:
    """Eight digits that change with the source of a module, or of any other of this package that it needs.

    >>> code_of("verify.errors") == code_of("verify.errors") != code_of("verify.network")
    True
    """
    digest = hashlib.sha256()
    for path in sorted(_sources(module)):
        digest.update(path.relative_to(FOLDER).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:8]


def _sources(module: str) -> set[Path]:
    found: set[Path] = set()
    names = [module]
    while names:
        path = FOLDER.parent.joinpath(*names.pop().split(".")).with_suffix(".py")
        if path in found or not path.exists():
            continue
        found.add(path)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("verify"):
                names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return found
