"""Examples of a strategy outside of a test."""

from typing import Any, TypeVar

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as hypothesis_seed
from hypothesis.strategies import SearchStrategy

from verify.errors import InvalidArgument

Item = TypeVar("Item")
MAX_ROUNDS = 20


def sample(strategy: SearchStrategy[Item], count: int, seed: int) -> list[Item]:
    """Return exactly `count` examples of a strategy, drawn by Hypothesis; the seed decides them all.

    Items with a `.key`, such as problems, are distinct by it. The simplest example, which Hypothesis tries
    first whatever the seed, comes last. Raises InvalidArgument if the strategy has too few distinct examples.

    >>> from hypothesis import strategies as st
    >>> [len(y) for y in sample(st.lists(st.booleans(), min_size=3, max_size=3), 2, seed=0)]
    [3, 3]
    """
    found: dict[Any, Item] = {}
    for attempt in range(MAX_ROUNDS):
        for item in _one_round(strategy, count + 1 - len(found), seed * MAX_ROUNDS + attempt):
            found.setdefault(getattr(item, "key", len(found)), item)
        if len(found) >= count:
            items = list(found.values())
            return [*items[1:], items[0]][:count]
    raise InvalidArgument(f"count = {count}: the strategy gave only {len(found)} distinct examples")


def _one_round(strategy: SearchStrategy[Item], count: int, number: int) -> list[Item]:
    items: list[Item] = []

    @hypothesis_seed(number)
    @settings(
        max_examples=count,
        database=None,
        derandomize=False,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def collect(item: Item) -> None:
        items.append(item)

    collect()
    return items
