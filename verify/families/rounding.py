"""Rounding to significant digits, so that drawn problems have short decimals."""

from decimal import ROUND_HALF_EVEN, Context

import numpy as np

from verify.notation import FloatArray


def significant(value: float, digits: int = 6, rounding: str = ROUND_HALF_EVEN) -> float:
    """Return the value rounded to so many significant decimal digits.

    >>> significant(0.123456789), significant(1.2345e-30, 2)
    (0.123457, 1.2e-30)
    """
    return float(Context(prec=digits, rounding=rounding).create_decimal_from_float(value))


def significant_all(values: FloatArray, digits: int = 6) -> FloatArray:
    """Return a vector rounded entry by entry as `significant` does."""
    return np.array([significant(value, digits) for value in values.tolist()])
