"""Machine floats: the default arithmetic, with the Taylor recursion compiled."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import numpy as np

from verify.decimals import ExactArray
from verify.flow import boost, classes, course, crossing, jacobi, series
from verify.flow.arithmetic import Arithmetic
from verify.flow.compiled import SUMS, compiled
from verify.notation import FloatArray


def _log(x: Any) -> Any:
    with np.errstate(divide="ignore"):
        return np.log(x)


def _magnitude(x: Any) -> FloatArray:
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.abs(x)))


def _array(x: Any) -> FloatArray:
    """Never read-only: for arrays that are, everything would be compiled a second time."""
    return x.float64.copy() if isinstance(x, ExactArray) else np.asarray(x, dtype=np.float64)


def _same(x: Any) -> Any:
    return x


FLOAT64 = Arithmetic(
    name="float64",
    digits=16,
    bits=53,
    epsilon=2.0**-53,
    order=40,
    longest_decay=2.5,
    dtype=np.float64,
    exp=np.exp,
    expm1=np.expm1,
    log=_log,
    sqrt=np.sqrt,
    array=_array,
    number=float,
    magnitude=_magnitude,
    sign=np.sign,
    grouped=compiled(classes.grouped),
    condensed=compiled(classes.condensed),
    started=compiled(series.started),
    extend=compiled(series.extend, **SUMS),
    first_crossing=compiled(crossing.first_crossing),
    sizes=compiled(crossing.sizes),
    boosted=compiled(course.boosted),
    advanced=compiled(boost.advanced),
    jacobi=compiled(jacobi.jacobi),
    wide=False,
    context=nullcontext,
    export=_same,
)
