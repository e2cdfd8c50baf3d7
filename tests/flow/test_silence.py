"""How far outputs stay below a tolerance, against sums written out, and until when, against closed forms."""

import math

import numpy as np
import pytest

from verify.flow.silence import Growth, missing_growth, silent_until

WAITING, LEVEL = np.array([True, False]), np.array([-3.0, -5.0])


def test_missing_growth_counts_neurons_that_grow_and_all_their_labels():
    """Neuron 0 has both labels, neuron 1 the fitted one only and does not grow, neuron 2 the waiting one."""
    active = np.array([[1, 1], [0, 1], [1, 0]], dtype=bool)
    mass = np.array([-10.0, 50.0, -11.0])
    outputs = -10 + math.log1p(math.exp(-1.0)), -10.0
    expected = min(LEVEL - outputs)
    assert missing_growth(mass, active, WAITING, LEVEL) == pytest.approx(expected, rel=1e-15)
    assert missing_growth(mass[1:2], active[1:2], WAITING, LEVEL) == math.inf
    assert missing_growth(mass - 1e6, active, WAITING, LEVEL) == pytest.approx(expected + 1e6, rel=1e-15)


def growth(start, rate, plus):
    """One neuron of the waiting label alone, which neither decays nor stands still in part."""
    none = np.full(len(start), -math.inf)
    active = np.ones((len(start), 1), dtype=bool)
    return Growth(np.zeros(len(start), np.int64), np.array(start), np.array(rate), np.array(plus), none, none, active)


@pytest.mark.parametrize("level", [3.0, 40.0, 1e6, 1e9])
def test_silence_ends_shortly_before_the_tolerance_is_reached(level):
    """The mass is e^(2 · 3t)/4 until t = 1, e^(6 + 2(t − 1))/4 after that."""
    grown = growth([0.0, 1.0], [3.0, 1.0], [0.0, 3.0])
    t = silent_until(grown, np.array([True]), np.array([level]))
    reached = 6 * min(t, 1.0) + 2 * max(t - 1.0, 0.0) - math.log(4.0)
    assert 0.0 <= level - reached < 0.5


@pytest.mark.parametrize(("scale", "rate", "level"), [(1e17, 1.1e-10, -30.0), (1e16, 4.2e-10, -48.0)])
def test_silence_ends_where_floats_can_no_longer_tell(scale, rate, level):
    """The mass is e^(2 rate t − 2 scale)/4, of whose exponent floats know nothing below some tens."""
    t = silent_until(growth([0.0], [rate], [-scale]), np.array([True]), np.array([level]))
    assert abs(rate * t / scale - 1) < 1e-14


def test_silence_lasts_for_ever_where_nothing_grows_in_the_end():
    assert silent_until(growth([0.0, 1.0], [3.0, 0.0], [0.0, 3.0]), np.array([True]), np.array([40.0])) == math.inf
    assert silent_until(growth([0.0], [0.0], [0.0]), np.array([True]), np.array([0.0])) == math.inf
    assert silent_until(growth([0.0], [3.0], [0.0]), np.array([False]), np.array([40.0])) == math.inf
