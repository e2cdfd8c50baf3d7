"""Workers that die, and errors that come through."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import pytest

from verify.campaign.dispatch import Dispatcher
from verify.campaign.executors import Here
from verify.errors import SimulationFailed


class Died(Exception):
    """What a future raises when its worker died."""


class Fragile(Here):
    """A pool of one that dies on some items; ``forgets`` says whether the work under way is lost with it."""

    deaths = (Died,)

    def __init__(self, queue: int, forgets: bool) -> None:
        self.queue, self.forgets, self.restarts = queue, forgets, 0  # type: ignore[misc]

    def restart(self) -> bool:
        self.restarts += 1
        return self.forgets


def sent(deadly: dict[int, int]) -> Callable[[list[int]], tuple[Any, ...]]:
    """Work that ends its worker so many more times for each item of ``deadly``."""

    def work(items: list[int]) -> list[int]:
        for item in items:
            if deadly.get(item, 0) > 0:
                deadly[item] -= 1
                raise Died
        return [10 * item for item in items]

    return lambda items: (work, items)


def run(pool: Fragile, deadly: dict[int, int], chunk: int = 3) -> dict[int, Any]:
    dispatcher: Dispatcher[int] = Dispatcher(pool, sent(deadly), lambda item: ["dead"], chunk)
    found: dict[int, Any] = {}
    for items, results in dispatcher.outcomes(iter(range(10))):
        for item, result in zip(items, results, strict=True):
            assert item not in found
            found[item] = result
    return found


@pytest.mark.parametrize("queue", [1, 3])
@pytest.mark.parametrize("forgets", [True, False])
def test_only_an_item_that_kills_twice_is_to_blame(queue: int, forgets: bool) -> None:
    expected = {item: 10 * item for item in range(10)}
    assert run(Fragile(queue, forgets), {}) == expected
    assert run(Fragile(queue, forgets), {4: 1, 8: 1}) == expected
    pool = Fragile(queue, forgets)
    assert run(pool, {4: 9, 5: 1}) == expected | {4: "dead"}
    assert pool.restarts >= 2


def test_a_pool_that_refuses_work_is_started_again() -> None:
    class Broken(Fragile):
        def submit(self, work: Callable[..., Any], *arguments: Any) -> Future[Any]:
            if not self.restarts:
                raise Died
            return super().submit(work, *arguments)

    assert run(Broken(2, True), {}) == {item: 10 * item for item in range(10)}


def test_errors_of_the_work_come_through() -> None:
    def wrong(items: list[int]) -> list[int]:
        raise ZeroDivisionError

    dispatcher: Dispatcher[int] = Dispatcher(Here(), lambda items: (wrong, items), lambda item: None)
    with pytest.raises(ZeroDivisionError):
        list(dispatcher.outcomes(iter(range(3))))


def test_a_lost_cluster_is_said_plainly() -> None:
    class Lost(Here):
        def submit(self, work: Callable[..., Any], *arguments: Any) -> Future[Any]:
            future: Future[Any] = Future()
            future.cancel()
            future.set_running_or_notify_cancel()
            return future

    dispatcher: Dispatcher[int] = Dispatcher(Lost(), lambda items: (len, items), lambda item: None)
    with pytest.raises(SimulationFailed, match="connection to the cluster was lost"):
        list(dispatcher.outcomes(iter(range(3))))
