"""What a search has found so far, shown while it goes on."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from verify.cli.terminal import complain, console

if TYPE_CHECKING:
    from verify.search.bench import Bench

SECONDS_PER_LINE = 30.0


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
