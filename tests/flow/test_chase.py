"""The compiled chain of steps against the plain loop that it stands in for."""

import numpy as np
import pytest

from tests.flow.agreement import random_problem
from verify.flow.chain import Chain, follow
from verify.flow.component import split
from verify.flow.float64 import FLOAT64
from verify.flow.simulate import simulate
from verify.flow.single import take_step
from verify.flow.stillness import find_plateau
from verify.flow.stride import stride
from verify.flow.uneven import even_frame


@pytest.fixture(autouse=True)
def no_fits(monkeypatch):
    """Labels are fitted in Taylor steps also where the closed form would do."""
    monkeypatch.setattr("verify.flow.simulate.find_fit", lambda *_: None)


@pytest.mark.parametrize(
    ("seed", "minus_log_lambda"),
    [(seed, scale) for scale in (1.0, 6.0, 18.4) for seed in range(12)] + [(0, 300.0), (1, 4e3)],
)
def test_agrees_with_single_steps(seed, minus_log_lambda, monkeypatch):
    problem = random_problem(seed, minus_log_lambda, n=4, m=10)
    fast = simulate(problem)
    monkeypatch.setattr("verify.flow.simulate.follow", take_step)
    slow = simulate(problem)
    assert fast.deactivations[["neuron", "label"]].equals(slow.deactivations[["neuron", "label"]])
    np.testing.assert_allclose(fast.deactivations["t"], slow.deactivations["t"], rtol=1e-12)
    for t in np.linspace(0, min(fast.t_end, slow.t_end), 40):
        ours, theirs = fast.at(t), slow.at(t)
        np.testing.assert_allclose(ours.log_norms, theirs.log_norms, atol=1e-12 * (1 + minus_log_lambda))
        np.testing.assert_allclose(ours.directions, theirs.directions, atol=1e-12)
        np.testing.assert_allclose(ours.residual, theirs.residual, atol=1e-12)


def test_a_chain_is_one_call():
    """Most deactivations in the nonlinear phase are met within chains, not one call each."""
    problem = random_problem(3, 6.0, n=5, m=30)
    calls = []

    def counted(component, now, tolerance):
        calls.append(follow(component, now, tolerance))
        return calls[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("verify.flow.simulate.follow", counted)
        trajectory = simulate(problem)
    assert len(trajectory.deactivations) > 20
    assert max(len(chain) for chain in calls) > 10


@pytest.mark.parametrize("minus_log_lambda", [1.0, 6.0, 60.0, 4e3])
def test_nothing_is_to_be_decided_within_a_chain(minus_log_lambda):
    """After every step but the last of a chain the plain loop would find no plateau in any part, and keep the frame."""
    tolerance, looked = FLOAT64.epsilon / 8, 0

    def watched(component, now, rtol):
        nonlocal looked
        chain = follow(component, now, rtol)
        for step in chain.segments[:-1]:
            if not step.dying:
                looked += 1
                there = step.at(step.end)
                moving = [part for part in split(*there) if len(part[0].labels)]
                assert all(find_plateau(*part, tolerance) is None for part in moving)
                assert even_frame(*there)[0] is step.component
        return chain

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("verify.flow.simulate.follow", watched)
        trajectory = simulate(random_problem(5, minus_log_lambda, n=5, m=12))
    assert looked > len(trajectory.segments) / 3


def test_stride_of_a_geometric_series():
    """Coefficients 2^−i: the last terms are below the tolerance for lengths below 2·tolerance^(1/27)."""
    orders = np.array([0, 1, 2, 27, 28])
    length, truncation = stride(0.5 ** orders[None, :], 28, 1e-17, 100.0)
    reach = 2 * max(min((1e-17) ** (1 / (q - p)) for q in (27, 28)) for p in range(3))
    assert length == pytest.approx(0.95 * reach, rel=1e-12)
    assert truncation == pytest.approx((length / 2) ** 28, rel=1e-9)
    assert stride(0.5 ** orders[None, :], 28, 1e-17, 0.1)[0] == 0.1


def test_steps_that_a_deactivation_ends_are_expanded_no_further_than_needed():
    """At Λ = 18.4 deactivations follow one another closely."""
    trajectory = simulate(random_problem(3, 18.4, n=5, m=30))
    orders = np.concatenate([s.record.order for s in trajectory.stretches if isinstance(s, Chain)])
    ended = np.concatenate([s.record.neuron >= 0 for s in trajectory.stretches if isinstance(s, Chain)])
    assert np.median(orders[ended]) <= 16
    assert orders[~ended].min() >= 24
