"""JSON files whose numbers are exact decimals: read with clear errors, written whole or not at all."""

import json
import os
import tempfile
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

from verify.errors import InvalidProblem


def load(path: Path) -> dict[str, Any]:
    """Return the object in a JSON file, with non-integers as Decimal.

    Raises InvalidProblem, naming the file and the position, for a file that cannot be read, broken JSON,
    NaN or Infinity, a key that occurs twice, and a file that holds no object.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise InvalidProblem(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InvalidProblem(f"{path}: is not UTF-8 text: byte {error.start} is invalid") from error
    try:
        values = json.loads(
            text,
            parse_float=Decimal,
            parse_constant=_refuse_constant,
            object_pairs_hook=_refuse_repeated_keys,
        )
    except json.JSONDecodeError as error:
        where = f"{path}: line {error.lineno} column {error.colno}"
        raise InvalidProblem(f"{where}: not valid JSON: {error.msg}") from error
    except (ValueError, RecursionError) as error:
        raise InvalidProblem(f"{path}: {error}") from error
    if not isinstance(values, dict):
        raise InvalidProblem(f"{path}: holds a JSON {type(values).__name__}; a problem is an object {{...}}")
    return values


def save(path: Path, values: Mapping[str, Any]) -> None:
    """Write an object with one key a line, through a temporary file in the same folder."""
    lines = [f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in values.items()]
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write("{\n" + ",\n".join(lines) + "\n}\n")
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a JSON number; every number must be finite")


def _refuse_repeated_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for key, value in pairs:
        if key in values:
            raise ValueError(f"key {key!r} occurs twice; keep one")
        values[key] = value
    return values
