"""A search from beginning to end: draw, descend, confirm with more digits, simplify; the best so far is never lost."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

from verify.campaign.executors import executor
from verify.campaign.version import code_version
from verify.catalogue import Selection
from verify.claim import Claim
from verify.dataset import Dataset
from verify.errors import InvalidArgument
from verify.initialisation import Initialisation
from verify.problem import Problem
from verify.search.bench import Bench, Objective
from verify.search.budget import Budget
from verify.search.descend import descend
from verify.search.draw import draw
from verify.search.evaluation import Evaluation, evaluate
from verify.search.record import NAME, Record
from verify.search.shrink import shrink
from verify.search.space import Space

DRAWN = 0.3
"""Share of the budget for the first stage."""
CONFIRMING = 40
"""Digits with which a counterexample is confirmed."""
MOST_DECIDED = 20
"""So many of the smallest margins are measured with more digits, until one of them is decided."""
TRIALS = 300
"""So many candidates are tried to simplify a counterexample; a case that holds gets half as many as were searched."""
REMEMBERED, REMEMBERING = 20, 0.1
"""So many of the smallest margins that an older version of the code found are looked at again, for this share of the
budget at most."""
NEAR = 0.05
"""Where a claim holds everywhere, the simple case may have a margin larger by this share of it."""


@dataclass
class Found:
    """What a search has found.

    - ``worst``: the evaluation with the smallest margin; None where nothing was measured.
    - ``simplest``: a simplified one that shows the same; None before there is one.
    - ``confirmed``: the simplest one in more digits, where the claim fails; None otherwise.
    - ``scaled``: the smallest margin over ε, if it is a relative slack, or over κ; None where none was decided.
    - ``verdicts``, ``evaluations``, ``seconds``: what was spent, the last one processor time. ``interrupted``: whether
      Ctrl-C ended it. ``unmeasured``: why there is nothing to search.
    """

    claim: Claim
    worst: Evaluation | None = None
    simplest: Evaluation | None = None
    confirmed: Evaluation | None = None
    scaled: float | None = None
    verdicts: dict[str, int] = field(default_factory=dict)
    evaluations: int = 0
    seconds: float = 0.0
    interrupted: bool = False
    unmeasured: str = ""

    @property
    def refuted(self) -> bool:
        """Whether the claim fails on a problem of the space, also in more digits."""
        return self.confirmed is not None and self.confirmed.verdict == "FAILS"


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
    starts: Sequence[Problem] = (),
    progress: Callable[[Bench], None] = lambda bench: None,
) -> Found:
    """Look for the smallest margin of a claim over a space of problems, in float64, and keep every evaluation.

    ``selection`` must contain the claim. ``first``: stop at the first problem on which the claim fails. ``objective``:
    what to make small instead of the margin. ``simplify``: whether to look for a simple case. ``starts``: problems to
    look at first; those outside the space are left out. A search with the same arguments and the same ``folder`` goes
    on where it was, after a change of the code from the best problems found before; Ctrl-C returns what was found.
    Raises InvalidArgument when the hypotheses of the claim hold on none of the problems drawn.
    """
    _warm_up(claim, selection)
    record = Record(folder / NAME, code_version(selection))
    with closing(record), closing(executor(jobs, None)) as pool:
        bench = Bench(claim, selection, budget, record, pool)
        bench.objectives = bench.objectives if objective is None else (objective,)
        found = Found(claim)
        try:
            _look(bench, space, seed, _remembered(bench, space, starts), first, progress)
            _conclude(bench, space, found, selection, simplify)
        except KeyboardInterrupt:
            found.interrupted = True
            found.worst = found.worst or next(iter(bench.ranking), None)
        found.verdicts, found.evaluations = dict(bench.verdicts), len(bench.seen)
        found.seconds, found.scaled = bench.elapsed, bench.smallest_scaled
        return found


def _warm_up(claim: Claim, selection: Selection) -> None:
    """Have all loops compiled before the clock starts, which may take longer than a small budget."""
    start = Initialisation([[1, 1], [-1, 1]], [1, -1], minus_log_lambda=10_000)
    evaluate(Problem(Dataset.standard([2, -1]), start).to_json(), selection, claim.id, None, "warm-up")


def _remembered(bench: Bench, space: Space, starts: Sequence[Problem]) -> list[Problem]:
    """The problems to begin with: those given, and the best of an older version of the code by each objective."""
    best = list(starts)
    for objective in bench.objectives:
        measured = [one for one in bench.record.older if objective(one) < math.inf]
        best += [Problem.from_json(one.problem) for one in sorted(measured, key=objective)[:REMEMBERED]]
    oriented = {problem.key: problem.oriented() for problem in best}
    return [problem for problem in oriented.values() if space.admits(problem, bench.claim)]


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


def _conclude(bench: Bench, space: Space, found: Found, selection: Selection, simplify: bool) -> None:
    """Decide the worst case with more digits and simplify it; what digits deny or leave open is passed over."""
    worst, decided = _first_decided(bench.ranking, selection, found.claim)
    found.worst = found.simplest = decided
    if simplify and decided is worst and decided.verdict != "UNRESOLVED":
        _simplify(bench, space, found)
    if decided.verdict == "FAILS" and found.simplest is not None:
        found.confirmed = _decided(found.simplest, selection, found.claim)


def _first_decided(ranking: list[Evaluation], selection: Selection, claim: Claim) -> tuple[Evaluation, Evaluation]:
    """The first case of a ranking that is decided, as it was ranked and as it is known; the very first if none is."""
    asked = 0
    for case in ranking:
        if case.verdict == "HOLDS":
            return case, case
        if asked < MOST_DECIDED:
            asked += 1
            known = _decided(case, selection, claim)
            if known.verdict == "FAILS":
                return case, case if case.verdict == "FAILS" else known
            if known.verdict == "HOLDS" and case.verdict == "UNRESOLVED":
                return case, known
    return ranking[0], replace(ranking[0], verdict="UNRESOLVED", reason="more digits deny or do not decide it")


def _decided(case: Evaluation, selection: Selection, claim: Claim) -> Evaluation:
    """A case with more digits: a failure with 40, an unresolved one with as many as may decide it."""
    if case.verdict == "HOLDS":
        return case
    digits = CONFIRMING if case.verdict == "FAILS" else "auto"
    return evaluate(case.problem, selection, claim.id, digits, "confirm")


def _simplify(bench: Bench, space: Space, found: Found) -> None:
    worst = found.worst
    assert worst is not None

    def keeps(problem: Problem) -> bool:
        (one,) = bench.measure([problem], "shrink")
        if _same(worst, one):
            found.simplest = one
            return True
        return False

    most = TRIALS if worst.verdict == "FAILS" else min(TRIALS, len(bench.seen) // 2)
    shrink(Problem.from_json(worst.problem), lambda problem: space.admits(problem, found.claim), keeps, most)


def _same(worst: Evaluation, other: Evaluation) -> bool:
    """Whether another case shows what the worst one shows: a failure, or nearly as small a margin."""
    if worst.verdict == "FAILS":
        return other.verdict == "FAILS"
    most = worst.score + NEAR * abs(worst.score) if math.isfinite(worst.score) else math.inf
    return worst.scale == other.scale and other.score <= most
