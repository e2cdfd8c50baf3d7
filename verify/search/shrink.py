"""The simplest problem that still shows the same: fewest neurons and labels, numbers with the fewest digits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import ROUND_UP, Decimal
from typing import Any

from verify.decimals import exact_number, json_number
from verify.errors import VerifyError
from verify.families.rounding import significant
from verify.problem import Problem

Values = dict[str, Any]
SIMPLE = ("1", "2", "3", "0.5", "4", "5", "0.25", "0.1", "10", "0.2")
"""Sizes tried for a number, the simplest first; then the number itself with one to five digits."""
MOST_DIGITS = 5


Test = Callable[[Problem], bool]


def shrink(problem: Problem, admits: Test, keeps: Test, most: int) -> Problem:
    """A problem that `keeps` accepts and from which nothing can be taken away, or the best after ``most`` trials.

    ``problem`` must have x_k = e_k. Of the candidates that are `admits`-ible, `keeps` is asked for at most ``most``.
    """
    current, left = problem, most
    while left > 0:
        left, better = _first_kept(current, admits, keeps, left)
        if better is None:
            break
        current = better
    return current


def _first_kept(current: Problem, admits: Test, keeps: Test, left: int) -> tuple[int, Problem | None]:
    """How many trials are left, and the first simpler problem that is kept."""
    for values in _simpler(current.to_json()):
        candidate = _made(values)
        if candidate is None or cost(candidate) >= cost(current) or not admits(candidate):
            continue
        if keeps(candidate):
            return left - 1, candidate
        left -= 1
        if not left:
            break
    return left, None


def cost(problem: Problem) -> tuple[int, ...]:
    """What counts as simple: neurons and labels, dimensions, digits of all numbers, how far from 1 they are, and Λ."""
    values = problem.to_json()
    numbers = [*values["y"], *(entry for row in values["g"] for entry in row), values["minus_log_lambda"]]
    if values["epsilon"] is not None:
        numbers.append(values["epsilon"])
    spelled = sum(_length(number) for number in numbers)
    rank = sum(SIMPLE.index(text) if (text := _plain(number)) in SIMPLE else len(SIMPLE) for number in numbers[:-1])
    scale = exact_number(values["minus_log_lambda"], "minus_log_lambda").adjusted()
    return problem.initialisation.m + problem.dataset.n, problem.dataset.d, spelled, rank, scale


def _made(values: Values) -> Problem | None:
    try:
        return Problem.from_json(values)
    except VerifyError:
        return None


def _simpler(values: Values) -> Iterator[Values]:
    """Candidates, those that take most away first."""
    for few in (_without_neurons, _without_labels, _without_dimensions, _all_rounded):
        for changed in few(values):
            yield changed
            yield from _larger_scales(changed)
    if values["epsilon"] is not None:
        yield values | {"epsilon": None}
    yield from _numbers_one_by_one(values)


def _larger_scales(values: Values) -> Iterator[Values]:
    """The same at the next powers of ten of Λ: simpler numbers may ask for a smaller λ."""
    scale = 10 ** (exact_number(values["minus_log_lambda"], "minus_log_lambda").adjusted() + 1)
    for factor in (1, 10):
        yield values | {"minus_log_lambda": float(factor * scale)}


def _without_neurons(values: Values) -> Iterator[Values]:
    for j in range(len(values["g"])):
        yield values | {"g": _without(values["g"], j), "s": _without(values["s"], j)}


def _without_labels(values: Values) -> Iterator[Values]:
    for k in range(len(values["y"])):
        shorter = values | {"y": _without(values["y"], k), "g": [_without(row, k) for row in values["g"]]}
        yield shorter
        yield shorter | {"epsilon": None}


def _without_dimensions(values: Values) -> Iterator[Values]:
    for k in range(len(values["y"]), len(values["g"][0])):
        yield values | {"g": [_without(row, k) for row in values["g"]]}


def _without(items: list[Any], index: int) -> list[Any]:
    return items[:index] + items[index + 1 :]


def _all_rounded(values: Values) -> Iterator[Values]:
    """All directions to ±1, then directions, labels and everything to a few digits."""
    ones = [[_signed("1", entry) for entry in row] for row in values["g"]]
    yield values | {"g": ones, "y": [_signed("1", y) for y in values["y"]], "epsilon": None}
    yield values | {"g": ones}
    for digits in range(1, MOST_DIGITS):
        g = [[_rounded(entry, digits) for entry in row] for row in values["g"]]
        y = [_rounded(label, digits) for label in values["y"]]
        yield values | {"g": g, "y": y, "epsilon": None}
        yield values | {"g": g}
        yield values | {"y": y, "epsilon": None}
    for factor in (2, 4, 5, 10):
        yield values | {"y": [_rounded(factor * float(label), MOST_DIGITS) for label in values["y"]], "epsilon": None}


def _numbers_one_by_one(values: Values) -> Iterator[Values]:
    for k, y in enumerate(values["y"]):
        for simple in _numbers(y):
            yield values | {"y": [*values["y"][:k], simple, *values["y"][k + 1 :]]}
    for j, row in enumerate(values["g"]):
        for k, entry in enumerate(row):
            for simple in _numbers(entry):
                changed = [*row[:k], simple, *row[k + 1 :]]
                yield values | {"g": [*values["g"][:j], changed, *values["g"][j + 1 :]]}
    if values["epsilon"] is not None:
        for digits in range(1, MOST_DIGITS):
            yield values | {"epsilon": _rounded(values["epsilon"], digits)}
    scale = exact_number(values["minus_log_lambda"], "minus_log_lambda")
    for power in range(1, scale.adjusted() + 2):
        yield values | {"minus_log_lambda": float(10**power)}
    for digits in range(1, MOST_DIGITS):
        yield values | {"minus_log_lambda": significant(float(scale), digits, ROUND_UP)}


def _numbers(value: Any) -> Iterator[Any]:
    for size in SIMPLE:
        yield _signed(size, value)
    for digits in range(1, MOST_DIGITS + 1):
        yield _rounded(value, digits)


def _signed(size: str, like: Any) -> float | str:
    return json_number(Decimal(size).copy_sign(Decimal(str(like))))


def _rounded(value: Any, digits: int) -> float:
    return significant(float(value), digits)


def _plain(value: Any) -> str:
    return f"{abs(Decimal(str(value))).normalize():f}" if abs(Decimal(str(value)).adjusted()) < 20 else ""


def _length(value: Any) -> int:
    """Significant digits, one more for each place after the point, and one for noughts before it."""
    number = exact_number(value, "number").normalize()
    exponent = int(number.as_tuple().exponent)
    return len(number.as_tuple().digits) + max(-exponent, 0) + (exponent > 0)
