"""Exact decimals: what is read, what is refused, and that no spelling or context changes the value."""

import json
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from verify.decimals import canonical_number, exact_array, exact_number, json_number
from verify.errors import InvalidArgument, InvalidDataset

FINITE = st.floats(allow_nan=False, allow_infinity=False)
DECIMALS = st.builds(
    lambda digits, exponent: Decimal(digits).scaleb(exponent),
    st.integers(-(10**20), 10**20),
    st.integers(-40, 40),
)
LONG = "0.1000000000000000055511151231257827021181583404541015625"


@given(FINITE)
def test_a_float_means_the_decimal_it_prints(value):
    assert exact_number(value, "y") == Decimal(repr(value))


@given(st.lists(FINITE, min_size=1))
def test_float_arrays_are_kept_bit_for_bit(values):
    array = exact_array(np.array(values), "y", 1)
    assert array.float64.tobytes() == np.array(values).tobytes()
    assert [float(v) for v in array.decimals()] == values


@given(st.lists(DECIMALS, min_size=1))
def test_json_round_trip_keeps_every_decimal(values):
    array = exact_array(values, "y", 1)
    again = exact_array(json.loads(json.dumps(array.to_json()), parse_float=Decimal), "y", 1)
    assert again == array
    assert again.canonical() == array.canonical()
    assert hash(again) == hash(array)


@given(DECIMALS)
def test_json_numbers_are_floats_only_when_exact(value):
    written = json_number(value)
    assert Decimal(str(written)) == value


@given(DECIMALS, st.integers(0, 5))
def test_canonical_form_ignores_trailing_zeros_and_context(value, zeros):
    padded = Decimal(f"{value:f}" + ("" if "." in f"{value:f}" else ".") + "0" * zeros)
    with localcontext(prec=3):
        assert canonical_number(padded) == canonical_number(value)
        assert Decimal(str(canonical_number(value))) == value


def test_all_spellings_are_one_array():
    arrays = [exact_array(value, "y", 1) for value in ([1, 0.5], ["1.00", "5e-1"], np.array([1.0, 0.5]))]
    arrays.append(exact_array([Decimal(1), np.float64(0.5)], "y", 1))
    assert all(array == arrays[0] for array in arrays)
    assert len({hash(array) for array in arrays}) == 1
    assert all(array.canonical() == [1.0, 0.5] for array in arrays)


def test_decimals_that_round_to_one_float_stay_different():
    short, long = exact_array(["0.1"], "y", 1), exact_array([LONG], "y", 1)
    assert short.float64 == long.float64
    assert short != long
    assert long.to_json() == [LONG]
    assert long.fractions()[0] == Fraction(LONG)


def test_integers_above_2_to_the_53_stay_exact():
    values = [2**53 + 1, -(2**63)]
    assert list(exact_array(np.array(values), "y", 1).decimals()) == values


@pytest.mark.parametrize("value", [np.array([1.5, -2.0]), ["1.5", LONG]])
def test_negation_is_exact(value):
    array = exact_array(value, "y", 1)
    assert list(array.negated().fractions()) == [-v for v in array.fractions()]


def test_arrays_are_read_only_copies():
    given_array = np.array([1.0, 2.0])
    array = exact_array(given_array, "y", 1)
    given_array[0] = 9.0
    assert array.float64[0] == 1.0
    with pytest.raises(ValueError, match="read-only"):
        array.float64[0] = 3.0


def test_a_million_floats_build_no_decimals(monkeypatch):
    monkeypatch.setattr("verify.decimals.Decimal", None)
    assert exact_array(np.ones((10**6, 8)), "g", 2).float64.shape == (10**6, 8)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([1.0, float("nan")], r"y\[1\] = nan must be finite"),
        (np.array([1.0, 2.0, -np.inf]), r"y\[2\] = -inf must be finite"),
        (["1", "Infinity"], r"y\[1\] = Infinity must be finite"),
        (["sNaN"], r"y\[0\] = sNaN must be finite"),
        (["1", "one"], r"y\[1\] = 'one' is not a decimal number such as '0.25'"),
        ([True, 1], r"y\[0\] = True is a bool; give a number"),
        (np.array([False]), r"y\[0\] = False is a bool"),
        ([1, 2j], r"y\[1\] = 2j is of type complex; give a number or a decimal string"),
        ([1, None], r"y\[1\] = None is of type NoneType"),
        (["1e999"], r"y\[0\] = 1e999 is too large: numbers must stay below 1.798e\+308"),
        (["1", "1e-999999999"], r"y\[1\] = 1e-999999999 is too small"),
        ([[1, 2]], r"y must be one-dimensional; got shape \(1, 2\)"),
        (3.0, r"y must be one-dimensional; got shape \(\)"),
        ([1, [2, 3]], r"y\[1\] is of length 2 but y\[0\] is a number"),
    ],
)
def test_bad_vectors_are_refused_by_name_and_index(value, message):
    with pytest.raises(InvalidArgument, match=message):
        exact_array(value, "y", 1)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (
            [[1, 2], [3]],
            r"x\[1\] is of length 1 but x\[0\] is of length 2: every row must have the same length",
        ),
        ([np.zeros((2, 2)), np.zeros((2, 3))], "x is ragged|x must be two-dimensional"),
        ([[1, 2], [3, "?"]], r"x\[1, 1\] = '\?' is not a decimal number"),
        (np.array([[1.0, np.nan]]), r"x\[0, 1\] = nan must be finite"),
        ([1, 2], r"x must be two-dimensional \(a list of equally long rows\); got shape \(2,\)"),
    ],
)
def test_bad_matrices_are_refused_by_name_and_index(value, message):
    with pytest.raises(InvalidDataset, match=message):
        exact_array(value, "x", 2, InvalidDataset)


def test_bad_numbers_raise_the_error_asked_for():
    with pytest.raises(InvalidDataset, match="epsilon = 'small' is not a decimal number"):
        exact_number("small", "epsilon", InvalidDataset)
