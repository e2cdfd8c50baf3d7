"""Columns survive their 16 bits."""

from __future__ import annotations

import numpy as np
import pytest

from verify.report.page.quantise import STEPS, column, decode


@pytest.mark.parametrize(
    ("transform", "values"),
    [
        ("linear", np.linspace(-3.0, 8.0, 50)),
        ("log", np.geomspace(1e-30, 1e12, 50)),
        ("asinh", np.concatenate([-np.geomspace(1e-5, 1e9, 30), [0.0], np.geomspace(1e-5, 1e9, 30)])),
    ],
)
def test_the_error_is_half_a_step(transform: str, values: np.ndarray) -> None:
    unit = 1e-3
    forward = {"linear": lambda v: v, "log": np.log, "asinh": lambda v: np.arcsinh(v / unit)}[transform]
    back = decode(column(values, transform, unit))
    span = np.ptp(forward(values))
    assert np.abs(forward(back) - forward(values)).max() <= 0.5001 * span / STEPS


def test_special_values_keep_their_kind() -> None:
    values = np.array([np.nan, np.inf, -np.inf, 2.0, 5.0])
    np.testing.assert_allclose(decode(column(values, "asinh")), values, rtol=1e-3)
    assert np.isnan(decode(column(np.array([-1.0, 1.0]), "log"))[0])


def test_one_value_and_none() -> None:
    assert decode(column(np.full(3, 7.5))).tolist() == [7.5] * 3
    assert np.isnan(decode(column(np.full(3, np.nan)))).all()
    assert decode(column(np.array([]))).size == 0
