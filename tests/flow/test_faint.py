"""Plateaus on which outputs count, to first order: against many digits, and against steps that end with each death."""

import numpy as np
import pytest

from tests.benchmarks.standard import wide
from tests.flow.agreement import random_problem
from verify.flow import faint, stillness
from verify.flow.faint import faint_end
from verify.flow.plateau import Plateau
from verify.flow.simulate import simulate


def heard(trajectory) -> list[Plateau]:
    """The plateaus on which outputs count."""
    plateaus = [part for part in trajectory.stretches if isinstance(part, Plateau) and part.ledger is not None]
    return [part for part in plateaus if part.ledger.heard]


@pytest.fixture(autouse=True)
def always(monkeypatch):
    """Answer faint outputs also where few pairs die."""
    monkeypatch.setattr(stillness, "WORTH", 0)


@pytest.mark.parametrize(("seed", "minus_log_lambda"), [(1, 15.5), (2, 17.0), (3, 19.0), (4, 22.0), (6, 20.0)])
def test_against_many_digits(seed, minus_log_lambda):
    task = random_problem(seed, minus_log_lambda, n=4, m=8)
    fast = simulate(task)
    (part,) = heard(fast)
    assert len(part.deactivations) > 0
    exact = simulate(task, until=part.end * 1.5, digits=30)
    for share in (0.3, 0.8, 1.0, 1.4):
        ours, theirs = fast.at(share * part.end), exact.at(share * part.end)
        np.testing.assert_allclose(ours.log_norms, theirs.log_norms.astype(float), rtol=4e-16, atol=1e-14)
        np.testing.assert_allclose(ours.directions, theirs.directions.astype(float), rtol=0, atol=4e-15)
        np.testing.assert_allclose(ours.residual, theirs.residual.astype(float), rtol=2e-15)
        for side in (1, -1):
            ours_, theirs_ = ours.log_misalignment(side), theirs.log_misalignment(side).astype(float)
            np.testing.assert_allclose(ours_, theirs_, rtol=1e-13)
    until = fast.deactivations[fast.deactivations.t < part.end * 1.5]
    np.testing.assert_allclose(until.t, exact.deactivations.t.astype(float)[: len(until)], rtol=1e-14)


def test_deaths_of_many_neurons_end_no_steps(monkeypatch):
    task = wide(18.4, 60)
    fast = simulate(task)
    assert len(heard(fast)) == 1 and len(heard(fast)[0].deactivations) == len(fast.deactivations) == 82
    assert len(fast.segments) < 100
    monkeypatch.setattr(stillness, "FAINT", 0.0)
    slow = simulate(task)
    assert not heard(slow) and len(slow.segments) > 140
    for name in ("neuron", "label"):
        np.testing.assert_array_equal(fast.deactivations[name], slow.deactivations[name])
    np.testing.assert_allclose(fast.deactivations.t, slow.deactivations.t, rtol=1e-12)
    for t in (5.0, 60.0, 100.0):
        np.testing.assert_allclose(fast.at(t).log_norms, slow.at(t).log_norms, rtol=0, atol=5e-14)
        np.testing.assert_allclose(fast.at(t).log_residual, slow.at(t).log_residual, rtol=1e-13, atol=1e-13)


def test_coarse_panels_are_found_out(monkeypatch):
    """What polynomials over several deaths miss is more than what they do wrong."""
    task = random_problem(4, 15.0, n=4, m=8)
    right = simulate(task)
    monkeypatch.setattr(stillness, "FAINT", 1e-8)
    monkeypatch.setattr(faint, "LONGEST", 4.0)
    monkeypatch.setattr(faint, "HALVINGS", 0)
    rough = simulate(task)
    (part,) = heard(rough)
    wrong = abs(rough.at(part.end).log_norms - right.at(part.end).log_norms).max()
    assert 5e-14 < wrong < part.truncation


def test_the_end_keeps_away_from_deaths():
    (part,) = heard(simulate(wide(18.4, 60)))
    t, rate = part.ledger.deaths.t, part.rate
    for latest in np.linspace(0.1, 8.0, 40):
        end = faint_end(part.ledger, latest)
        assert end is None or abs(t - end).min() * rate > faint.APART / 3
    assert faint_end(part.ledger, 0.9 * t[0]) is None


@pytest.mark.parametrize("minus_log_lambda", [12.0, 100.0])
def test_silent_plateaus_and_loud_starts_are_left_alone(minus_log_lambda):
    """Nothing dies after outputs become faint, or they are not faint at any time."""
    assert not heard(simulate(random_problem(1, minus_log_lambda, n=3, m=4)))


def test_a_few_deaths_are_not_worth_it(monkeypatch):
    task = random_problem(4, 22.0, n=4, m=8)
    assert heard(simulate(task))
    monkeypatch.undo()
    assert not heard(simulate(task)) and heard(simulate(wide(18.4, 60)))
