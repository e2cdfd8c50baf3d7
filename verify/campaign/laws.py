"""Laws of the numbers of a sample: one value, a list to choose from, or a range; read from TOML with clear errors."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from verify.errors import InvalidCampaign, did_you_mean


@dataclass(frozen=True)
class Span:
    """All numbers from ``low`` to ``high``, both included."""

    low: float
    high: float


Law = tuple[float, ...] | Span
"""Values to choose from, or a range."""


@dataclass(frozen=True)
class Kind:
    """What the numbers of a law must be: integers or not, from ``low`` (above it when ``strict``) to ``high``."""

    integer: bool = False
    low: float = -math.inf
    high: float = math.inf
    strict: bool = False

    def accepts(self, value: Any) -> bool:
        """Whether ``value`` is such a number; a bool is none."""
        types = int if self.integer else (int, float)
        if isinstance(value, bool) or not isinstance(value, types) or not math.isfinite(value):
            return False
        return (self.low < value if self.strict else self.low <= value) and value <= self.high

    def __str__(self) -> str:
        noun = "an integer" if self.integer else "a number"
        low = "" if self.low == -math.inf else f" above {self.low:g}" if self.strict else f" of at least {self.low:g}"
        high = "" if self.high == math.inf else f" and at most {self.high:g}"
        return noun + low + high


def law(value: Any, key: str, kind: Kind) -> Law:
    """The law that a TOML value declares. Raises InvalidCampaign with the key, the value and what would be right.

    >>> law([2, 3], "sample.n", Kind(integer=True, low=1)), law({"low": 2, "high": 8}, "sample.m", Kind(integer=True))
    ((2, 3), Span(low=2, high=8))
    """
    if isinstance(value, dict):
        return _span(value, key, kind)
    values = value if isinstance(value, list) else [value]
    if not values or not all(kind.accepts(entry) for entry in values):
        raise InvalidCampaign(f"{key} = {value!r} must be {kind}, a list of such, or a range {{low = …, high = …}}")
    return tuple(values)


def _span(value: dict[str, Any], key: str, kind: Kind) -> Span:
    for name in value:
        if name not in ("low", "high"):
            raise InvalidCampaign(f"{key}: unknown key {name!r}; {did_you_mean(name, ('low', 'high'))}")
    low, high = value.get("low"), value.get("high")
    if not (kind.accepts(low) and kind.accepts(high) and low <= high):  # type: ignore[operator]
        raise InvalidCampaign(f"{key} = {value!r} must have low <= high, each of them {kind}")
    return Span(low, high)  # type: ignore[arg-type]


def smallest(rule: Law) -> float:
    """The smallest number of a law."""
    return rule.low if isinstance(rule, Span) else min(rule)


def largest(rule: Law) -> float:
    """The largest number of a law."""
    return rule.high if isinstance(rule, Span) else max(rule)


def draw_integer(rng: np.random.Generator, rule: Law) -> int:
    """One of the values, all equally likely."""
    if isinstance(rule, Span):
        return int(rng.integers(int(rule.low), int(rule.high), endpoint=True))
    return int(rule[int(rng.integers(len(rule)))])


def draw_number(rng: np.random.Generator, rule: Law, *, logarithmic: bool = False) -> float:
    """One of the values, or uniform in the range; ``logarithmic``: uniform in the logarithm."""
    if not isinstance(rule, Span):
        return float(rule[int(rng.integers(len(rule)))])
    if logarithmic:
        return float(rule.low * (rule.high / rule.low) ** rng.uniform())
    return float(rng.uniform(rule.low, rule.high))


def plain(rule: Law | str | None) -> Any:
    """The law as JSON values, such that `law` reads it back."""
    if isinstance(rule, Span):
        return {"low": rule.low, "high": rule.high}
    return list(rule) if isinstance(rule, tuple) else rule
