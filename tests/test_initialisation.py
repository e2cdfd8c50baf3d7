"""Initialisation: derived quantities, exactness, and every refusal."""

from decimal import Decimal

import numpy as np
import pytest

from verify.errors import InvalidInitialisation
from verify.initialisation import Initialisation, row_norms

G = [[3, 4], [0, -2]]


def test_norms_and_their_extremes():
    start = Initialisation(G, [1, -1], 14)
    assert start.norms.tolist() == [5.0, 2.0]
    assert (start.c, start.c_low, start.m, start.d) == (5.0, 2.0, 2, 2)
    assert start.minus_log_lambda == 14.0 and start.is_balanced and start.output_scale is None


def test_norms_survive_the_squares_underflowing_and_overflowing():
    rows = np.array([[3e-200, 4e-200], [3e200, 4e200], [5e-324, 0.0], [0.0, 0.0]])
    np.testing.assert_allclose(row_norms(rows), [5e-200, 5e200, 5e-324, 0.0], rtol=1e-15, atol=0)


@pytest.mark.parametrize("value", [-3, 0, "1e6", 1500.25])
def test_any_finite_scale_is_legal(value):
    assert Initialisation(G, [1, -1], value).minus_log_lambda == float(value)


def test_numbers_keep_their_decimals():
    start = Initialisation([["0.1", 1], [2, 3]], [1, -1], "0.30000000000000000001")
    assert start.exact_directions.decimals()[0, 0] == Decimal("0.1")
    assert start.exact_minus_log_lambda == Decimal("0.30000000000000000001")


def test_equality_is_by_decimals():
    assert Initialisation(G, [1, -1], 14) == Initialisation(np.array(G, float), ["1", "-1.0"], "14.0")
    assert Initialisation(G, [1, -1], 14) != Initialisation(G, [1, -1], "14.00000000000000000001")
    assert Initialisation(G, [1, -1], 14) != Initialisation(G, [1, -1], 14, [5, 2])


def test_flipping_negates_the_signs_only():
    start = Initialisation(G, [1, -1], 14, output_scale=[1, 2])
    assert start.flipped().signs.tolist() == [-1.0, 1.0]
    assert start.flipped().flipped() == start
    assert start.flipped().output_scale.tolist() == [1.0, 2.0]
    assert not start.is_balanced


def test_a_million_neurons_need_no_decimals(monkeypatch):
    monkeypatch.setattr("verify.decimals.ExactArray.decimals", None)
    start = Initialisation(np.ones((10**6, 8)), np.ones(10**6), 20)
    assert start.c == pytest.approx(8**0.5)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ([[1, 2], [0, 0]], [1, 1], 1),
            r"directions\[1\] = \[0.0, 0.0\] is the zero vector; every g_j must be",
        ),
        (([[1, float("nan")]], [1], 1), r"directions\[0, 1\] = nan must be finite"),
        (([1, 2], [1], 1), r"directions must be two-dimensional .* got shape \(2,\)"),
        (([[1, 2], [3]], [1, 1], 1), r"directions\[1\] is of length 1 but directions\[0\] is of length 2"),
        ((np.empty((0, 3)), [], 1), r"directions has shape \(0, 3\); at least one neuron is needed"),
        ((G, [1], 1), r"signs has 1 entries but directions has 2 rows; give one entry a neuron"),
        ((G, [[1, -1]], 1), r"signs must be one-dimensional; got shape \(1, 2\)"),
        ((G, [1, 0], 1), r"signs\[1\] = 0 must be \+1 or -1"),
        ((G, [1, 2.5], 1), r"signs\[1\] = 2.5 must be \+1 or -1"),
        ((G, [1, "-1.00000000000000000000000000000001"], 1), r"signs\[1\] = -1.0+1 must be \+1 or -1"),
        ((G, [True, -1], 1), r"signs\[0\] = True is a bool"),
        ((G, [1, -1], float("inf")), "minus_log_lambda = inf must be finite"),
        ((G, [1, -1], float("nan")), "minus_log_lambda = nan must be finite"),
        ((G, [1, -1], "large"), "minus_log_lambda = 'large' is not a decimal number"),
        ((G, [1, -1], None), "minus_log_lambda = None is of type NoneType; give a number"),
        ((G, [1, -1], 1, [1]), "output_scale has 1 entries but directions has 2 rows"),
        (
            (G, [1, -1], 1, [1, -2]),
            r"output_scale\[1\] = -2 must be positive; the sign of a_j belongs in signs",
        ),
        ((G, [1, -1], 1, [0, 1]), r"output_scale\[0\] = 0 must be positive"),
        ((G, [1, -1], 1, [1, float("nan")]), r"output_scale\[1\] = nan must be finite"),
    ],
)
def test_bad_initialisations_are_refused(arguments, message):
    with pytest.raises(InvalidInitialisation, match=message):
        Initialisation(*arguments)
