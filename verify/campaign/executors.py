"""Where work is done: in this process, in local processes, or on a Dask cluster, all behind one interface."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any, Protocol

from verify.errors import InvalidArgument, MissingExtra

SECONDS_TO_CONNECT = 10
AHEAD = 3
"""Pieces of work handed over for each worker: one under way, the others waiting."""


class Executor(Protocol):
    """Somewhere to send work.

    - ``size``: how many pieces of work run at a time. ``queue``: how many to hand over, so that no worker waits.
    - ``deaths``: what a future raises when its worker died.
    """

    size: int
    queue: int
    deaths: tuple[type[BaseException], ...]

    def submit(self, work: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Hand over one piece of work."""

    def restart(self) -> bool:
        """Make sure, after a death, that there are workers again; returns whether the work under way is lost."""

    def close(self) -> None:
        """End all workers that were started here, at once."""


class Here:
    """This process: a piece of work is done when it is handed over."""

    size = queue = 1
    deaths: tuple[type[BaseException], ...] = ()

    def submit(self, work: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Do it now."""
        future: Future[Any] = Future()
        try:
            future.set_result(work(*arguments))
        except Exception as error:
            future.set_exception(error)
        return future

    def restart(self) -> bool:
        """Nothing can have died."""
        return False

    def close(self) -> None:
        """Nothing to end."""


class Processes:
    """Processes on this machine; they end when this process does, however it ends."""

    deaths: tuple[type[BaseException], ...] = (BrokenProcessPool,)

    def __init__(self, size: int) -> None:
        self.size, self.queue = size, AHEAD * size
        self._pool = self._start()

    def _start(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(self.size, multiprocessing.get_context("spawn"), initializer=_follow_the_parent)

    def submit(self, work: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Queue it."""
        return self._pool.submit(work, *arguments)

    def restart(self) -> bool:
        """New processes in place of those left: one death breaks the whole pool."""
        self.close()
        self._pool = self._start()
        return True

    def close(self) -> None:
        """End the processes, whatever they are doing."""
        processes = list((self._pool._processes or {}).values())
        self._pool.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            process.terminate()


def _follow_the_parent() -> None:
    """Leave Ctrl-C to the parent, and end when it ends: a process that waits for work would wait for ever."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_exit_after, args=(parent,), daemon=True).start()


def _exit_after(parent: Any) -> None:
    parent.join()
    os._exit(1)


class Cluster:
    """A Dask cluster, by the address of its scheduler; it replaces workers that die by itself.

    Raises MissingExtra when dask.distributed is not installed, InvalidArgument when nothing answers at the address.
    """

    def __init__(self, address: str) -> None:
        try:
            import distributed
            from distributed.scheduler import KilledWorker
        except ImportError as error:
            raise MissingExtra(
                "--scheduler needs dask.distributed; install it with: pip install 'relu-flow-verify[distributed]'"
            ) from error
        try:
            client: Any = distributed.Client
            self._client = client(address, timeout=SECONDS_TO_CONNECT, set_as_default=False)
        except (OSError, ValueError) as error:
            raise InvalidArgument(f"--scheduler = {address!r}: no Dask scheduler answers there: {error}") from error
        self.deaths: tuple[type[BaseException], ...] = (KilledWorker,)
        self._executor = self._client.get_executor(pure=False)
        self.size = max(1, sum(self._client.nthreads().values()))
        self.queue = AHEAD * self.size

    def submit(self, work: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Send it to the scheduler."""
        future: Future[Any] = self._executor.submit(work, *arguments)
        return future

    def restart(self) -> bool:
        """The scheduler has seen to it."""
        return False

    def close(self) -> None:
        """Forget what was not done; the cluster lives on."""
        self._executor.shutdown(wait=False)
        self._client.close()


def executor(jobs: int, scheduler: str | None) -> Executor:
    """The cluster at an address, or so many processes; for one job this process does the work itself."""
    if scheduler is not None:
        return Cluster(scheduler)
    return Processes(jobs) if jobs > 1 else Here()
