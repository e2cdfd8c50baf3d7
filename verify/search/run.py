"""A search from beginning to end: draw, descend, confirm with more digits, simplify; the best so far is never lost."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

from verify.campaign.executors import executor
from verify.campaign.version import code_version
from verify.catalogue import Selection
from verify.claim import Claim
from verify.errors import InvalidArgument
from verify.problem import Problem
from verify.search.bench import Bench, Objective
from verify.search.budget import Budget
from verify.search.conclude import CONFIRMING, Decider, conclude
from verify.search.descend import descend
from verify.search.draw import draw
from verify.search.evaluation import POOLED, warm_up
from verify.search.found import Found
from verify.search.record import NAME, Record
from verify.search.space import Space

DRAWN = 0.3
"""Share of the budget for the first stage."""
REMEMBERED, REMEMBERING = 20, 0.2
"""So many of the smallest margins that an older version of the code or a pool has found are where a search begins, up
to this share of the budget."""


def search(
    claim: Claim,
    selection: Selection,
    space: Space,
    budget: Budget,
    folder: Path,
    *,
    seed: int = 0,
    jobs: int = 1,
    first: bool = False,
    objective: Objective | None = None,
    simplify: bool = True,
    digits: int = CONFIRMING,
    starts: Sequence[Problem] = (),
    progress: Callable[[Bench], None] = lambda bench: None,
) -> Found:
    """Look for the smallest margin of a claim over a space of problems, in float64, and keep every evaluation.

    - ``selection`` must contain the claim. ``first``: stop at the first problem on which the claim fails.
    - ``objective``: what to make small instead of the margin. ``simplify``: whether to look for a simple case.
    - ``digits``: with how many a counterexample is confirmed.
    - ``starts``: problems to look at first, at a Λ of the space; others that are outside it are left out.

    A search with the same arguments and the same ``folder`` goes on where it was, after a change of the code from the
    best problems found before; Ctrl-C returns what was found.
    Raises InvalidArgument when the hypotheses of the claim hold on none of the problems drawn.
    """
    warm_up(claim, selection)
    record = Record(folder / NAME, code_version(selection))
    with closing(record), closing(executor(jobs, None)) as pool:
        bench = Bench(claim, selection, budget, record, pool)
        bench.objectives = bench.objectives if objective is None else (objective,)
        found = Found(claim)
        try:
            _look(bench, space, seed, _remembered(bench, space, starts), first, progress)
            conclude(bench, space, found, Decider(claim, selection, digits), simplify)
        except KeyboardInterrupt:
            found.interrupted = True
            found.worst = found.worst or next(iter(bench.ranking), None)
        found.verdicts = dict(Counter(one.verdict for one in record.known.values()))
        found.evaluations, found.seconds = len(record.known), bench.elapsed
        found.scaled = bench.smallest_scaled
        return found


def _remembered(bench: Bench, space: Space, starts: Sequence[Problem]) -> list[Problem]:
    """The problems to begin with: those given, and by each objective the best of a pool or of an older code."""
    best = list(starts)
    before = [*bench.record.older, *(one for one in bench.record.known.values() if one.stage == POOLED)]
    for objective in bench.objectives:
        measured = [one for one in before if objective(one) < math.inf]
        best += [Problem.from_json(one.problem) for one in sorted(measured, key=objective)[:REMEMBERED]]
    inside = [space.brought_in(problem, bench.claim) for problem in best]
    return list({problem.key: problem for problem in inside if problem is not None}.values())


def _look(
    bench: Bench,
    space: Space,
    seed: int,
    starts: Sequence[Problem],
    first: bool,
    progress: Callable[[Bench], None],
) -> None:
    def enough() -> bool:
        progress(bench)
        return first and bool(bench.verdicts["FAILS"])

    for problem in starts:
        if enough() or bench.spent >= REMEMBERING:
            break
        bench.measure([problem], "again")
    draw(bench, space, seed, DRAWN, enough)
    if not bench.ranking:
        raise InvalidArgument(_nothing_measured(bench))
    descend(bench, space, seed, enough)


def _nothing_measured(bench: Bench) -> str:
    reasons = [one.reason for one in bench.seen.values()]
    usual = max(set(reasons), key=reasons.count) if reasons else "nothing was drawn"
    return (
        f"claim {bench.claim.id}: in none of the {len(reasons)} problems drawn from this space could it be measured; "
        f"most often because: {usual}"
    )
