"""What all stages of a search share: measuring each problem once, keeping it, counting what is spent."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

from verify.campaign.dispatch import Dispatcher
from verify.campaign.executors import Executor
from verify.campaign.run import DEAD
from verify.catalogue import Selection
from verify.claim import Claim
from verify.problem import Problem
from verify.search.budget import Budget
from verify.search.evaluation import Evaluation, evaluate, unmeasured
from verify.search.record import Record

Objective = Callable[[Evaluation], float]
"""What a search makes small; infinite where nothing was measured."""


class Bench:
    """Measures one claim for a search, in float64.

    ``seen``: the evaluations asked for so far, by key. ``objectives``: what to make small, the first of which decides
    what is smallest in the end; all of them find failures. The stages are deterministic, so that a search that is run
    again asks for the same problems: those of the record cost nothing, and the clock goes on as it went before.
    """

    def __init__(self, claim: Claim, selection: Selection, budget: Budget, record: Record, executor: Executor) -> None:
        self.claim, self.budget, self.record = claim, budget, record
        self.objectives: Sequence[Objective] = (
            lambda evaluation: evaluation.score,
            lambda evaluation: evaluation.scaled_score,
        )
        self.seen: dict[str, Evaluation] = {}
        self._selection, self._executor = selection, executor
        self._clock = 0.0
        self._began, self._offset = time.monotonic(), record.elapsed

    @property
    def spent(self) -> float:
        """The share of the budget that is used up."""
        return self.budget.spent(self._clock, len(self.seen))

    @property
    def elapsed(self) -> float:
        """Seconds since the search began, interruptions left out."""
        return self._clock

    @property
    def ranking(self) -> list[Evaluation]:
        """The measured ones, the smallest first; equally small ones in the order in which they were found."""
        return self.ranked(self.objectives[0])

    def ranked(self, objective: Objective) -> list[Evaluation]:
        """The same by another objective."""
        values = {one.key: objective(one) for one in self.seen.values()}
        return sorted(
            (one for one in self.seen.values() if values[one.key] < math.inf), key=lambda one: values[one.key]
        )

    @property
    def verdicts(self) -> Counter[str]:
        """How often each verdict was given."""
        return Counter(one.verdict for one in self.seen.values())

    def measure(self, problems: Sequence[Problem], stage: str) -> list[Evaluation]:
        """The claim on each of the problems, in their order; new ones are measured in parallel and kept."""
        fresh = {p.key: p for p in problems if p.key not in self.seen and p.key not in self.record.known}
        dispatcher: Dispatcher[Problem] = Dispatcher(
            self._executor,
            work=lambda items: (evaluate, items[0].to_json(), self._selection, self.claim.id, None, stage),
            dead=lambda problem: unmeasured(problem, stage, DEAD),
            chunk=1,
        )
        for _, found in dispatcher.outcomes(iter(fresh.values())):
            self.record.add(replace(found, elapsed=self._offset + time.monotonic() - self._began))
        for problem in problems:
            self.seen.setdefault(problem.key, self.record.known[problem.key])
            self._clock = max(self._clock, self.seen[problem.key].elapsed)
        return [self.seen[problem.key] for problem in problems]
