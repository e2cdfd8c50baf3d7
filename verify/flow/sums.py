"""Sums of numbers given by their logarithms, in machine floats, compiled: they are asked for thousands of times."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from verify.flow.compiled import compiled
from verify.notation import FloatArray


def signed_log_sum(signs: Any, logs: Any) -> tuple[FloatArray, FloatArray]:
    """Sign and logarithm of Σ signs·e^logs over the last axis; minus infinity for nothing, NaN where a term is.

    >>> found = signed_log_sum([1.0, -1.0], np.log([3.0, 1.0]))
    >>> float(found[0]), round(float(found[1]), 9)
    (1.0, 0.693147181)
    """
    logs = np.ascontiguousarray(logs, dtype=np.float64)
    *shape, terms = logs.shape
    rows = math.prod(shape), terms
    signs = np.ascontiguousarray(np.broadcast_to(signs, logs.shape), dtype=np.float64)
    sign, log = _summed(signs.reshape(rows), logs.reshape(rows))
    return sign.reshape(shape)[()], log.reshape(shape)[()]


@compiled
def _summed(signs: Any, logs: Any) -> tuple[Any, Any]:
    """Row by row; a term that is NaN is never compared."""
    count, terms = logs.shape
    sign, log = np.empty(count), np.empty(count)
    for row in range(count):
        top = -math.inf
        for i in range(terms):
            value = logs[row, i]
            if value != value or value > top:
                top = value
            if value != value:
                break
        shift, total = top if top != -math.inf else 0.0, 0.0
        for i in range(terms):
            total += signs[row, i] * math.exp(logs[row, i] - shift)
        sign[row] = np.sign(total)
        log[row] = math.log(abs(total)) + shift if total != 0.0 else -math.inf
    return sign, log
