"""exp, log and sqrt of one number of any type, for bodies that are compiled for machine floats and run as they stand on
any other numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload


class Elementary(NamedTuple):
    """The functions of one type of number; the logarithm of 0 is minus infinity."""

    exp: Callable[[Any], Any]
    log: Callable[[Any], Any]
    sqrt: Callable[[Any], Any]


def _log(x: float) -> float:
    return math.log(x) if x != 0 else -math.inf


FLOATS = Elementary(math.exp, _log, math.sqrt)

ELEMENTARY: dict[type, Elementary] = {float: FLOATS, np.float64: FLOATS}
"""By type of number; :mod:`verify.flow.multiprecision` adds its own."""


def exp(x: Any) -> Any:
    """e^x."""
    return ELEMENTARY[type(x)].exp(x)


def log(x: Any) -> Any:
    """Natural logarithm of x ≥ 0."""
    return ELEMENTARY[type(x)].log(x)


def sqrt(x: Any) -> Any:
    """Square root of x ≥ 0."""
    return ELEMENTARY[type(x)].sqrt(x)


@overload(exp)
def _compiled_exp(x: Any) -> Any:
    def compiled(x: Any) -> Any:
        return math.exp(x)

    return compiled


@overload(log)
def _compiled_log(x: Any) -> Any:
    def compiled(x: Any) -> Any:
        return math.log(x)

    return compiled


@overload(sqrt)
def _compiled_sqrt(x: Any) -> Any:
    def compiled(x: Any) -> Any:
        return math.sqrt(x)

    return compiled
