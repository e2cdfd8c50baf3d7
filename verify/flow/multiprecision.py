"""Any number of digits: an arithmetic whose numbers are gmpy2's mpfr where gmpy2 is installed, mpmath's mpf elsewhere.

Users see mpmath numbers in either case. Precision is set within ``Arithmetic.context()`` and left as it was found.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import Any, cast

import mpmath
import numpy as np
from mpmath.libmp import from_man_exp

from verify.decimals import ExactArray
from verify.errors import InvalidArgument
from verify.flow import boost, classes, course, crossing, jacobi, rapidity, series
from verify.flow.arithmetic import Arithmetic, Array
from verify.flow.elementary import ELEMENTARY, Elementary
from verify.flow.polynomial import INNER_PRODUCTS
from verify.notation import FloatArray

FEWEST, MOST = 20, 2000
"""Digits that can be asked for."""

GUARD = 7
"""Digits beyond those asked for: rounding of some thousand operations, and e^``longest_decay`` of cancellation."""

TERMS_PER_DIGIT = 1.3
"""Measured to cost least. The work of a step is quadratic in the number of terms: where a singularity of the flow
limits the step, ln(10)/2 a digit would do best, where a residual decays like e^−x, more."""

DECAY_PER_DIGIT = 1 / 8
"""Longest decay of one step: the Taylor series of e^−x, cut at the order, still has its digits there."""


@dataclass(frozen=True)
class Engine:
    """A library of multiprecision numbers: conversion, the elementary functions, and the context of a precision."""

    name: str
    number: Callable[[Any], Any]
    exp: Callable[[Any], Any]
    expm1: Callable[[Any], Any]
    log: Callable[[Any], Any]
    sqrt: Callable[[Any], Any]
    magnitude: Callable[[Any], float]
    export: Callable[[Any], Any]
    context: Callable[[int], AbstractContextManager[Any]]


def multiprecision(digits: int, size: float = 0.0, engine: Engine | None = None) -> Arithmetic:
    """Arithmetic whose results have ``digits`` decimal digits on trajectories of the given ``size``.

    That is the largest product of a time and a rate, or logarithm, on the way: a rate is needed to that many more
    digits for what it has done in the end to have all of them.

    Raises ``InvalidArgument`` for digits that are no whole number from 20 to 2000.
    """
    check_digits(digits)
    chosen = default_engine() if engine is None else engine
    depth = math.ceil(math.log10(1 + size))
    working = digits + depth + GUARD + math.ceil(digits * DECAY_PER_DIGIT / math.log(10))
    return _arithmetic(chosen, digits, depth, math.ceil(working * math.log2(10)))


def mpmath_twin(arithmetic: Arithmetic) -> Arithmetic:
    """The same digits and working precision in mpmath's numbers."""
    return _arithmetic(MPMATH, arithmetic.digits, 0, arithmetic.bits)


def _arithmetic(chosen: Engine, digits: int, depth: int, bits: int) -> Arithmetic:
    with chosen.context(bits):
        epsilon = chosen.number(10) ** -(digits + depth)
    return Arithmetic(
        name=chosen.name,
        digits=digits,
        bits=bits,
        epsilon=epsilon,
        order=math.ceil(TERMS_PER_DIGIT * bits / math.log2(10)),
        longest_decay=max(2.5, digits * DECAY_PER_DIGIT),
        dtype=object,
        exp=_elementwise(chosen.exp),
        expm1=_elementwise(chosen.expm1),
        log=_elementwise(chosen.log),
        sqrt=_elementwise(chosen.sqrt),
        array=partial(_array, chosen),
        number=chosen.number,
        magnitude=partial(_magnitude, chosen),
        sign=_sign,
        grouped=classes.grouped,
        condensed=classes.condensed,
        started=series.started,
        extend=rapidity.extend,
        first_crossing=crossing.first_crossing,
        sizes=crossing.sizes,
        boosted=course.boosted,
        advanced=boost.advanced,
        jacobi=jacobi.jacobi,
        wide=True,
        context=partial(chosen.context, bits),
        export=_elementwise(chosen.export),
    )


def check_digits(digits: object) -> None:
    """Raise ``InvalidArgument`` unless ``digits`` is a whole number that can be asked for."""
    if isinstance(digits, bool) or not isinstance(digits, (int, np.integer)) or not FEWEST <= digits <= MOST:
        raise InvalidArgument(
            f"digits = {digits!r} must be a whole number from {FEWEST} to {MOST}, or None for float64 (16 digits)"
        )


