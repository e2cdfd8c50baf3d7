"""A search for every claim, one after the other, with the same budget: where are they tightest, do any fail?"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from verify.campaign.version import code_version
from verify.catalogue import Selection
from verify.claim import Claim
from verify.errors import InvalidArgument
from verify.search import Budget, Found, Space, folder, search
from verify.search.bench import Bench
from verify.search.pool import fill
from verify.search.scales import conditions_of

Progress = Callable[[Bench], None]
POOLS = 10
"""One part in so many of each budget is for problems that many claims are measured on."""


@dataclass(frozen=True)
class Hunt:
    """What to search, how, and where to keep it; ``budget`` is that of each claim.

    ``stop_after``: seconds of real time after which `run` ends as by Ctrl-C. ``note``: told what begins.
    """

    claims: Sequence[Claim]
    selection: Selection
    space: Space
    budget: Budget
    seed: int
    out: Path
    stop_after: float | None = None
    note: Callable[[str], None] = lambda text: None

    def run(self, progress: Progress, jobs: int = 1) -> Iterator[Found]:
        """What each search has found as it ends, each kept in its own folder; Ctrl-C ends the last one early.

        Before the first claim of a part of the proof all of that part are measured on problems drawn for them together,
        for a tenth of their budgets.

        Claims whose search was never finished come first, then those that an older version of the code has searched;
        what this one has searched on no smaller budget is left out. A claim that cannot be measured says why.
        """
        over, to_do, filled = self._timer(), self._to_do(), set[tuple[str, ...]]()

        def limited(bench: Bench) -> None:
            progress(bench)
            if over():
                raise KeyboardInterrupt

        for claim in to_do:
            part = conditions_of(claim)
            if part not in filled:
                filled.add(part)
                if not self._filled([other for other in to_do if conditions_of(other) == part], over):
                    yield Found(claim, interrupted=True)
                    return
            with closing(self._opened(claim)):
                found = self._searched(claim, limited, jobs)
                if not found.interrupted or (found.evaluations and not self._finished(claim)):
                    folder.write(self.out / claim.id, self.space, self.seed, self.budget, found, self.selection)
            yield found
            if found.interrupted:
                return

    def merge(self, other: Path) -> list[Claim]:
        """Take over what another hunt, with the same seed and space, has searched for longer; of which claims."""
        taken = []
        for claim in self.claims:
            with closing(self._opened(claim)):
                if folder.take_over(self.out / claim.id, other / claim.id, claim.id, self.space, self.seed):
                    taken.append(claim)
        return taken

    def finished(self) -> list[Claim]:
        """The claims whose search was finished, by whatever version of the code."""
        return [claim for claim in self.claims if self._finished(claim)]

    def _finished(self, claim: Claim) -> str:
        return folder.finished(self.out / claim.id, claim.id, self.space, self.seed, self.budget)

    def _to_do(self) -> list[Claim]:
        now = code_version(self.selection)
        codes = {claim.id: self._finished(claim) for claim in self.claims}
        return sorted((c for c in self.claims if codes[c.id] != now), key=lambda claim: bool(codes[claim.id]))

    def _timer(self) -> Callable[[], bool]:
        end = math.inf if self.stop_after is None else time.monotonic() + self.stop_after
        return lambda: time.monotonic() > end

    def _filled(self, claims: Sequence[Claim], over: Callable[[], bool]) -> bool:
        """Measure claims of one part on problems drawn for them together; whether it was not stopped."""
        if len(claims) > 1:
            self.note(f"{len(claims)} claims on problems drawn for all of them")
            with ExitStack() as stack:
                for claim in claims:
                    stack.enter_context(closing(self._opened(claim)))
                try:
                    fill(claims, self.selection, self.space, self.budget.shared(POOLS), self.out, self.seed, over)
                except KeyboardInterrupt:
                    return False
        return not over()

    def _opened(self, claim: Claim) -> IO[str]:
        return folder.opened(self.out / claim.id, claim.id, self.space, self.seed, self.budget)

    def _searched(self, claim: Claim, progress: Progress, jobs: int) -> Found:
        options: dict[str, Any] = {"seed": self.seed, "jobs": jobs, "progress": progress}
        try:
            return search(claim, self.selection, self.space, self.budget, self.out / claim.id, **options)
        except InvalidArgument as error:
            return Found(claim, unmeasured=str(error))
