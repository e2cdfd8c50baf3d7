"""Options that several commands share, and what their texts mean."""

from __future__ import annotations

from difflib import get_close_matches
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
Jobs = Annotated[
    int | None,
    typer.Option("--jobs", metavar="J", min=1, help="Processes; one for each processor by default."),
]
Growth = Annotated[
    float, typer.Option("--growth", metavar="F", min=1.0, help="An error bar F times as long counts as a change.")
]
All = Annotated[bool, typer.Option("--all", help="Print every difference, not only the first of each kind.")]
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
    Raises UnknownClaim with near names, those of experiments among them, InvalidArgument for a file without claims.
    """
    from verify.catalogue import Selection

    try:
        return Selection.parse(text).claims()
    except UnknownClaim:
        _say_if_experiment(text or "")
        raise


def _say_if_experiment(text: str) -> None:
    """Raise UnknownClaim with the right command for the first part that is nearly the id of an experiment's claim."""
    from verify.experiments.catalogue import measured_by

    known = measured_by()
    for part in map(str.strip, text.split(",")):
        near = get_close_matches(part, known, n=1, cutoff=0.75) if part.upper().startswith("X.") else []
        if near:
            meant = "" if near[0] == part else f" is unknown; did you mean {near[0]}? That"
            raise UnknownClaim(
                f"claim {part!r}{meant} speaks of many starts, not of one problem: "
                f"`verify reproduce {known[near[0]][0].name}` measures it"
            )
