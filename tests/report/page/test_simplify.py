"""Fewer points, the same drawing."""

from __future__ import annotations

import numpy as np

from verify.report.page.simplify import simplify

NONE = np.array([], dtype=int)


def test_corners_are_kept_and_straight_stretches_are_not() -> None:
    t = np.linspace(0.0, 100.0, 1001)
    curves = np.column_stack([np.minimum(t, 30.0), np.maximum(t, 70.0)]) / 100
    assert simplify(t, curves, 1e-6, 50, NONE).tolist() == [0, 300, 700, 1000]


def test_lines_stay_within_the_tolerance() -> None:
    t = np.sort(np.random.default_rng(0).uniform(0.0, 6.0, 2000))
    curves = np.column_stack([np.sin(t), np.exp(-t)])
    kept = simplify(t, curves, 0.01, 500, np.array([77]))
    assert 77 in kept and len(kept) < 60
    for line in curves.T:
        assert np.abs(np.interp(t, t[kept], line[kept]) - line).max() <= 0.01


def test_the_limit_on_points_is_kept_and_infinities_do_no_harm() -> None:
    t = np.linspace(0.0, 1.0, 400)
    curves = np.column_stack([np.sin(60 * t), np.where(t > 0.5, -np.inf, t)])
    assert len(simplify(t, curves, 0.0, 40, NONE)) == 40
