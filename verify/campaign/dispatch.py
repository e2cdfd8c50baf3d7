"""Work in, results out as they are done: a bounded number of pieces under way, and workers that may die."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Generic, TypeVar

from verify.campaign.executors import Executor
from verify.errors import SimulationFailed

Item = TypeVar("Item")
Piece = list[Item]


@dataclass
class Dispatcher(Generic[Item]):
    """Sends items to an executor, ``chunk`` at a time.

    - ``work(items)``: the function to run and its arguments.
    - ``dead(item)``: the result for an item that ends its worker.

    When a worker dies, what was under way is tried again, one item at a time and alone; an item that then ends its
    worker twice is to blame. Errors that the work raises come through; SimulationFailed says that a cluster was lost.
    """

    executor: Executor
    work: Callable[[Piece[Item]], tuple[Any, ...]]
    dead: Callable[[Item], Any]
    chunk: int = 4
    _pending: dict[Future[Any], Piece[Item]] = field(default_factory=dict)

    def outcomes(self, items: Iterator[Item]) -> Iterator[tuple[Piece[Item], Any]]:
        """Items and their result, in the order in which they are done."""
        while True:
            suspects = self._fill(items)
            if not self._pending and not suspects:
                return
            done, _ = wait(self._pending, return_when=FIRST_COMPLETED)
            for future in done:
                piece = self._pending.pop(future)
                try:
                    yield piece, future.result()
                except self.executor.deaths:
                    suspects += piece
                except CancelledError as error:
                    raise SimulationFailed("the connection to the cluster was lost") from error
            if suspects:
                yield from self._alone(suspects + self._lost())

    def _fill(self, items: Iterator[Item]) -> Piece[Item]:
        """Hand over as much as the executor's queue takes; returns what it would not take, because a worker died."""
        while len(self._pending) < self.executor.queue and (piece := list(islice(items, self.chunk))):
            try:
                self._pending[self.executor.submit(*self.work(piece))] = piece
            except self.executor.deaths:
                return piece
        return []

    def _lost(self) -> Piece[Item]:
        """What a broken pool took with it."""
        if not self.executor.restart():
            return []
        gone = [future for future in self._pending if not _succeeded(future)]
        return [item for future in gone for item in self._pending.pop(future)]

    def _alone(self, items: Piece[Item]) -> Iterator[tuple[Piece[Item], Any]]:
        for item in items:
            yield [item], self._twice(item)

    def _twice(self, item: Item) -> Any:
        for _ in range(2):
            try:
                return self.executor.submit(*self.work([item])).result()
            except self.executor.deaths:
                self.executor.restart()
        return self.dead(item)


def _succeeded(future: Future[Any]) -> bool:
    return future.done() and not future.cancelled() and future.exception() is None