def _elementwise(function: Callable[[Any], Any]) -> Callable[[Array], Array]:
    return cast(Callable[[Array], Array], np.frompyfunc(function, 1, 1))


def _array(engine: Engine, x: Any) -> Array:
    if isinstance(x, ExactArray):
        x = x.decimals()
    values = np.asarray(x)
    return np.frompyfunc(engine.number, 1, 1)(values.astype(object))


def _magnitude(engine: Engine, x: Array) -> FloatArray:
    return np.asarray(np.frompyfunc(engine.magnitude, 1, 1)(x), dtype=np.float64)


def _sign(x: Array) -> FloatArray:
    return np.asarray(np.frompyfunc(lambda value: (value > 0) - (value < 0), 1, 1)(x), dtype=np.float64)


def _mpmath_number(x: Any) -> Any:
    if isinstance(x, Fraction):
        return mpmath.mpf(x.numerator) / x.denominator
    return mpmath.mpf(str(x)) if isinstance(x, Decimal) else mpmath.mpf(x)


def _mpmath_magnitude(x: Any) -> float:
    if not x:
        return -math.inf
    mantissa, exponent = mpmath.frexp(x)
    return math.log(abs(float(mantissa))) + int(exponent) * math.log(2)


INNER_PRODUCTS[mpmath.mpf] = mpmath.fdot
ELEMENTARY[mpmath.mpf] = Elementary(mpmath.exp, mpmath.log, mpmath.sqrt)

MPMATH = Engine(
    name="mpmath",
    number=_mpmath_number,
    exp=mpmath.exp,
    expm1=mpmath.expm1,
    log=mpmath.log,
    sqrt=mpmath.sqrt,
    magnitude=_mpmath_magnitude,
    export=mpmath.mpf,
    context=mpmath.workprec,
)


def default_engine() -> Engine:
    """gmpy2 where it is installed, mpmath elsewhere."""
    try:
        return _gmpy2()
    except ImportError:
        return MPMATH


def _gmpy2() -> Engine:
    import gmpy2

    def number(x: Any) -> Any:
        if isinstance(x, Decimal):
            return gmpy2.mpfr(str(x))
        if isinstance(x, Fraction):
            return gmpy2.mpfr(gmpy2.mpq(x.numerator, x.denominator))
        if isinstance(x, mpmath.mpf):
            return _from_mpmath(x)
        return gmpy2.mpfr(x)

    def _from_mpmath(x: Any) -> Any:
        if not mpmath.isfinite(x):
            return gmpy2.mpfr(float(x))
        sign, mantissa, exponent, _ = x._mpf_
        return gmpy2.mpfr(-int(mantissa) if sign else int(mantissa)) * gmpy2.exp2(int(exponent))

    def export(x: Any) -> Any:
        if isinstance(x, mpmath.mpf):
            return x
        if not isinstance(x, gmpy2.mpfr) or not gmpy2.is_finite(x):
            return mpmath.mpf(float(x))
        mantissa, exponent = x.as_mantissa_exp()
        return mpmath.mp.make_mpf(from_man_exp(int(mantissa), int(exponent)))

    def magnitude(x: Any) -> float:
        if not x:
            return -math.inf
        exponent, mantissa = gmpy2.frexp(number(x))
        return math.log(abs(float(mantissa))) + int(exponent) * math.log(2)

    def context(bits: int) -> AbstractContextManager[Any]:
        exponents = {"emin": gmpy2.get_emin_min(), "emax": gmpy2.get_emax_max()}
        return cast(AbstractContextManager[Any], gmpy2.context(precision=bits, **exponents))

    def inner_product(left: list[Any], right: list[Any]) -> Any:
        return gmpy2.fsum(list(map(operator.mul, left, right)))

    INNER_PRODUCTS[gmpy2.mpfr] = inner_product
    ELEMENTARY[gmpy2.mpfr] = Elementary(gmpy2.exp, gmpy2.log, gmpy2.sqrt)
    return Engine("gmpy2", number, gmpy2.exp, gmpy2.expm1, gmpy2.log, gmpy2.sqrt, magnitude, export, context)
