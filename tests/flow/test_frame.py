"""The label frame: orthonormal, exact along the target, accurate entry by entry."""

import mpmath
import numpy as np
import pytest

from verify.flow.float64 import FLOAT64
from verify.flow.frame import Frame

WIDE = [1e-6, 1.0, 1e6, -1e-5, -2.0, 2e5, -3e-12]


@pytest.mark.parametrize("y", [[1.0, 2.0], [1.0, -0.5, 0.75, -3.0], [1.0], [1e-3, -1.0], WIDE])
def test_axes_are_orthonormal_and_start_with_the_target(y):
    y = np.array(y)
    frame = Frame.of(y, FLOAT64)
    np.testing.assert_allclose(frame.axes @ frame.axes.T, np.eye(len(y)), atol=3e-16)
    for block, side in ((0, y > 0), (1, y < 0)):
        members = frame.framed & (frame.block == block)
        assert members.tolist() == (side if side.sum() >= 2 else np.zeros_like(side)).tolist()
        if members.any():
            target = np.where(side, np.abs(y), 0) / np.linalg.norm(y[side])
            (axis,) = np.flatnonzero(members & frame.axis)
            np.testing.assert_allclose(frame.axes[axis], target, rtol=1e-15)
    assert frame.off_axis.tolist() == (frame.framed & ~frame.axis).tolist()
    assert (frame.axes[~frame.framed] == np.eye(len(y))[~frame.framed]).all()


def test_entries_are_accurate_one_by_one():
    """Over 18 orders of magnitude, against the same reflection at 60 digits."""
    y = np.array(WIDE)
    frame = Frame.of(y, FLOAT64)
    with mpmath.workdps(60):
        for side in (y > 0, y < 0):
            members = np.flatnonzero(side)
            v = [abs(mpmath.mpf(float(y[k]))) for k in members]
            size = mpmath.sqrt(sum(x * x for x in v))
            u = [x / size for x in v]
            pivot = max(range(len(u)), key=lambda i: u[i])
            for i, k in enumerate(members):
                for q, label in enumerate(members):
                    exact = u[i] * u[q] / (1 + u[pivot]) - (i == q)
                    exact = u[q] if i == pivot else u[i] if q == pivot else exact
                    assert float(abs(frame.axes[k, label] / exact - 1)) < 1e-15


def test_there_and_back():
    rng = np.random.default_rng(0)
    frame = Frame.of(np.array([1.0, -0.5, 0.75, -3.0, 2.0]), FLOAT64)
    v = rng.normal(size=(7, 5))
    np.testing.assert_allclose(frame.to_labels(frame.to_axes(v)), v, atol=1e-15)
    np.testing.assert_allclose(np.linalg.norm(frame.to_axes(v), axis=1), np.linalg.norm(v, axis=1))


def test_only_neurons_active_on_a_whole_block_are_rotated():
    frame = Frame.of(np.array([1.0, -0.5, 0.75, -3.0]), FLOAT64)
    active = np.array([[1, 0, 1, 0], [1, 1, 0, 1], [1, 1, 1, 1], [0, 0, 0, 0]], dtype=bool)
    rotated = frame.rotated(active)
    assert rotated.astype(int).tolist() == [[1, 0, 1, 0], [0, 1, 0, 1], [1, 1, 1, 1], [0, 0, 0, 0]]
    assert frame.channel(active, rotated).tolist() == [[4, -1, 6, -1], [0, 5, -1, 7], [4, 5, 6, 7], [-1, -1, -1, -1]]


def test_blocks_can_be_left_out():
    y = np.array([1.0, -0.5, 0.75, -3.0])
    frame = Frame.of(y, FLOAT64, without=np.array([True, False, False, False]))
    assert frame.framed.tolist() == [False, True, False, True]


def test_a_block_is_the_same_when_its_labels_are():
    one = Frame.of(np.array([1.0, -0.5, 0.75, -3.0]), FLOAT64)
    two = Frame.of(np.array([1.0, 0.75, -3.0]), FLOAT64)
    assert two.same_block(one, np.array([0, 2, 3]), np.arange(4)).tolist() == [True, True, False]
