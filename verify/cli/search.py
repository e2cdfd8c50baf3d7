"""`verify search CLAIM`: the smallest margin of a claim, and a counterexample where there is one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from verify.cli import spaces
from verify.cli.interrupts import as_interrupt
from verify.cli.options import AsJson
from verify.cli.searching import progress_of
from verify.cli.terminal import (
    ALL_HELD,
    INTERRUPTED,
    SOMETHING_FAILED,
    UNRESOLVED,
    complain,
    console,
    print_json,
)

if TYPE_CHECKING:
    from verify.catalogue import Selection
    from verify.claim import Claim
    from verify.search.budget import Budget
    from verify.search.evaluation import Evaluation
    from verify.search.found import Found
    from verify.search.space import Space

Which = Annotated[str, typer.Argument(metavar="CLAIM", help="Id of a claim, FILE.py, or FILE.py:ID.")]
First = Annotated[bool, typer.Option("--first", help="Stop at the first problem on which the claim fails.")]
Out = Annotated[
    Path | None, typer.Option("--out", metavar="DIR", help="Folder of the search; reports/latest/search/CLAIM.")
]
Digits = Annotated[
    int, typer.Option("--digits", metavar="N", help="Decimal digits with which a counterexample is confirmed.")
]
ByWidth = Annotated[
    bool,
    typer.Option("--by-width", help="Share the budget among the widths; each begins with the worst case of the last."),
]
SECONDS = 60.0


def run(
    claim: Which,
    seconds: spaces.Seconds = None,
    evaluations: spaces.Evaluations = None,
    seed: spaces.Seed = 0,
    n: spaces.Inputs = spaces.INPUTS,
    m: spaces.Neurons = spaces.NEURONS,
    epsilon: spaces.Fraction = spaces.FRACTION,
    regime: spaces.InRegime = None,
    kappa: spaces.Kappa = None,
    labels: spaces.Labels = None,
    directions: spaces.Directions = None,
    first: First = False,
    digits: Digits = 40,
    by_width: ByWidth = False,
    jobs: spaces.Jobs = 1,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """Minimise the margin of CLAIM over labels, directions, signs, ε and Λ where the claim should hold.

    Problems are drawn at first, then the best of them are followed downhill. A problem on which the claim fails is
    simplified and confirmed with 40 digits. Every evaluation is kept; the same command goes on where it was stopped,
    and a larger budget goes further. Ends with 1 when the claim is refuted.
    """
    from verify.flow.multiprecision import check_digits
    from verify.search.budget import Budget
    from verify.search.descend import MISSING, has_cma

    chosen, selection = spaces.one_claim(claim)
    space = spaces.space_of(n, m, epsilon, regime, kappa, labels, directions)
    budget = Budget(SECONDS if seconds is None and evaluations is None else seconds, evaluations)
    check_digits(digits)
    folder = out or Path("reports/latest/search") / re.sub(r"[^\w.+-]", "_", chosen.id)
    if not has_cma():
        complain(MISSING)
    options: dict[str, Any] = {"seed": seed, "jobs": jobs, "first": first, "digits": digits}
    with progress_of(chosen.id) as progress, as_interrupt():
        found = list(_searches(chosen, selection, space, budget, folder, by_width, progress=progress, **options))
    if as_json:
        summaries = [_summary(place) for place, _ in found]
        print_json(summaries if by_width else summaries[0])
    else:
        for place, one in found:
            _print(one, place, asks_for_regime=kappa is None)
    _, last = found[-1]
    if last.interrupted:
        complain(f"interrupted after {last.evaluations} evaluations; the same command goes on")
    raise typer.Exit(_code([one for _, one in found]))


def _searches(
    claim: Claim, selection: Selection, space: Space, budget: Budget, folder: Path, by_width: bool, **options: Any
) -> Iterator[tuple[Path, Found]]:
    """One search, or one for each width, and where each is kept."""
    from verify.search import folder as storage
    from verify.search import widths
    from verify.search.run import search

    if by_width:
        for m, found in widths.by_width(claim, selection, space, budget, folder, **options):
            yield folder / f"m={m}", found
        return
    seed = options["seed"]
    with closing(storage.opened(folder, claim.id, space, seed, budget)):
        found = search(claim, selection, space, budget, folder, **options)
        storage.write(folder, space, seed, budget, found, selection)
    yield folder, found


def _summary(folder: Path) -> dict[str, Any]:
    """The summary of a search, for programs."""
    from verify.search import folder as storage

    return storage.read(folder) | {"folder": str(folder)}


def _code(found: list[Found]) -> int:
    if found[-1].interrupted:
        return INTERRUPTED
    if any(one.refuted for one in found):
        return SOMETHING_FAILED
    held = [one.worst is not None and one.worst.verdict == "HOLDS" for one in found if not one.unmeasured]
    return ALL_HELD if held and all(held) else UNRESOLVED


def _print(found: Found, folder: Path, asks_for_regime: bool) -> None:
    screen = console()
    if found.unmeasured:
        screen.print(f"{folder.name}: {found.unmeasured}", soft_wrap=True)
        return
    counts = ", ".join(f"{number} {verdict}" for verdict, number in sorted(found.verdicts.items()))
    screen.print(f"[bold]{found.claim.id}[/]  {found.claim.statement}", soft_wrap=True)
    screen.print(f"{found.evaluations} evaluations in {found.seconds:.0f} s of processor time: {counts or 'none'}")
    for name, words, case in (
        ("worst", "smallest margin", found.worst),
        ("simplest", "simplest such case", found.simplest),
        ("", "with more digits", found.confirmed),
    ):
        if case is not None:
            where = f"verify replay {folder / name}.json" if name else f"{case.digits} digits"
            screen.print(f"[bold]{words:<19}[/]{case_text(case)}   {where}", soft_wrap=True)
    if found.refuted:
        screen.print("[bold red]The claim is false[/] on the simplest case above.")
        if not asks_for_regime:
            screen.print("With --kappa nothing asks whether λ is as small there as the proof wants it.")
    elif found.worst is not None and not found.interrupted:
        screen.print("No counterexample was found; that proves nothing.")


def case_text(case: Evaluation) -> str:
    """Verdict, margin, and size of the problem."""
    from verify.report.formats import margin_text

    n, m = len(case.problem["y"]), len(case.problem["g"])
    margin = margin_text(case.margin, case.uncertainty)
    return f"{case.verdict} {margin} {case.scale}  n = {n}, m = {m}, Λ = {float(case.problem['minus_log_lambda']):g}"
