"""Options that several commands share, and what their texts mean."""

from __future__ import annotations

import importlib.util
from difflib import get_close_matches
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from verify.errors import InvalidArgument, UnknownClaim

if TYPE_CHECKING:
    from verify.claim import Claim

File = Annotated[Path, typer.Argument(metavar="FILE.json", help="A problem: inputs, labels, directions, signs, Λ, ε.")]
Claims = Annotated[
    str | None,
    typer.Option(
        "--claims", metavar="ID,...", help="Only these claims: ids, patterns such as 'L2.*', or Python files."
    ),
]
Digits = Annotated[str, typer.Option("--digits", metavar="auto|N", help="Decimal digits of the arithmetic.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]


def digits_of(text: str) -> int | str:
    """`auto`, or the number of digits. Raises InvalidArgument.

    >>> digits_of("50")
    50
    """
    if text == "auto":
        return text
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise InvalidArgument(f"--digits = {text!r} must be auto or a whole number of digits, such as 50")
    return int(text)


def claims_of(text: str | None) -> list[Claim] | None:
    """The claims that a comma-separated text names, each once; None for None.

    A part is an id, a pattern with `*` or `?`, or a Python file that defines claims.
    Raises UnknownClaim with near names, InvalidArgument for a file without claims.
    """
    if text is None:
        return None
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not parts:
        raise InvalidArgument(f"--claims = {text!r} names no claim; give ids such as L2.align+,L3.time")
    chosen = [claim for part in parts for claim in _claims_named(part)]
    return list({claim.id: claim for claim in chosen}.values())


def _claims_named(part: str) -> list[Claim]:
    from verify.claims import CLAIMS

    if part.endswith(".py"):
        return _claims_in(Path(part))
    found = [claim for claim in CLAIMS if claim.id == part or fnmatchcase(claim.id, part)]
    if not found:
        near = get_close_matches(part, [claim.id for claim in CLAIMS], n=3)
        hint = f"did you mean {' or '.join(near)}? " if near else ""
        raise UnknownClaim(f"claim {part!r} is unknown; {hint}`verify claims` lists all {len(CLAIMS)}")
    return found


def _claims_in(path: Path) -> list[Claim]:
    """The claims that a Python file defines, in order: all module-level names that are claims."""
    from verify.claim import Claim

    spec = importlib.util.spec_from_file_location(path.stem, path)
    if not path.is_file() or spec is None or spec.loader is None:
        raise InvalidArgument(f"{path}: no such Python file")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise InvalidArgument(f"{path}: {type(error).__name__}: {error}") from error
    values = [value for entry in vars(module).values() for value in (entry if isinstance(entry, tuple) else [entry])]
    found = [value for value in values if isinstance(value, Claim)]
    if not found:
        raise InvalidArgument(f"{path}: defines no Claim; assign one to a name of the module")
    return found
