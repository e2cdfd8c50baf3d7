"""Problems measured once for many claims: all that are at home at the same Λ share what a trajectory costs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from verify.campaign.version import code_version
from verify.catalogue import Selection
from verify.claim import Claim
from verify.problem import Problem
from verify.search.budget import Budget
from verify.search.evaluation import POOLED, together, warm_up
from verify.search.record import NAME, Record
from verify.search.space import Space


@dataclass
class _Member:
    """A claim of a pool, its record, and what it has had of the pool."""

    claim: Claim
    record: Record
    seconds: float = 0.0
    count: int = 0

    def __post_init__(self) -> None:
        for one in self.record.known.values():
            if one.stage == POOLED:
                self.seconds, self.count = max(self.seconds, one.elapsed), self.count + 1


def fill(
    claims: Sequence[Claim],
    selection: Selection,
    space: Space,
    budget: Budget,
    folder: Path,
    seed: int,
    enough: Callable[[], bool],
) -> None:
    """Draw problems and measure all claims on each, until each has had its budget, or it is enough.

    ``claims`` must have the same `conditions_of`, so that a Λ suits all of them. What is measured goes to the claims'
    own records, ``folder``/CLAIM, where their searches find it; the same call goes on where it was stopped.
    """
    for claim in claims:
        warm_up(claim, selection)
    with ExitStack() as stack:
        code = code_version(selection)
        records = [stack.enter_context(closing(Record(folder / claim.id / NAME, code))) for claim in claims]
        members = [_Member(claim, record) for claim, record in zip(claims, records, strict=True)]
        number = min(member.count for member in members)
        while not enough():
            left = [member for member in members if budget.spent(member.seconds, member.count) < 1]
            if not left:
                return
            problem = space.drawn(np.random.default_rng([seed, number]), left[0].claim)
            number += 1
            fresh = [member for member in left if problem.key not in member.record.known]
            if fresh and space.admits(problem, fresh[0].claim):
                _measure(problem, fresh)


def _measure(problem: Problem, members: list[_Member]) -> None:
    found = together(problem, [member.claim for member in members], POOLED)
    for member, one in zip(members, found, strict=True):
        member.seconds, member.count = member.seconds + one.seconds, member.count + 1
        member.record.add(replace(one, elapsed=member.seconds))
