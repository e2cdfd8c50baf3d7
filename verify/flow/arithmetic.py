"""The arithmetic as an argument: the few functions the flow needs beyond ``+ - * /`` and ``@``."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import wraps
from typing import Any, TypeVar, cast

import numpy as np

from verify.notation import FloatArray

Method = TypeVar("Method", bound=Callable[..., Any])

Array = Any
"""A float64 array or an object array of one multiprecision type."""


@dataclass(frozen=True)
class Arithmetic:
    """Numbers of one kind.

    Everything in :mod:`verify.flow` is written with operators and these functions only, so the same bodies
    serve machine floats and any number of digits. Operators round as the number type says; those of multiprecision
    types are to be used within ``context()``.

    - ``name``: what computes. ``digits``: decimal digits that a result has; ``bits`` of working precision.
    - ``epsilon``: unit roundoff of a result, a number of this kind. ``order``: number of Taylor terms after the first.
      ``longest_decay``: longest step in units of the fastest decay, to which e^−x can be summed without loss.
    - ``exp``, ``expm1``, ``log``, ``sqrt``: elementwise on arrays and scalars; ``log(0)`` is minus infinity.
    - ``array``: from floats, fractions, decimals or an ``ExactArray``; ``number``: the same for one number;
      ``zeros(shape)``.
    - ``magnitude``: elementwise natural logarithm of the absolute value, as float64, minus infinity at zero.
      ``sign``: elementwise sign as float64.
    - ``grouped``, ``condensed``, ``started``, ``extend``, ``first_crossing``, ``sizes``: the loops of
      :mod:`verify.flow.classes`, :mod:`verify.flow.series` and :mod:`verify.flow.crossing`, possibly compiled.
    - ``boosted``, ``advanced``: those of :mod:`verify.flow.course` and :mod:`verify.flow.boost`, likewise.
    - ``jacobi``: the loop of :mod:`verify.flow.jacobi`, likewise.
    - ``wide``: whether exponents are unlimited for all purposes, so that nothing has to be rescaled.
    - ``export``: elementwise, to the type that users see.
    """

    name: str
    digits: int
    bits: int
    epsilon: Any
    order: int
    longest_decay: float
    dtype: Any
    exp: Callable[[Array], Array]
    expm1: Callable[[Array], Array]
    log: Callable[[Array], Array]
    sqrt: Callable[[Array], Array]
    array: Callable[[Any], Array]
    number: Callable[[Any], Any]
    magnitude: Callable[[Array], FloatArray]
    sign: Callable[[Array], FloatArray]
    grouped: Callable[..., Any]
    condensed: Callable[..., tuple[Any, Any, Any]]
    started: Callable[..., Any]
    extend: Callable[..., None]
    first_crossing: Callable[..., tuple[Any, int, int]]
    sizes: Callable[..., None]
    boosted: Callable[..., tuple[int, Any]]
    advanced: Callable[..., tuple[Any, Any, Any]]
    jacobi: Callable[..., None]
    wide: bool
    context: Callable[[], AbstractContextManager[Any]]
    export: Callable[[Array], Array]

    def bytes_of(self, count: int) -> float:
        """Memory of so many numbers; a multiprecision number is an object with its mantissa."""
        return count * (self.bits / 8 + 80.0) if self.wide else count * 8.0

    def eigh(self, matrix: Array) -> tuple[Array, Array]:
        """Eigenvalues (b,) and orthonormal eigenvectors (columns) of a symmetric matrix (b, b)."""
        diagonal, vectors = matrix.copy(), self.array(np.eye(len(matrix)))
        self.jacobi(diagonal, vectors, self.epsilon)
        return np.diag(diagonal), vectors

    def zeros(self, shape: tuple[int, ...] | int) -> Array:
        """An array of exact zeros."""
        if self.dtype is not object:
            return np.zeros(shape, dtype=self.dtype)
        out = np.empty(shape, dtype=object)
        out.fill(self.number(0))
        return out


def to_float(x: Array) -> FloatArray:
    """Nearest machine floats of any array."""
    return np.asarray(x, dtype=np.float64)


def in_context(method: Method) -> Method:
    """A method of an object with an ``arithmetic``, computed at the precision of that arithmetic."""

    @wraps(method)
    def within(self: Any, *arguments: Any, **options: Any) -> Any:
        with self.arithmetic.context():
            return method(self, *arguments, **options)

    return cast(Method, within)
