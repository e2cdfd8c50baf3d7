"""One Taylor step against the naive simulator, and the rules for its length and its end."""

import numpy as np
import pytest

from tests.flow.agreement import random_problem
from tests.naive import naive
from verify.flow.float64 import FLOAT64
from verify.flow.single import take_step
from verify.flow.start import initial_state


@pytest.mark.parametrize("scale", [-0.5, 1.0, 5.0])
@pytest.mark.parametrize("seed", range(4))
def test_a_step_follows_the_flow(seed, scale):
    task = random_problem(seed, scale, n=4, m=6)
    component, now = initial_state(task, FLOAT64)
    step = take_step(component, now, 1e-16)
    times = np.linspace(0, float(step.end), 5)
    for t, expected in zip(times, naive(task, times).states, strict=True):
        who, there = step.at(t)
        growth = there.log_scale + np.log(there.alpha) - scale
        np.testing.assert_allclose(growth, expected.log_norms, rtol=0, atol=1e-11)
        p = who.at_labels(there.z) / there.alpha[:, None]
        np.testing.assert_allclose(p, np.where(who.active, expected.directions, 0.0), atol=1e-11)
        np.testing.assert_allclose(who.frame.to_labels(there.plain_residual(FLOAT64)), expected.residual, atol=1e-10)


@pytest.mark.parametrize("tolerance", [1e-6, 1e-10, 1e-16])
def test_what_is_neglected_stays_below_the_tolerance(tolerance):
    component, now = initial_state(random_problem(1, 1.0), FLOAT64)
    step = take_step(component, now, tolerance)
    assert 0 <= step.truncation <= tolerance
    assert 0 < step.end <= FLOAT64.longest_decay * float(step.unit)


def test_a_step_ends_with_the_first_deactivation():
    task = random_problem(1, 3.0, n=4, m=8)
    component, now = initial_state(task, FLOAT64)
    while True:
        step = take_step(component, now, 1e-16)
        if step.dying:
            break
        ((component, now),) = step.leave()
    ((t, neuron, label),) = step.deactivations
    assert t == step.end
    _, there = step.at(t)
    assert abs(component.at_labels(there.z)[step.dying[0]]) < 1e-14
    for part, after in step.leave():
        gone = part.active[part.neurons == neuron][:, part.labels == label]
        assert not gone.any()
        assert after.t == t
