"""Dataset: the derived constants against hand values, orientation, and every refusal."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.problems import ROTATION
from verify.dataset import Dataset
from verify.errors import InvalidDataset

SIZES = st.floats(0.1, 10.0)
NEAR_TIE = ["1", "-0.99999999999999999999"]


@st.composite
def label_lists(draw):
    """Labels of both signs; the first, 30, makes a tie impossible."""
    others = draw(st.lists(st.tuples(SIZES, st.sampled_from([-1, 1])), min_size=0, max_size=3))
    return [30.0, -draw(SIZES)] + [size * sign for size, sign in others]


def conditions(data: Dataset, epsilon: float) -> tuple[float, float, float]:
    """The slack of the three conditions that bound epsilon, written as the theory prints them."""
    r, alpha, alpha_minus = data.ratio, data.alpha_plus, data.alpha_minus
    a = (1 - epsilon) - (1 + 3 * epsilon) * max(1 - alpha, 1 / r)
    b = (1 - epsilon) - (1 + 3 * r * epsilon) * (1 - alpha_minus)
    return a, b, 1 - 3 * r * epsilon


def test_constants_of_a_hand_example():
    data = Dataset(ROTATION, [4, -3])
    np.testing.assert_allclose(data.d_plus, [1.2, 1.6, 0], rtol=1e-15)
    np.testing.assert_allclose(data.d_minus, [1.2, -0.9, 0], rtol=1e-15)
    assert (data.n, data.d, data.norm_plus, data.norm_minus, data.ratio) == (2, 3, 2.0, 1.5, 2.0 / 1.5)
    assert (data.alpha_plus, data.alpha_minus) == (0.5, 0.5)
    assert data.positive.tolist() == [True, False]
    assert data.negative.tolist() == [False, True]


def test_alpha_of_several_labels():
    data = Dataset.standard([3, 4, -1])
    assert data.alpha_plus == pytest.approx(9 / (2 * 25), rel=1e-15)
    assert data.norm_plus == pytest.approx(np.linalg.norm(data.d_plus), rel=1e-15)


@given(label_lists())
def test_epsilon_max_is_the_largest_that_meets_the_conditions(y):
    data = Dataset.standard(y)
    slack = conditions(data, data.epsilon_max)
    assert min(slack) == pytest.approx(0, abs=1e-12)
    assert min(conditions(data, 1.001 * data.epsilon_max)) < 0


@given(label_lists())
def test_orientation_is_an_involution_that_keeps_epsilon(y):
    data = Dataset.standard(y)
    mirrored = Dataset.standard([-v for v in y])
    assert data.is_oriented and not mirrored.is_oriented
    assert data.oriented() is data
    assert mirrored.oriented() == data
    assert mirrored.oriented().flipped and not mirrored.flipped
    assert mirrored.epsilon_max == data.epsilon_max
    assert mirrored.ratio == pytest.approx(1 / data.ratio, rel=1e-15)


def test_labels_of_one_sign_are_legal():
    data = Dataset.standard([1, 2])
    assert (data.norm_minus, data.ratio) == (0.0, math.inf)
    assert math.isnan(data.alpha_minus)
    assert not data.d_minus.any()
    assert data.epsilon_max == data.alpha_plus / (4 - 3 * data.alpha_plus)
    negative = Dataset.standard([-1, -2])
    assert negative.ratio == 0.0 and negative.epsilon_max == data.epsilon_max


def test_a_near_tie_is_legal_and_resolved_exactly():
    data = Dataset.standard(NEAR_TIE)
    assert data.ratio == 1.0 and data.is_oriented
    gap = 1 - abs(Fraction(NEAR_TIE[1]))
    assert data.epsilon_max == pytest.approx(float(gap / 4), rel=1e-12)


def test_wide_dynamic_range_neither_overflows_nor_underflows():
    data = Dataset.standard([3e200, 4e200, -1e-170])
    assert data.norm_plus == pytest.approx(5e200 / 3, rel=1e-15)
    assert data.alpha_plus == pytest.approx(0.18, rel=1e-15)
    assert data.ratio == math.inf and data.epsilon_max == 0.0


def test_standard_basis_has_one_form():
    assert Dataset(np.eye(2, 3), [1, -2]) == Dataset.standard([1, -2], d=3)
    assert Dataset.standard([1, -2], d=3).is_standard
    assert not Dataset(ROTATION, [1, -2]).is_standard
    np.testing.assert_array_equal(Dataset.standard([1, -2], d=3).x, np.eye(2, 3))


def test_numbers_keep_their_decimals():
    data = Dataset(ROTATION, ["0.1", "-0.30000000000000000001"])
    assert data.exact_x is not None
    assert data.exact_x.decimals()[0, 0] == Decimal("0.6")
    assert data.exact_y.decimals()[1] == Decimal("-0.30000000000000000001")
    assert data.oriented().exact_y.decimals()[1] == Decimal("0.30000000000000000001")


def test_arrays_are_read_only():
    data = Dataset.standard([1, -2])
    for array in (data.x, data.y, data.d_plus, data.d_minus):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        ([[1, 0], [0.5, 1]], [1, 2], r"orthonormal rows: <x\[0\], x\[1\]> = 0.5 should be 0"),
        ([[1, 0], [0, 2]], [1, 2], r"<x\[1\], x\[1\]> = 4 should be 1 to 1e-12; numpy.linalg.qr"),
        ([[1, 1e-11], [0, 1]], [1, 2], r"<x\[0\], x\[1\]> = 9.99\d*e-12 should be 0"),
        ([[1, 0], [0, 1]], [1], r"x has 2 rows but y has 1 labels; give one row a label"),
        ([[1], [1]], [1, 2], r"n = 2 inputs cannot be orthonormal in d = 1 dimensions; n <= d is needed"),
        ([1, 0], [1], r"x must be two-dimensional"),
        ([[1, 0], [0]], [1, 2], r"x\[1\] is of length 1 but x\[0\] is of length 2"),
        ([[1, float("nan")]], [1], r"x\[0, 1\] = nan must be finite"),
        (None, [1, 0, 2], r"y\[1\] = 0 is zero in float64; every label must be non-zero"),
        (None, [1, "-1e-400"], r"y\[1\] = -1E-400 is zero in float64"),
        (None, [], r"y is empty; at least one label is needed"),
        (None, [[1, 2]], r"y must be one-dimensional; got shape \(1, 2\)"),
        (None, [3, 4, -5], r"y: .* have the same norm 5 exactly; Assumption 2 asks for different norms"),
        (None, ["0.3", "0.4", "-0.5"], r"y: .* have the same norm 0.5 exactly"),
        (None, [1, float("inf")], r"y\[1\] = inf must be finite"),
    ],
)
def test_bad_datasets_are_refused(x, y, message):
    with pytest.raises(InvalidDataset, match=message):
        Dataset(x, y)


@pytest.mark.parametrize("d", [1, 4])
def test_a_contradictory_dimension_is_refused(d):
    with pytest.raises(InvalidDataset, match=rf"d = {d} contradicts x of shape \(2, 3\); leave d out"):
        Dataset(ROTATION, [1, -2], d=d)


def test_standard_refuses_too_few_dimensions():
    with pytest.raises(InvalidDataset, match="n = 2 inputs cannot be orthonormal in d = 1"):
        Dataset.standard([1, -2], d=1)
