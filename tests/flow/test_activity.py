"""Components of the graph of active pairs against a plain flood fill."""

import numpy as np
import pytest

from verify.flow.activity import groups, parts_of


def flood(active):
    """Components by flood fill, as sets of (neurons, labels), those without any pair left out."""
    m, n = active.shape
    left, found = set(range(n)), []
    while left:
        labels, neurons = {min(left)}, set()
        while True:
            neurons = {j for j in range(m) if any(active[j, k] for k in labels)}
            wider = labels | {k for k in range(n) if any(active[j, k] for j in neurons)}
            if wider == labels:
                break
            labels = wider
        left -= labels
        if neurons:
            found.append((frozenset(neurons), frozenset(labels)))
    return found


@pytest.mark.parametrize("density", [0.02, 0.1, 0.2, 0.5, 1.0])
@pytest.mark.parametrize("seed", range(8))
def test_groups_are_the_connected_components(seed, density):
    rng = np.random.default_rng(seed)
    active = rng.random((rng.integers(1, 12), rng.integers(1, 9))) < density
    parts = groups(active)
    idle = not (active.any(axis=0).all() and active.any(axis=1).all())
    connected = parts[:-1] if idle else parts
    assert [(frozenset(j), frozenset(k)) for j, k in connected] == flood(active)
    if idle:
        assert parts[-1][0].tolist() == np.flatnonzero(~active.any(axis=1)).tolist()
        assert parts[-1][1].tolist() == np.flatnonzero(~active.any(axis=0)).tolist()
    assert sorted(np.concatenate([j for j, _ in parts])) == list(range(active.shape[0]))
    assert sorted(np.concatenate([k for _, k in parts])) == list(range(active.shape[1]))


def test_a_long_chain_is_one_component():
    n = 40
    active = np.zeros((n - 1, n), dtype=bool)
    active[np.arange(n - 1), np.arange(n - 1)] = active[np.arange(n - 1), np.arange(1, n)] = True
    assert len(groups(active)) == 1
    assert len(set(parts_of(np.where(active, 0, -1)).tolist())) == 1
    active[20] = False
    assert [len(k) for _, k in groups(active)] == [21, 19, 0]


def test_parts_are_chains_of_neurons():
    channel = np.array([[0, 1, -1, -1], [-1, 1, 2, -1], [-1, -1, -1, 3]])
    part = parts_of(channel)
    assert part[0] == part[1] == part[2] != part[3]
    assert len(set(parts_of(channel[[0, 2]]).tolist())) == 3


def test_an_idle_label_is_joined_to_itself_alone():
    assert len(set(parts_of(np.full((2, 3), -1)).tolist())) == 3
