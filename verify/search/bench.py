"""What all stages of a search share: measuring each problem once, keeping it, counting what is spent."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from verify.campaign.dispatch import Dispatcher
from verify.campaign.executors import Executor, Here
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
    again asks for the same problems: those of the record cost nothing, and the clock goes on as it went before. It
    counts processor time: that of this process while it looks for new problems, and that of the workers.
    """

    def __init__(self, claim: Claim, selection: Selection, budget: Budget, record: Record, executor: Executor) -> None:
        self.claim, self.budget, self.record = claim, budget, record
        self.objectives: Sequence[Objective] = (
            lambda evaluation: evaluation.score,
            lambda evaluation: evaluation.scaled_score,
        )
        self.seen: dict[str, Evaluation] = {}
        self._selection, self._executor = selection, executor
        self._clock, self._mark = 0.0, time.process_time()

    @property
    def spent(self) -> float:
        """The share of the budget that is used up."""
        return self.budget.spent(self._clock, len(self.seen))

    @property
    def elapsed(self) -> float:
        """Processor seconds behind what the record holds, those of a smaller budget before not added."""
        return max((one.elapsed for one in self.record.known.values()), default=self._clock)

    @property
    def ranking(self) -> list[Evaluation]:
        """Everything that the record holds, also of a smaller budget before: the smallest margin first."""
        return _ranked(self.record.known.values(), self.objectives[0])

    def ranked(self, objective: Objective) -> list[Evaluation]:
        """The cases asked for so far by an objective, equally small ones in the order in which they were found."""
        return _ranked(self.seen.values(), objective)

    @property
    def smallest_scaled(self) -> float | None:
        """The smallest `Evaluation.scaled_score` of everything that was decided; None for nothing."""
        decided = [one.scaled_score for one in self.record.known.values() if one.verdict in ("HOLDS", "FAILS")]
        return min(decided, default=None)

    @property
    def verdicts(self) -> Counter[str]:
        """How often each verdict was given to what this run has asked for."""
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
        known = [self.record.known[problem.key].elapsed for problem in problems if problem.key not in fresh]
        clock = max([self._clock, *known])
        for _, found in dispatcher.outcomes(iter(fresh.values())):
            clock += self._taken(found)
            self.record.add(replace(found, elapsed=clock))
        for problem in problems:
            self.seen.setdefault(problem.key, self.record.known[problem.key])
        self._clock, self._mark = clock, time.process_time()
        return [self.seen[problem.key] for problem in problems]

    def _taken(self, found: Evaluation) -> float:
        """Processor time since the last evaluation, with that of a worker elsewhere."""
        now = time.process_time()
        own, self._mark = now - self._mark, now
        return own if isinstance(self._executor, Here) else own + found.seconds


def _ranked(cases: Iterable[Evaluation], objective: Objective) -> list[Evaluation]:
    measured = [(value, one) for one in cases if (value := objective(one)) < math.inf]
    return [one for _, one in sorted(measured, key=lambda pair: pair[0])]
