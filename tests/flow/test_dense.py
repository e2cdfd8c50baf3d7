"""A whole chain looked at in one call, against its steps one by one."""

import numpy as np
import pytest

from tests.flow.agreement import random_problem
from verify.flow.chain import Chain
from verify.flow.simulate import simulate

FIELDS = ("alpha", "z", "off", "residual", "log_residual")


@pytest.fixture(autouse=True)
def no_fits(monkeypatch):
    """Labels are fitted in Taylor steps also where the closed form would do."""
    monkeypatch.setattr("verify.flow.simulate.find_fit", lambda *_: None)


def chains(seed: int, minus_log_lambda: float, m: int = 12) -> list[Chain]:
    trajectory = simulate(random_problem(seed, minus_log_lambda, n=4, m=m))
    return [stretch for stretch in trajectory.stretches if isinstance(stretch, Chain)]


@pytest.mark.parametrize(("minus_log_lambda", "m"), [(1.0, 12), (6.0, 200), (60.0, 12), (4e3, 12)])
def test_states_are_those_of_the_steps(minus_log_lambda, m):
    """At the begin of each step and twice within it, all asked for at once."""
    for chain in chains(5, minus_log_lambda, m):
        shares = np.array([0.0, 0.3, 0.7])
        steps = [step for step in chain.segments if step.end > step.begin]
        times = np.concatenate([step.begin + shares * (step.end - step.begin) for step in steps])
        component, now = chain.at(times)
        for i, step in enumerate(steps):
            one, then = step.at(times[3 * i : 3 * i + 3])
            assert (component.active[3 * i : 3 * i + 3] == one.active).all()
            for name in FIELDS:
                expected = getattr(then, name)
                atol = 1e-14 * np.abs(expected).max(initial=1e-300)
                np.testing.assert_allclose(getattr(now, name)[3 * i : 3 * i + 3], expected, rtol=1e-13, atol=atol)


def test_the_later_step_counts_where_two_meet():
    chain = max(chains(3, 6.0), key=len)
    died = np.flatnonzero(chain.record.neuron[:-1] >= 0)
    component, _ = chain.at(chain.record.end[died])
    assert len(died) > 5
    for i, step in enumerate(died):
        assert not component.active[i, chain.record.neuron[step], chain.record.label[step]]


def test_imbalance_is_that_of_all_steps():
    for chain in chains(5, 6.0):
        expected = sum(step.imbalance for step in chain.segments)
        assert chain.imbalance == pytest.approx(expected, rel=0.05, abs=1e-17)
