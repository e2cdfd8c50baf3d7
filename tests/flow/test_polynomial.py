"""Polynomials: values, slopes, counted sign changes, and roots."""

import mpmath
import numpy as np
import pytest

from verify.flow.polynomial import bernstein_matrix, bracketed_root, horner, powers_of, sign_changes, slope, values_at


def test_values_and_slopes():
    c = np.array([1.0, -2.0, 0.5, 3.0])
    assert horner(c, 2.0) == 1 - 4 + 2 + 24
    assert slope(c, 2.0) == -2 + 2 + 36


def test_powers():
    assert powers_of(0.5, 4).tolist() == [1, 0.5, 0.25, 0.125]
    assert powers_of(0.0, 3).tolist() == [1, 0, 0]
    exact = powers_of(mpmath.mpf(1) / 3, 3)
    assert exact[2] == (mpmath.mpf(1) / 3) ** 2
    np.testing.assert_array_equal(powers_of(np.array([0.5, 2.0]), 3), [[1, 0.5, 0.25], [1, 2, 4]])
    many = powers_of(np.array([mpmath.mpf(1) / 3, mpmath.mpf(2)]), 3)
    assert many.tolist() == [exact.tolist(), [1, 2, 4]]


def test_values_of_many_series_at_one_argument_and_at_many():
    series = np.arange(12.0).reshape(2, 2, 3)
    one = values_at(series, powers_of(2.0, 3))
    assert one.tolist() == [[horner(series[i, j], 2.0) for j in range(2)] for i in range(2)]
    many = values_at(series, powers_of(np.array([-1.0, 2.0]), 3))
    np.testing.assert_array_equal(many[1], one)
    assert many.shape == (2, 2, 2)


@pytest.mark.parametrize("size", [2, 5, 29])
def test_bernstein_coefficients_reproduce_the_polynomial(size):
    c = np.random.default_rng(size).normal(size=size)
    b = bernstein_matrix(size) @ c
    last = size - 1
    for x in (0.0, 0.3, 1.0):
        basis = [float(mpmath.binomial(last, i)) * x**i * (1 - x) ** (last - i) for i in range(size)]
        assert np.dot(b, basis) == pytest.approx(horner(c, x), abs=1e-12)


@pytest.mark.parametrize("seed", range(30))
def test_sign_changes_are_at_least_the_roots(seed):
    """And of the same parity; none proves that there is no root."""
    rng = np.random.default_rng(seed)
    roots = rng.uniform(-1, 3, size=5)
    c = np.polynomial.polynomial.polyfromroots(roots)
    inside = int(((roots > 0) & (roots < 1.5)).sum())
    changes = sign_changes(c, 1.5, bernstein_matrix(6))
    assert changes >= inside
    assert (changes - inside) % 2 == 0


def test_sign_changes_see_a_pair_of_close_roots():
    c = np.polynomial.polynomial.polyfromroots([0.5, 0.5001, 4.0])
    assert sign_changes(c, 1.0, bernstein_matrix(4)) == 2
    assert sign_changes(c, 0.4, bernstein_matrix(4)) == 0


@pytest.mark.parametrize(
    ("root", "sign"), [(1e-12, 1.0), (0.1, 1.0), (0.1, -1.0), (0.5, 1.0), (0.99, 1.0), (0.99, -1.0), (1.0, 1.0)]
)
def test_roots(root, sign):
    c = sign * np.polynomial.polynomial.polyfromroots([root, -2.0, 5.0, 1j, -1j]).real
    assert bracketed_root(c, 1.0) == pytest.approx(root, rel=1e-14)


def test_roots_where_the_first_slope_misleads():
    """Flat at the start, steep later: plain Newton from 0 would leave the bracket."""
    c = np.array([1.0, -1e-3, 0.0, 0.0, 0.0, -8.0])
    root = bracketed_root(c, 1.0)
    assert 0 < root < 1
    assert abs(horner(c, root)) < 1e-14
    c = np.array([1.0, 0.0, -4.0])
    assert bracketed_root(c, 1.0) == 0.5


def test_roots_at_many_digits():
    with mpmath.workdps(60):
        c = np.array([mpmath.mpf(-2), mpmath.mpf(0), mpmath.mpf(1)], dtype=object)
        assert abs(bracketed_root(c, mpmath.mpf(2)) - mpmath.sqrt(2)) < mpmath.mpf(10) ** -58
