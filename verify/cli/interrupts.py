"""A polite request to end is treated as Ctrl-C, and Ctrl-C in a compiled loop as Ctrl-C."""

from __future__ import annotations

import signal

from verify.errors import was_interrupted


class as_interrupt:
    """While inside, a polite request to end (SIGTERM) is a Ctrl-C, and so is what compiled code makes of one."""

    def __enter__(self) -> None:
        self._before = signal.signal(signal.SIGTERM, signal.default_int_handler)

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        signal.signal(signal.SIGTERM, self._before)
        if isinstance(error, SystemError) and was_interrupted(error):
            raise KeyboardInterrupt from error
