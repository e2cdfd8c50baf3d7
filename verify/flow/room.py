"""Arrays to be filled in by compiled bodies: numpy's calls are compiled anew wherever they stand, these are not."""

from __future__ import annotations

from typing import Any

import numpy as np

from verify.flow.compiled import compilable


@compilable
def vector(size: int, kind: Any) -> Any:
    """(size,): room for numbers of one kind."""
    return np.empty(size, kind)


@compilable
def matrix(rows: int, columns: int, kind: Any) -> Any:
    """(rows, columns): room for numbers of one kind."""
    return np.empty((rows, columns), kind)


@compilable
def filled(size: int, kind: Any, value: Any) -> Any:
    """(size,): the same number everywhere."""
    out = vector(size, kind)
    for i in range(size):
        out[i] = value
    return out


@compilable
def zeros(rows: int, columns: int, kind: Any) -> Any:
    """(rows, columns): zeros."""
    out = matrix(rows, columns, kind)
    for i in range(rows):
        for j in range(columns):
            out[i, j] = 0
    return out


@compilable
def copied(x: Any) -> Any:
    """A copy of a vector."""
    out = vector(len(x), x.dtype)
    for i in range(len(x)):
        out[i] = x[i]
    return out
