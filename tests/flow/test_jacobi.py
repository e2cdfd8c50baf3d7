"""Jacobi's rotations: against LAPACK, in any arithmetic, and on couplings far below the unit roundoff."""

import mpmath
import numpy as np
import pytest

from verify.flow.float64 import FLOAT64
from verify.flow.multiprecision import multiprecision


def symmetric(seed, size):
    b = np.random.default_rng(seed).normal(size=(size, size))
    return b @ b.T


@pytest.mark.parametrize("size", [1, 2, 3, 8, 40])
def test_agrees_with_lapack(size):
    matrix = symmetric(size, size)
    values, vectors = FLOAT64.eigh(matrix)
    np.testing.assert_allclose(np.sort(values), np.linalg.eigvalsh(matrix), rtol=1e-11)
    np.testing.assert_allclose(vectors @ np.diag(values) @ vectors.T, matrix, atol=1e-12 * np.abs(matrix).max())
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(size), atol=1e-13)


def test_many_digits():
    arithmetic = multiprecision(60)
    with arithmetic.context():
        matrix = arithmetic.array(symmetric(1, 4))
        values, vectors = arithmetic.eigh(matrix)
        back = vectors @ np.diag(values) @ vectors.T
        assert arithmetic.magnitude(back - matrix).max() < -60 * np.log(10)


@pytest.mark.parametrize("coupling", [1e-20, 1e-160, 1e-300])
def test_a_coupling_below_rounding_is_kept_to_relative_accuracy(coupling):
    """First order: v₀ = (1, c/(d₀ − d₁), …); through the middle coordinate, second order."""
    matrix = np.array([[3.0, coupling, 0.0], [coupling, 1.0, 0.5], [0.0, 0.5, 2.0]])
    values, vectors = FLOAT64.eigh(matrix)
    first = vectors[:, int(np.argmin(np.abs(values - 3.0)))]
    with mpmath.workdps(700):
        right = mpmath.lu_solve(mpmath.matrix([[2, -0.5], [-0.5, 1]]), mpmath.matrix([coupling, 0]))
    np.testing.assert_allclose(first[1:] / first[0], [float(right[0]), float(right[1])], rtol=1e-13)


def test_a_diagonal_matrix_is_left_alone():
    values, vectors = FLOAT64.eigh(np.diag([2.0, 5.0, 1.0]))
    assert values.tolist() == [2.0, 5.0, 1.0]
    np.testing.assert_array_equal(vectors, np.eye(3))
