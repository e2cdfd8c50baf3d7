"""Balls: python-flint's ``arb``, and the few things that are asked of them besides ``+ - * /``.

A ball is a midpoint with a radius, and every operation returns a ball that holds all results. Comparisons are true only
if they hold for all points of both balls. Exponents are unlimited: λ = e^−Λ is an ordinary ball for every Λ.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from decimal import Decimal
from fractions import Fraction
from typing import Any, cast

from verify.errors import MissingExtra

Ball = Any
"""A python-flint ``arb``."""


def library() -> Any:
    """The module ``flint``. Raises ``MissingExtra`` where it is not installed."""
    try:
        import flint
    except ImportError:
        raise MissingExtra(
            "certified verdicts need python-flint; install it with: pip install 'relu-flow-verify[certify]'"
        ) from None
    return flint


def precision(bits: int) -> AbstractContextManager[Any]:
    """Where midpoints have so many bits."""
    return cast(AbstractContextManager[Any], library().ctx.workprec(bits))


def ball(x: Any) -> Ball:
    """The ball of an integer, a machine float (exactly), a decimal or a fraction.

    Raises ``TypeError`` for any other number, of which a machine float may be only near.
    """
    flint = library()
    if isinstance(x, (flint.arb, int, float)):
        return flint.arb(x)
    if isinstance(x, (Decimal, Fraction)):
        exact = Fraction(x)
        return flint.arb(flint.fmpq(exact.numerator, exact.denominator))
    raise TypeError(f"no ball is made of a {type(x).__name__}: {x!r}")


def hull(*balls: Ball) -> Ball:
    """A ball that holds all of these; one that is not finite makes it so."""
    out = balls[0]
    for other in balls[1:]:
        out = out.union(other)
    return out


def within(radius: Ball) -> Ball:
    """The ball about 0 whose radius is the upper end of ``radius``."""
    return library().arb(0, radius.abs_upper())


def largest(balls: Iterable[Ball]) -> Ball:
    """A ball that holds the largest of the numbers; minus infinity of none."""
    out = None
    for x in balls:
        out = x if out is None else out.max(x)
    return library().arb.neg_inf() if out is None else out


def total(balls: Iterable[Ball]) -> Ball:
    """The sum."""
    return sum(balls, ball(0))


def square(x: Ball) -> Ball:
    """x², no part of it negative; the operator ``**`` is not defined about 0."""
    return (x * x).nonnegative_part()


def dot(left: Iterable[Ball], right: Iterable[Ball]) -> Ball:
    """Σ left·right."""
    return total(x * y for x, y in zip(left, right, strict=True))


def length(balls: Iterable[Ball]) -> Ball:
    """The Euclidean norm."""
    return root(total(x * x for x in balls))


def root(x: Ball) -> Ball:
    """The square root of a number that is known not to be negative."""
    return x.sqrt() if x > 0 else hull(ball(0), x.upper().sqrt())


def from_below(x: Ball) -> Ball:
    """x with 0 in place of what is negative, for quantities that are known not to be."""
    return x.nonnegative_part() if x.is_finite() else x


def floor_float(x: Ball) -> float:
    """A machine float no larger than any number of the ball; minus infinity where it is not finite.

    Below 10⁻³⁰⁸ and beyond 10³⁰⁸ the nearest float is 0 or infinite; the one below it is not too large either way.
    """
    return math.nextafter(float(x.lower()), -math.inf) if x.is_finite() else -math.inf


def ceil_float(x: Ball) -> float:
    """A machine float no smaller than any number of the ball."""
    return -floor_float(-x)


def sign(x: Ball) -> int:
    """+1 or −1 where all points have that sign, otherwise 0."""
    return 1 if x > 0 else -1 if x < 0 else 0


def widest(balls: Sequence[Ball]) -> float:
    """The largest radius relative to the midpoint; infinite for a ball about 0."""
    return max((float((x.rad() / abs(x.mid())).upper()) if x.mid() != 0 else math.inf for x in balls), default=0.0)
