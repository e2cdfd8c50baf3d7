"""The float64 arithmetic: its few functions, and the limits they must respect."""

import numpy as np

from verify.flow.float64 import FLOAT64


def test_logarithm_of_zero_is_minus_infinity_without_a_warning():
    with np.errstate(all="raise"):
        assert FLOAT64.log(np.array([0.0, 1.0])).tolist() == [-np.inf, 0.0]
        assert FLOAT64.magnitude(np.array([0.0, -1.0])).tolist() == [-np.inf, 0.0]


def test_unit_roundoff_and_size():
    assert 1.0 + 2.1 * FLOAT64.epsilon > 1.0
    assert 1.0 + 0.9 * FLOAT64.epsilon == 1.0
    assert not FLOAT64.wide


def test_eigenvectors_of_symmetric_matrices():
    b = np.random.default_rng(0).normal(size=(4, 4))
    matrix = b @ b.T
    values, vectors = FLOAT64.eigh(matrix)
    np.testing.assert_allclose(vectors @ np.diag(values) @ vectors.T, matrix, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(4), atol=1e-14)


def test_arrays_are_float64():
    assert FLOAT64.array([1, 2]).dtype == np.float64
    assert FLOAT64.zeros((2, 3)).tolist() == [[0.0] * 3] * 2
