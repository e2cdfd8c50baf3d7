"""Neurons on their own clocks, from deactivation to deactivation, against bisection at 60 digits."""

import math
from dataclasses import replace

import mpmath
import numpy as np
import pytest

from tests.flow.agreement import BoostedNeuron, random_problem
from verify.flow.float64 import FLOAT64
from verify.flow.ledger import ledger_of
from verify.flow.silence import missing_growth
from verify.flow.start import initial_state
from verify.flow.waiting import log_mass


def deaths_of(task):
    return ledger_of(*initial_state(task, FLOAT64), np.zeros(task.dataset.n, dtype=bool)).deaths


@pytest.mark.parametrize("rotate", [False])
@pytest.mark.parametrize("seed", range(6))
def test_deactivations_of_every_neuron(seed, rotate):
    task = random_problem(200 + seed, 1e5, n=4, m=5, extra=1, rotate=rotate)
    events = deaths_of(task)
    assert [t for t, _, _ in events] == sorted(t for t, _, _ in events)
    with mpmath.workdps(60):
        expected = {
            (j, k): float(t)
            for j in range(task.initialisation.m)
            for t, k in BoostedNeuron(task, j).go_to(1000).deactivations
        }
    assert {(j, k) for _, j, k in events} == set(expected)
    for t, j, k in events:
        assert t == pytest.approx(expected[j, k], rel=1e-12)


def test_fitted_labels_pull_no_longer():
    ledger = ledger_of(*initial_state(random_problem(200, 1e5, n=4, m=5), FLOAT64), np.ones(4, dtype=bool))
    assert len(ledger.deaths) == 0 and len(ledger.rows.start) == 5
    assert (ledger.rows.rate == 0).all()


def test_every_neuron_is_in_its_last_stay_that_has_begun():
    component, now = initial_state(random_problem(201, 1e5, n=4, m=5), FLOAT64)
    ledger = ledger_of(component, now, np.zeros(4, dtype=bool))
    events = list(ledger.deaths)
    assert len(events) == len(ledger.rows.start) - 5 > 0
    times = np.array([0.0, *(t for t, _, _ in events), 1e3])
    there, moment = ledger.at(times, now)
    assert there.active.shape == (len(times), 5, 4)
    for i, t in enumerate(times):
        dead = {(j, k) for s, j, k in events if s <= t}
        assert {(j, k) for j, k in np.argwhere(component.active & ~there.active[i])} == dead
        one, single = ledger.at(t, now)
        np.testing.assert_array_equal(one.active, there.active[i])
        np.testing.assert_array_equal(single.log_scale, moment.log_scale[i])


def test_a_stay_ends_where_the_next_begins():
    ledger = ledger_of(*initial_state(random_problem(202, 1e5, n=4, m=5), FLOAT64), np.zeros(4, dtype=bool))
    rows = ledger.rows
    np.testing.assert_array_equal(rows.neuron[ledger.first], range(5))
    np.testing.assert_array_equal(rows.neuron[ledger.last], range(5))
    for row, end in enumerate(ledger.end):
        last = row in ledger.last
        assert end == (np.inf if last else rows.start[row + 1])
        assert last == (rows.label[row] < 0)


@pytest.mark.parametrize("t", [0.0, 0.7, 40.0])
def test_the_missing_growth_is_that_of_the_neurons(t):
    """From the exponents of the stays, and from the neurons there."""
    component, now = initial_state(random_problem(203, 100.0, n=4, m=5), FLOAT64)
    fitted, level = np.zeros(4, dtype=bool), np.log(np.abs(component.y)) - 40
    ledger = ledger_of(component, now, fitted)
    there, then = ledger.at(t, now)
    expected = missing_growth(log_mass(there, then), there.active, ~fitted, level)
    assert ledger.missing_growth(t, fitted, level) == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize("seed", range(8))
def test_it_begins_where_the_neurons_are_in_whatever_unit_their_small_parts(seed):
    """Also for neurons active on part of a block, or on whole blocks of both signs."""
    component, now = initial_state(random_problem(seed, 30.0, n=5, m=40), FLOAT64)
    apart = replace(now, off=now.z * component.lateral * math.e**3, log_off=now.log_scale - 3)
    ledger = ledger_of(component, apart, np.zeros(5, dtype=bool))
    _, there = ledger.at(0.0, apart)
    size = np.exp(there.log_scale - now.log_scale)
    np.testing.assert_allclose(there.alpha * size, now.alpha, rtol=1e-12)
    np.testing.assert_allclose(there.z * size[:, None], now.z, rtol=0, atol=1e-12)
