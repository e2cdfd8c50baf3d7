"""The end of a search: the worst case decided with more digits, and simplified."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from verify.catalogue import Selection
from verify.claim import Claim
from verify.problem import Problem
from verify.search.bench import Bench
from verify.search.evaluation import Evaluation, evaluate
from verify.search.found import Found
from verify.search.shrink import shrink
from verify.search.space import Space

CONFIRMING = 40
"""Digits with which a counterexample is confirmed, unless others are asked for."""
MOST_DECIDED = 20
"""So many of the smallest margins are measured with more digits, until one of them is decided."""
TRIALS = 300
"""So many candidates are tried to simplify a counterexample; a case that holds gets half as many as were searched."""
NEAR = 0.05
"""Where a claim holds everywhere, the simple case may have a margin larger by this share of it."""


@dataclass(frozen=True)
class Decider:
    """A claim, and the digits with which a failure is confirmed."""

    claim: Claim
    selection: Selection
    digits: int

    def __call__(self, case: Evaluation) -> Evaluation:
        """A case with more digits: a failure with those asked for, an unresolved one with as many as may decide it."""
        if case.verdict == "HOLDS":
            return case
        digits = self.digits if case.verdict == "FAILS" else "auto"
        return evaluate(case.problem, self.selection, self.claim.id, digits, "confirm")


def conclude(bench: Bench, space: Space, found: Found, decide: Decider, simplify: bool) -> None:
    """Decide the worst case with more digits and simplify it; what digits deny or leave open is passed over."""
    worst, decided = _first_decided(bench.ranking, decide)
    found.worst = found.simplest = decided
    if simplify and decided is worst and decided.verdict != "UNRESOLVED":
        _simplify(bench, space, found)
    if decided.verdict == "FAILS" and found.simplest is not None:
        found.confirmed = decide(found.simplest)


def _first_decided(ranking: list[Evaluation], decide: Decider) -> tuple[Evaluation, Evaluation]:
    """The first case of a ranking that is decided, as it was ranked and as it is known; the very first if none is."""
    asked = 0
    for case in ranking:
        if case.verdict == "HOLDS":
            return case, case
        if asked < MOST_DECIDED:
            asked += 1
            known = decide(case)
            if known.verdict == "FAILS":
                return case, case if case.verdict == "FAILS" else known
            if known.verdict == "HOLDS" and case.verdict == "UNRESOLVED":
                return case, known
    return ranking[0], replace(ranking[0], verdict="UNRESOLVED", reason="more digits deny or do not decide it")


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
