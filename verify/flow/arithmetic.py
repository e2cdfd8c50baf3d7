"""The arithmetic as an argument: the few functions the flow needs beyond ``+ - * /`` and ``@``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from verify.notation import FloatArray

Array = Any
"""A float64 array or an object array of one multiprecision type."""


@dataclass(frozen=True)
class Arithmetic:
    """Numbers of one kind.

    Everything in :mod:`verify.flow` is written with operators and these functions only, so the same bodies
    serve machine floats and any number of digits.

    - ``epsilon``: unit roundoff. ``digits``: decimal digits. ``order``: number of Taylor terms after the first.
    - ``exp``, ``log``, ``sqrt``: elementwise on arrays and scalars; ``log(0)`` is minus infinity.
    - ``array``: from a float64 array or from decimals; ``zeros(shape)``.
    - ``magnitude``: elementwise natural logarithm of the absolute value, as float64, minus infinity at zero.
    - ``extend``, ``first_crossing``, ``sizes``: the loops of :mod:`verify.flow.series` and
      :mod:`verify.flow.crossing`, possibly compiled.
    - ``eigh``: eigenvalues and orthonormal eigenvectors (columns) of a symmetric matrix.
    - ``wide``: whether exponents are unlimited for all purposes, so that nothing has to be rescaled.
    """

    name: str
    digits: int
    epsilon: float
    order: int
    dtype: Any
    exp: Callable[[Array], Array]
    log: Callable[[Array], Array]
    sqrt: Callable[[Array], Array]
    array: Callable[[Any], Array]
    magnitude: Callable[[Array], FloatArray]
    extend: Callable[..., None]
    first_crossing: Callable[..., tuple[Any, int, int]]
    sizes: Callable[..., None]
    eigh: Callable[[Array], tuple[Array, Array]]
    wide: bool

    def zeros(self, shape: tuple[int, ...] | int) -> Array:
        """An array of exact zeros."""
        return np.zeros(shape, dtype=self.dtype) if self.dtype is not object else self.array(np.zeros(shape))
