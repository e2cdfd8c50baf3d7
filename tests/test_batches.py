"""Measures of many times at once: that they say what they say of each, and what is said to one that does not."""

import numpy as np
import pytest

import verify.batches
from tests.problems import reference, small
from verify.batches import Batched, joined, measured, measured_at
from verify.check import check
from verify.errors import InvalidArgument
from verify.flow.simulate import simulate


@pytest.fixture(scope="module")
def states():
    return simulate(small(20.0)).along([0.0, 1.0, 30.0])


@pytest.mark.parametrize(
    "measure",
    [
        lambda state: np.array([1.0, 2.0]),
        lambda state: 1.0,
        lambda state: state.log_norms[:1],
        lambda state: state.residual.sum(axis=0),
    ],
)
def test_a_measure_of_single_states_is_found_out(states, measure):
    with pytest.raises(InvalidArgument, match="first axis must be the times"):
        Batched(measure)(states)


@pytest.mark.parametrize("measure", [lambda state: 1.0, lambda state: state.log_norms[:1]])
def test_one_time_alone_does_not_hide_it(states, measure):
    with pytest.raises(InvalidArgument, match="first axis must be the times"):
        Batched(measure)(states[:1])


def test_rows_are_those_of_the_times(states):
    np.testing.assert_array_equal(Batched(lambda s: s.residual)(states), states.residual)
    np.testing.assert_array_equal(Batched(lambda s: s.residual)(states[1:2]), states.residual[1:2])
    np.testing.assert_array_equal(Batched(lambda s: s.loss)(states), states.loss)


def test_many_times_are_measured_in_parts(states, monkeypatch):
    counts = []

    def counted(some):
        counts.append(len(some.t))
        return some.log_norms

    monkeypatch.setattr(verify.batches, "PAIRS", 2 * 8)
    np.testing.assert_array_equal(measured(Batched(counted), states), states.log_norms)
    assert counts == [2, 2]


@pytest.mark.parametrize(("places", "looked_at"), [([1, 2, 3], 3), ([0, 2, 3], 4), ([0, 4], 2), ([3], 1)])
def test_a_measure_at_some_places(places, looked_at):
    """On the stretch that most of them make up, or on copies of few."""
    states, seen = simulate(small(20.0)).along([0.0, 1.0, 5.0, 10.0, 30.0]), []
    measure = Batched(lambda states: seen.append(len(states.t)) or states.log_norms)
    rows = measured_at(measure, states, np.array(places))
    np.testing.assert_array_equal(rows, states.log_norms[places])
    assert seen == [max(looked_at, 2)]


def test_rows_put_back():
    odd = np.array([True, False, True])
    rows = joined(3, [(odd, np.array([[1.0], [3.0]])), (~odd, np.array([[2.0]]))])
    assert rows.tolist() == [[1.0], [2.0], [3.0]]


@pytest.mark.parametrize("name", ["R1", "R3"])
def test_every_claim_says_of_many_times_what_it_says_of_each(name, monkeypatch):
    """All measures that the claims hand over, at the first, the middle and the last of the times they are shown."""
    right, seen = Batched.__call__, 0

    def watched(self, states):
        nonlocal seen
        values = right(self, states)
        for i in {0, len(states.t) // 2, len(states.t) - 1}:
            alone = np.asarray(self.measure(states[i]), dtype=float)
            np.testing.assert_allclose(values[i], alone, rtol=1e-9, atol=1e-9)
            seen += 1
        return values

    monkeypatch.setattr(Batched, "__call__", watched)
    check(reference(name)[0])
    assert seen > 100
