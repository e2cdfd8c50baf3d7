"""Progress of a long run on stderr: a bar with rate and time left on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterable

from verify.cli.terminal import complain, console

SECONDS_PER_LINE = 60.0


def tracked(steps: Iterable[int], done: int, total: int, what: str = "checking problems") -> Generator[int]:
    """The steps, each worth as many problems as it says, with their progress shown; ``done`` were there before."""
    screen = console(stderr=True)
    yield from (_bar(steps, done, total, what) if screen.is_terminal else _lines(steps, done, total))


def _bar(steps: Iterable[int], done: int, total: int, what: str) -> Generator[int]:
    from rich import progress as bar

    class Rate(bar.ProgressColumn):
        def render(self, task: bar.Task) -> str:
            return rate_text(task.speed or 0.0)

    columns = bar.TextColumn(what), bar.BarColumn(), bar.MofNCompleteColumn(), Rate()
    times = bar.TimeElapsedColumn(), bar.TimeRemainingColumn()
    with bar.Progress(*columns, *times, console=console(stderr=True), speed_estimate_period=120) as progress:
        task = progress.add_task("", total=total, completed=done)
        for step in steps:
            progress.advance(task, step)
            yield step


def _lines(steps: Iterable[int], done: int, total: int) -> Generator[int]:
    began = last = time.monotonic()
    new = 0
    for step in steps:
        new += step
        now = time.monotonic()
        if now - last > SECONDS_PER_LINE:
            rate, last = new / (now - began), now
            left = (total - done - new) / rate
            complain(f"{done + new} of {total} problems, {rate_text(rate)}, {duration(left)} left")
        yield step


def rate_text(per_second: float) -> str:
    """Such as ``4.2/s`` or ``12/min``.

    >>> rate_text(4.21), rate_text(0.2)
    ('4.2/s', '12/min')
    """
    return f"{per_second:.1f}/s" if per_second >= 1 else f"{60 * per_second:.0f}/min"


def duration(seconds: float) -> str:
    """Such as ``40 s``, ``3 min`` or ``2 h 05 min``.

    >>> duration(40), duration(200), duration(7500)
    ('40 s', '3 min', '2 h 05 min')
    """
    if seconds < 100:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02d} min"
