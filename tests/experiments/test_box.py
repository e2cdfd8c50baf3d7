"""The convex problem that decides which pairs slide: its optimality conditions, and scipy's answer."""

import numpy as np
from scipy.optimize import lsq_linear

from verify.experiments import box


def test_conditions_hold_and_scipy_agrees(monkeypatch) -> None:
    rng = np.random.default_rng(0)
    for size in (1, 2, 5, 12):
        for _ in range(20):
            root = np.linalg.qr(rng.normal(size=(size, size))).R + np.eye(size)
            matrix, linear = root.T @ root, 3 * rng.normal(size=size)
            low, high = np.sort(rng.normal(size=(2, size)), axis=0)
            side = box.box_minimum(matrix, linear, low, high)
            found = lsq_linear(root, -np.linalg.solve(root.T, linear), (low, high), method="bvls", tol=1e-14)
            assert side.tolist() == found.active_mask.tolist()
    monkeypatch.setattr(box, "PIVOTS", -1)
    assert box.box_minimum(np.eye(2), np.array([-0.5, 3.0]), np.zeros(2), np.ones(2)).tolist() == [0, -1]


def test_ties_stay_at_the_smaller_pull() -> None:
    assert box.box_minimum(np.eye(1), np.zeros(1), np.array([-1.0]), np.zeros(1)).tolist() == [1]
    assert box.box_minimum(np.eye(1), np.zeros(1), np.zeros(1), np.array([2.0])).tolist() == [-1]
