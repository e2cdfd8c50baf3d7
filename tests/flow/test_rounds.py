"""Neurons on their own clocks, from deactivation to deactivation, against bisection at 60 digits."""

import mpmath
import numpy as np
import pytest

from tests.flow.agreement import BoostedNeuron, random_problem
from verify.flow.float64 import FLOAT64
from verify.flow.rounds import boost_rounds, ledger_of
from verify.flow.start import initial_state


def rounds_of(task):
    component, now = initial_state(task, FLOAT64)
    return boost_rounds(component, now, np.zeros(task.dataset.n, dtype=bool))


@pytest.mark.parametrize("rotate", [False])
@pytest.mark.parametrize("seed", range(6))
def test_deactivations_of_every_neuron(seed, rotate):
    task = random_problem(200 + seed, 1e5, n=4, m=5, extra=1, rotate=rotate)
    _, events = rounds_of(task)
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


def test_a_neuron_that_no_label_pulls_has_one_round():
    rounds, events = rounds_of(random_problem(0, 1e3, n=1, m=1))
    assert len(rounds) <= 2
    assert len(events) <= 1


def test_fitted_labels_pull_no_longer():
    component, now = initial_state(random_problem(200, 1e5, n=4, m=5), FLOAT64)
    rounds, events = boost_rounds(component, now, np.ones(4, dtype=bool))
    assert len(events) == 0
    assert (rounds[0].cone.rate == 0).all()


def test_every_neuron_is_in_the_last_round_that_has_begun():
    component, now = initial_state(random_problem(201, 1e5, n=4, m=5), FLOAT64)
    rounds, events = boost_rounds(component, now, np.zeros(4, dtype=bool))
    ledger = ledger_of(rounds)
    times = np.array([0.0, *(t for t, _, _ in events), 1e3])
    there, moment = ledger.at(times, now)
    assert there.active.shape == (len(times), 5, 4)
    for i, t in enumerate(times):
        dead = {(j, k) for s, j, k in events if s <= t}
        assert {(j, k) for j, k in np.argwhere(component.active & ~there.active[i])} == dead
        one, single = ledger.at(t, now)
        np.testing.assert_array_equal(one.active, there.active[i])
        np.testing.assert_array_equal(single.log_scale, moment.log_scale[i])
