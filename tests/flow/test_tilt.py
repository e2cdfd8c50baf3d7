"""The tilt of aligned neurons against its differential equation, integrated by quadrature."""

import mpmath
import numpy as np
import pytest

from verify.flow.float64 import FLOAT64
from verify.flow.multiprecision import multiprecision
from verify.flow.tilt import Tilt

EXPONENTS, ENTRIES = (0.2, 0.9, 1.0, 1.7), ((1.0, -2.0), (0.5, 3.0), (-1.5, 0.0), (0.25, 1.0))


def integrated(begin: float, w: float, coordinate: int) -> tuple[mpmath.mpf, mpmath.mpf]:
    """y(w) = (v/w)^(1/2) ∫ d(s) (s/(1 − s))^(1/2) ds/(2s(1 − s)), and d − wy."""

    def d(s):
        return sum(e[coordinate] * mpmath.power(s, mpmath.mpf(c) / 2) for c, e in zip(EXPONENTS, ENTRIES, strict=True))

    nodes = [*np.geomspace(begin, min(w, 0.5), 12).tolist(), *(x for x in (0.6, 0.8, 0.95) if x < w), w]
    nodes[0], w = mpmath.mpf(begin), mpmath.mpf(w)
    y = mpmath.quad(lambda s: d(s) * mpmath.sqrt(s / (1 - s)) / (2 * s * (1 - s)), nodes) * mpmath.sqrt((1 - w) / w)
    return y, d(w) - w * y


@pytest.mark.parametrize("begin", [1e-12, 0.2])
@pytest.mark.parametrize(("arithmetic", "rtol"), [(FLOAT64, 1e-13), (multiprecision(30), 1e-28)])
def test_it_is_the_integral(arithmetic, rtol, begin):
    with arithmetic.context(), mpmath.workdps(45):
        number = arithmetic.number
        tilt = Tilt(arithmetic.array(EXPONENTS), arithmetic.array(ENTRIES), number(begin), arithmetic)
        for w in (2 * begin, 0.45, 0.5, 0.55, 0.9, 0.999):
            found = tilt.at(number(w), 1 - number(w))
            for coordinate in (0, 1):
                for ours, theirs in zip(found, integrated(begin, w, coordinate), strict=True):
                    scale = max(abs(theirs), mpmath.mpf(1e-3) * mpmath.power(w, 0.1))
                    assert abs(arithmetic.export(ours[coordinate]) - theirs) < rtol * scale * 10


def test_what_is_left_across_keeps_its_digits():
    """Where nearly all is fitted d and wy cancel; what remains is a multiple of (1 − w)^(1/2)."""
    sharp = multiprecision(40)
    rough = Tilt(np.array(EXPONENTS), np.array(ENTRIES), 1e-17, FLOAT64)
    v = np.array([0.4, 1e-3, 1e-9, 1e-16])
    with sharp.context():
        exact = Tilt(sharp.array(EXPONENTS), sharp.array(ENTRIES), sharp.number(1e-17), sharp)
        left = sharp.array(v)
        theirs = exact.at(1 - left, left)[1].astype(float)
    np.testing.assert_allclose(rough.at(1 - v, v)[1], theirs, rtol=1e-13)
    assert abs(theirs[-1] / theirs[-2]) == pytest.approx(np.full(2, 10**-3.5), rel=1e-3)


def test_at_the_begin_there_is_none_yet():
    tilt = Tilt(np.array(EXPONENTS), np.array(ENTRIES), 1e-10, FLOAT64)
    y, rest = tilt.at(np.float64(1e-10), 1 - 1e-10)
    np.testing.assert_allclose(y, 0.0, atol=1e-16)
    np.testing.assert_allclose(rest, np.array(ENTRIES).T @ 1e-10 ** (np.array(EXPONENTS) / 2), rtol=1e-9)
