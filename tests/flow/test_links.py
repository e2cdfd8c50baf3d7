"""What lies between two compiled steps, by hand."""

import numpy as np
import pytest

from verify.flow.links import crowded, ordinary, reach_of, shares_left, switch_off, whole

FRAMED, BLOCK = np.array([True, True, False]), np.array([0, 0, 1])


@pytest.mark.parametrize(
    ("shares", "reach", "expected"),
    [
        ([1.0, 1.0, 1.0], [1e-20, 1e-20, 1e-20], False),
        ([1.0, 1.0, 1.0], [1e-20, 1e-10, 1e-20], True),
        ([0.0, 0.0, 1e-20], [1.0, 1.0, 1.0], False),
        ([1e-20, 1e-12, 1e-20], [1.0, 1.0, 1.0], True),
        ([0.005, 0.4, 1.0], [1.0, 1.0, 1.0], True),
        ([0.005, 0.6, 1.0], [1.0, 1.0, 1.0], False),
        ([0.6, 0.5, 0.005], [1.0, 1.0, 1.0], True),
    ],
    ids=["waiting", "begun", "fitted", "not yet fitted", "even", "uneven", "no block"],
)
def test_what_is_ordinary(shares, reach, expected):
    assert ordinary(np.array(shares), np.array(reach), np.zeros(3, dtype=int), FRAMED, BLOCK, 1e-17) == expected


def test_every_part_must_move():
    shares, reach, nothing = np.ones(3), np.array([1.0, 1.0, 1e-20]), np.zeros(3, dtype=bool)
    assert ordinary(shares, reach, np.array([0, 0, 0]), nothing, BLOCK, 1e-17)
    assert not ordinary(shares, reach, np.array([0, 0, 2]), nothing, BLOCK, 1e-17)


def test_shares_are_polynomials_at_the_end():
    """1 − x/2 and −2 + x at x = 1/2, over 1 and −4."""
    r = np.array([[1.0, -0.5], [-2.0, 1.0]])
    assert shares_left(np.hstack([r, [[5.0], [5.0]]]), 1, 0.5, np.array([1.0, -4.0])).tolist() == [0.75, 0.375]


def test_reach_bounds_the_outputs():
    """Neuron 0 knows both labels, neuron 1 the second: (4 + 1 + 4)/2 and (9 + 16)/2 at weights 1 and 2."""
    alpha, z, channel = np.array([2.0, 3.0]), np.array([[1.0, 2.0], [0.0, 4.0]]), np.array([[0, 1], [-1, 1]])
    nothing, one = np.zeros(2, dtype=bool), 1.0
    found = reach_of(alpha, z, channel, np.array([1.0, 2.0]), nothing, one, np.array([1.0, -2.0]))
    assert found.tolist() == [4.5, (4.5 + 25.0) / 2]
    outputs = np.array([1.0, 2.0]) * alpha @ z
    assert (found * np.array([1.0, 2.0]) >= outputs).all()


def test_a_whole_keeps_its_blocks_together():
    assert whole(np.array([0, 0, 2]), BLOCK)
    assert not whole(np.array([0, 1, 1]), BLOCK)


def test_switched_off_pairs_return_to_the_labels():
    """One neuron along the axes of labels (3, 4)/5: coordinates (5, 0) are (3, 4) at the labels."""
    axes = np.array([[0.6, 0.8], [0.8, -0.6]])
    z, channel = np.array([[5.0, 0.0]]), np.array([[2, 3]])
    assert not crowded(z, channel, axes, 0, 0, 1e-9)
    switch_off(z, channel, axes, np.zeros(2, dtype=np.int64), 0, 1)
    assert z[0].tolist() == pytest.approx([3.0, 0.0])
    assert channel.tolist() == [[0, -1]]


def test_pairs_that_die_together_are_crowded():
    axes, channel = np.eye(2), np.array([[0, 1], [0, -1]])
    assert crowded(np.array([[0.0, 1.0], [0.0, 0.0]]), channel, axes, 0, 0, 1e-15)
    assert not crowded(np.array([[0.0, 1.0], [1.0, 0.0]]), channel, axes, 0, 0, 1e-15)
