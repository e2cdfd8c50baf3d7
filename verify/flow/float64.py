"""Machine floats: the default arithmetic, with the Taylor recursion compiled."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import numba
import numpy as np

from verify.decimals import ExactArray
from verify.flow import boost, classes, crossing, jacobi, series
from verify.flow.arithmetic import Arithmetic
from verify.notation import FloatArray


def _log(x: Any) -> Any:
    with np.errstate(divide="ignore"):
        return np.log(x)


def _magnitude(x: Any) -> FloatArray:
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.abs(x)))


def _array(x: Any) -> FloatArray:
    return x.float64 if isinstance(x, ExactArray) else np.asarray(x, dtype=np.float64)


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
    grouped=numba.njit(cache=True)(classes.grouped),
    condensed=numba.njit(cache=True)(classes.condensed),
    started=numba.njit(cache=True)(series.started),
    extend=numba.njit(cache=True, fastmath={"reassoc", "contract", "nsz"}, error_model="numpy")(series.extend),
    first_crossing=numba.njit(cache=True)(crossing.first_crossing),
    sizes=numba.njit(cache=True)(crossing.sizes),
    boosted=numba.njit(cache=True)(boost.boosted),
    advanced=numba.njit(cache=True)(boost.advanced),
    jacobi=numba.njit(cache=True)(jacobi.jacobi),
    wide=False,
    context=nullcontext,
    export=_same,
)
