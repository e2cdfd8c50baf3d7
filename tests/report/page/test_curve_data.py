"""Curves as the page gets them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tests.report.page.study import curves
from verify.report.page.curve_data import MOST_OTHERS, curve_data
from verify.report.page.quantise import decode


def test_simplified_curves_are_the_same_curves() -> None:
    whole = curves()
    packed = curve_data(whole)
    times = decode(packed["times"])
    assert len(times) < 60 and (times[0], times[-1]) == (0.0, 100.0)
    assert (packed["groups"], packed["tilt_groups"], packed["neurons"]) == ([0, -1, 1], [-1, 1], [2, 1, 0])
    for column, j in zip(packed["norms"], packed["neurons"], strict=True):
        np.testing.assert_allclose(decode(column), np.interp(times, whole.times, whole.log_norms[:, j]), atol=0.3)
    assert np.isneginf(decode(packed["loss"])[-1])
    assert packed["phases"] == {"t_plus1": 5.0, "t1": 9.0, "t2": 60.0}
    assert np.abs(times[:, None] - np.array([5.0, 9.0, 60.0])).min(axis=0).max() < 0.2


def test_of_many_idle_neurons_some_are_drawn() -> None:
    few = curves()
    many = replace(
        few,
        log_norms=np.hstack([few.log_norms, np.full((400, 50), -80.0)]),
        plus=np.concatenate([few.plus, np.zeros(50, bool)]),
        minus=np.concatenate([few.minus, np.zeros(50, bool)]),
    )
    packed = curve_data(many)
    assert packed["groups"].count(0) == MOST_OTHERS and packed["hidden"] == 51 - MOST_OTHERS
