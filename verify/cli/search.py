"""`verify search CLAIM`: the smallest margin of a claim, and a counterexample where there is one."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from verify.cli import spaces
from verify.cli.interrupts import as_interrupt
from verify.cli.options import AsJson, Jobs
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
    from verify.search.bench import Bench
    from verify.search.evaluation import Evaluation
    from verify.search.run import Found

Which = Annotated[str, typer.Argument(metavar="CLAIM", help="Id of a claim, FILE.py, or FILE.py:ID.")]
First = Annotated[bool, typer.Option("--first", help="Stop at the first problem on which the claim fails.")]
Out = Annotated[
    Path | None, typer.Option("--out", metavar="DIR", help="Folder of the search; reports/latest/search/CLAIM.")
]
SECONDS = 60.0
SECONDS_PER_LINE = 30.0


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
    jobs: Jobs = 1,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """Minimise the margin of CLAIM over labels, directions, signs, ε and Λ where the claim should hold.

    Problems are drawn at first, then the best of them are followed downhill. A problem on which the claim fails is
    simplified and confirmed with 40 digits. Every evaluation is kept; the same command goes on where it was stopped,
    and a larger budget goes further. Ends with 1 when the claim is refuted.
    """
    from verify.search import folder as storage
    from verify.search.budget import Budget
    from verify.search.descend import MISSING, has_cma
    from verify.search.run import search

    chosen, selection = spaces.one_claim(claim)
    space = spaces.space_of(n, m, epsilon, regime, kappa, labels, directions)
    budget = Budget(SECONDS if seconds is None and evaluations is None else seconds, evaluations)
    folder = out or Path("reports/latest/search") / re.sub(r"[^\w.+-]", "_", chosen.id)
    if not has_cma():
        complain(MISSING)
    with closing(storage.opened(folder, chosen.id, space, seed, budget)), progress_of(chosen.id) as progress:
        with as_interrupt():
            found = search(
                chosen, selection, space, budget, folder, seed=seed, jobs=jobs or 1, first=first, progress=progress
            )
        summary = storage.write(folder, space, seed, budget, found, selection)
    if as_json:
        print_json(summary | {"folder": str(folder)})
    else:
        _print(found, folder)
    if found.interrupted:
        complain(f"interrupted after {found.evaluations} evaluations; the same command goes on")
    raise typer.Exit(_code(found))


def _code(found: Found) -> int:
    if found.interrupted:
        return INTERRUPTED
    if found.refuted:
        return SOMETHING_FAILED
    return ALL_HELD if found.worst is not None and found.worst.verdict == "HOLDS" else UNRESOLVED


def _print(found: Found, folder: Path) -> None:
    screen = console()
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
    elif found.worst is not None and not found.interrupted:
        screen.print("No counterexample was found; that proves nothing.")


def case_text(case: Evaluation) -> str:
    """Verdict, margin, and size of the problem."""
    from verify.report.formats import margin_text

    n, m = len(case.problem["y"]), len(case.problem["g"])
    margin = margin_text(case.margin, case.uncertainty)
    return f"{case.verdict} {margin} {case.scale}  n = {n}, m = {m}, Λ = {float(case.problem['minus_log_lambda']):g}"


class progress_of:
    """What a search has found so far: a status on a terminal, a line now and then elsewhere."""

    def __init__(self, name: str) -> None:
        self._name, self._screen = name, console(stderr=True)
        self._status: Any = self._screen.status(f"searching {name}") if self._screen.is_terminal else None
        self._last = time.monotonic()

    def __enter__(self) -> Callable[[Bench], None]:
        if self._status is not None:
            self._status.start()
        return self._show

    def __exit__(self, *_: object) -> None:
        if self._status is not None:
            self._status.stop()

    def _show(self, bench: Bench) -> None:
        now = time.monotonic()
        if now - self._last < (0.3 if self._status is not None else SECONDS_PER_LINE):
            return
        self._last = now
        best = next(iter(bench.ranking), None)
        smallest = f", smallest margin {best.margin:.4g} {best.scale}" if best is not None else ""
        spent = f"{min(bench.spent, 1):.0%} of the budget, {len(bench.seen)} evaluations"
        text = f"{self._name or bench.claim.id}: {spent}{smallest}"
        if self._status is not None:
            self._status.update(text)
        else:
            complain(text)
