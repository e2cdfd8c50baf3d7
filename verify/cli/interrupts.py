"""A polite request to end is treated as Ctrl-C."""

from __future__ import annotations

import signal


class as_interrupt:
    """While inside, a polite request to end (SIGTERM) is a Ctrl-C."""

    def __enter__(self) -> None:
        self._before = signal.signal(signal.SIGTERM, signal.default_int_handler)

    def __exit__(self, *_: object) -> None:
        signal.signal(signal.SIGTERM, self._before)
