"""Options that say where to search, and what their texts mean."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated

import typer

from verify.errors import InvalidArgument

if TYPE_CHECKING:
    from verify.catalogue import Selection
    from verify.claim import Claim
    from verify.search.scales import Scale
    from verify.search.space import Space

INPUTS, NEURONS, FRACTION = "2:4", "2:6", "0.3:0.95"
"""Default ranges of n, m and ε."""

Seed = Annotated[int, typer.Option("--seed", min=0, help="The same seed and budget give the same search.")]
Inputs = Annotated[str, typer.Option("--n", metavar="LOW:HIGH", help="Number of inputs.")]
Neurons = Annotated[str, typer.Option("--m", metavar="LOW:HIGH", help="Number of neurons.")]
Fraction = Annotated[str, typer.Option("--epsilon", metavar="LOW:HIGH", help="ε as a fraction of the largest.")]
InRegime = Annotated[
    str | None,
    typer.Option("--regime", metavar="LOW:HIGH", help="Λ as a multiple of what the claim's proof asks for; 1:10."),
]
Kappa = Annotated[str | None, typer.Option("--kappa", metavar="LOW:HIGH", help="κ = εΛ instead.")]
Labels = Annotated[str | None, typer.Option("--labels", metavar="NAME,...", help="Families of labels; all of them.")]
Directions = Annotated[
    str | None, typer.Option("--directions", metavar="NAME,...", help="Families of directions; all but heavy.")
]
Seconds = Annotated[
    float | None, typer.Option("--seconds", metavar="S", help="Processor time to search; 60 by default.")
]
Jobs = Annotated[int, typer.Option("--jobs", metavar="J", min=1, help="Processes that measure problems.")]
Evaluations = Annotated[int | None, typer.Option("--evaluations", metavar="N", help="Problems to measure at most.")]


def one_claim(text: str) -> tuple[Claim, Selection]:
    """The claim meant by an id, FILE.py, or FILE.py:ID, and a selection that contains it.

    Raises UnknownClaim with near names, InvalidArgument where several are meant.
    """
    from verify.catalogue import Selection

    file, _, wanted = text.partition(".py:")
    selection = Selection.parse(f"{file}.py" if wanted else text)
    claims = [claim for claim in selection.claims() or [] if wanted in ("", claim.id)]
    if len(claims) != 1:
        ids = ", ".join(claim.id for claim in selection.claims() or [])
        raise InvalidArgument(f"{text!r} must name one claim, such as L3.time or FILE.py:ID; it stands among: {ids}")
    return claims[0], selection


def space_of(
    n: str,
    m: str,
    epsilon: str,
    regime: str | None,
    kappa: str | None,
    labels: str | None = None,
    directions: str | None = None,
) -> Space:
    """The space that the options describe. Raises InvalidArgument."""
    from verify.search.space import Space

    default = Space()
    return Space(
        n=_whole("--n", n),
        m=_whole("--m", m),
        epsilon=_range("--epsilon", epsilon),
        scale=_scale(regime, kappa),
        labels=_names(labels, default.labels),
        directions=_names(directions, default.directions),
    )


def _scale(regime: str | None, kappa: str | None) -> Scale:
    from verify.search.scales import Scale

    if regime is not None and kappa is not None:
        raise InvalidArgument("give --regime or --kappa, not both: each says how small λ is")
    if kappa is not None:
        return Scale("kappa", *_range("--kappa", kappa))
    return Scale("regime", *_range("--regime", regime or "1:10"))


def _names(text: str | None, default: tuple[str, ...]) -> tuple[str, ...]:
    return default if text is None else tuple(part.strip() for part in text.split(",") if part.strip())


def _range(name: str, text: str) -> tuple[float, float]:
    """LOW:HIGH, or one number for both.

    >>> _range("--kappa", "20:200")
    (20.0, 200.0)
    """
    low, _, high = text.partition(":")
    try:
        ends = float(low), float(high or low)
    except ValueError:
        ends = math.nan, math.nan
    if not all(map(math.isfinite, ends)):
        raise InvalidArgument(f"{name} = {text!r} must be LOW:HIGH such as 2:4, or one number")
    return ends


def _whole(name: str, text: str) -> tuple[int, int]:
    low, high = _range(name, text)
    if not (low.is_integer() and high.is_integer()):
        raise InvalidArgument(f"{name} = {text!r} must be whole numbers LOW:HIGH such as 2:4")
    return int(low), int(high)
