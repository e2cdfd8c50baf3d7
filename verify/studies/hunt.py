"""A search for every claim, one after the other, with the same budget: where are they tightest, do any fail?"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from verify.campaign.version import code_version
from verify.catalogue import Selection
from verify.claim import Claim
from verify.errors import InvalidArgument
from verify.search import Budget, Found, Space, folder, search
from verify.search.bench import Bench

Progress = Callable[[Bench], None]


@dataclass(frozen=True)
class Hunt:
    """What to search, how, and where to keep it; ``budget`` is that of each claim.

    ``stop_after``: seconds of real time after which `run` ends as by Ctrl-C.
    """

    claims: Sequence[Claim]
    selection: Selection
    space: Space
    budget: Budget
    seed: int
    out: Path
    stop_after: float | None = None

    def run(self, progress: Progress, jobs: int = 1) -> Iterator[Found]:
        """What each search has found as it ends, each kept in its own folder; Ctrl-C ends the last one early.

        Claims whose search was never finished come first, then those that an older version of the code has searched;
        what this one has searched on no smaller budget is left out. A claim that cannot be measured says why.
        """
        limited = self._limited(progress)
        for claim in self._to_do():
            with closing(folder.opened(self.out / claim.id, claim.id, self.space, self.seed, self.budget)):
                found = self._searched(claim, limited, jobs)
                if not found.interrupted or (found.evaluations and not self._finished(claim)):
                    folder.write(self.out / claim.id, self.space, self.seed, self.budget, found, self.selection)
            yield found
            if found.interrupted:
                return

    def finished(self) -> list[Claim]:
        """The claims whose search was finished, by whatever version of the code."""
        return [claim for claim in self.claims if self._finished(claim)]

    def _finished(self, claim: Claim) -> str:
        return folder.finished(self.out / claim.id, claim.id, self.space, self.seed, self.budget)

    def _to_do(self) -> list[Claim]:
        now = code_version(self.selection)
        codes = {claim.id: self._finished(claim) for claim in self.claims}
        return sorted((c for c in self.claims if codes[c.id] != now), key=lambda claim: bool(codes[claim.id]))

    def _limited(self, progress: Progress) -> Progress:
        end = None if self.stop_after is None else time.monotonic() + self.stop_after

        def told(bench: Bench) -> None:
            progress(bench)
            if end is not None and time.monotonic() > end:
                raise KeyboardInterrupt

        return told

    def _searched(self, claim: Claim, progress: Progress, jobs: int) -> Found:
        options: dict[str, Any] = {"seed": self.seed, "jobs": jobs, "progress": progress}
        try:
            return search(claim, self.selection, self.space, self.budget, self.out / claim.id, **options)
        except InvalidArgument as error:
            return Found(claim, unmeasured=str(error))
