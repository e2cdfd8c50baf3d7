"""`verify threshold`: from which Λ on claims hold, on one problem or over sizes."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from verify.cli.interrupts import as_interrupt
from verify.cli.options import AsJson, Claims, Digits, claims_of, digits_of
from verify.cli.terminal import (
    ALL_HELD,
    INTERRUPTED,
    SOMETHING_FAILED,
    complain,
    console,
    plain_table,
    print_json,
    records,
    working,
)
from verify.errors import InvalidArgument

if TYPE_CHECKING:
    from verify.search.threshold import Threshold

File = Annotated[
    Path | None, typer.Argument(metavar="[FILE.json]", help="A problem; without one, sizes are gone through.")
]
Inputs = Annotated[str, typer.Option("--n", metavar="N,...", help="Numbers of inputs, without FILE.")]
Neurons = Annotated[str, typer.Option("--m", metavar="M,...", help="Numbers of neurons, without FILE.")]
Repeats = Annotated[int, typer.Option("--repeats", metavar="R", min=1, help="Problems of each size, without FILE.")]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Of the directions, without FILE.")]
Out = Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder of the report, without FILE.")]


def run(
    file: File = None,
    claims: Claims = None,
    digits: Digits = "auto",
    n: Inputs = "2,3,4,5,6,7,8",
    m: Neurons = "8,32,128,512",
    repeats: Repeats = 3,
    seed: Seed = 0,
    out: Out = Path("reports/threshold"),
    as_json: AsJson = False,
) -> None:
    """Find Λ*, the smallest Λ = −ln λ from which on the claims hold, by bisection, and the explicit sufficient one.

    With FILE.json: on that problem, for --claims or for all that depend on λ; Ctrl-C prints what is known so far.
    Without: report how λ* depends on the numbers of inputs and neurons, in DIR; stopped, the same command goes on.
    """
    if file is not None:
        _one(file, claims, digits_of(digits), as_json)
    elif claims is not None:
        raise InvalidArgument("--claims goes with FILE.json; without one, the groups of claims are fixed")
    else:
        _sizes(_numbers("--n", n), _numbers("--m", m), repeats, seed, out, as_json)


def _one(file: Path, claims: str | None, digits: int | str, as_json: bool) -> None:
    from verify.problem import Problem
    from verify.search.threshold import scaled_claims, threshold

    problem, chosen = Problem.from_json(file), claims_of(claims) or scaled_claims()
    with working(f"bisecting {file}"), as_interrupt():
        found = threshold(problem, chosen, digits=digits)
    if found.interrupted and not math.isfinite(found.minus_log_lambda):
        raise KeyboardInterrupt
    if as_json:
        print_json(_record(problem.key, found))
    else:
        _print(problem.epsilon, found)
    if found.interrupted:
        complain("interrupted: Λ* is at most that, if nothing fails between the scales looked at")
        raise typer.Exit(INTERRUPTED)
    raise typer.Exit(ALL_HELD if math.isfinite(found.minus_log_lambda) else SOMETHING_FAILED)


def _record(key: str, found: Threshold) -> dict[str, Any]:
    names = ("minus_log_lambda", "failing", "claim", "reason", "sufficient", "condition", "ratio", "interrupted")
    values = {name: getattr(found, name) for name in names}
    return {"problem": key} | values | {"scales": [[scale, list(bad)] for scale, bad in found.scales.items()]}


def _print(epsilon: float, found: Threshold) -> None:
    screen, star = console(), found.minus_log_lambda
    lower = f"{found.claim} does not hold at {found.failing:.6g} ({found.reason})" if found.claim else "nothing fails"
    if math.isfinite(star):
        sign = "≤ " if found.interrupted else ""
        screen.print(f"[bold]Λ*[/]          {sign}{star:.6g}   κ* = εΛ* = {epsilon * star:.4g}; below it, {lower}")
    else:
        screen.print(f"[bold]Λ*[/]          none: {lower}", soft_wrap=True)
    ratio = f", {found.ratio:.3g} times Λ*" if math.isfinite(star) else ""
    screen.print(f"[bold]sufficient[/]  {found.sufficient:.6g}{ratio}, asked for by {found.condition}")
    above = sum(scale > star for scale in found.scales)
    screen.print(f"[bold]looked at[/]   {len(found.scales)} scales, {above} above Λ*, up to {max(found.scales):.4g}")


def _sizes(n: tuple[int, ...], m: tuple[int, ...], repeats: int, seed: int, out: Path, as_json: bool) -> None:
    import pandas as pd

    from verify.cli.progress import tracked
    from verify.report.provenance import Provenance
    from verify.studies.threshold import Study
    from verify.studies.threshold_page import medians, slopes, write

    study, rows = Study(n, m, repeats, seed), pd.DataFrame()
    stopped = False

    def steps() -> Any:
        nonlocal rows
        for rows in study.run(out):  # noqa: B007
            yield 1

    try:
        with as_interrupt():
            for _ in tracked(steps(), 0, len(study.cases()), "bisecting"):
                pass
    except KeyboardInterrupt:
        stopped = True
    if rows.empty:
        raise KeyboardInterrupt
    paths = write(rows, out, Provenance.collect(seed, digits=None))
    if as_json:
        print_json({"slopes": records(slopes(rows)), "files": [str(path) for path in paths]})
    else:
        console().print(plain_table(medians(rows)))
        console().print(plain_table(slopes(rows)))
    if stopped:
        complain(f"interrupted after {len(rows)} of {len(study.cases())}; the same command goes on")
        raise typer.Exit(INTERRUPTED)


def _numbers(name: str, text: str) -> tuple[int, ...]:
    """Whole numbers between commas.

    >>> _numbers("--n", "2,4")
    (2, 4)
    """
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not parts or not all(part.isascii() and part.isdigit() for part in parts):
        raise InvalidArgument(f"{name} = {text!r} must be whole numbers between commas, such as 2,4,8")
    return tuple(map(int, parts))
