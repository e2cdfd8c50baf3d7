"""Exact width reduction: what moves in the neurons' stead gives the same outputs, and carries every neuron along."""

import mpmath
import numpy as np
import pytest

from tests.flow.agreement import random_problem
from verify.dataset import Dataset
from verify.flow import classes
from verify.flow.chain import Chain
from verify.flow.classes import Carried, carried_along, condensed, grouped, leaders_of
from verify.flow.float64 import FLOAT64
from verify.flow.series import Law
from verify.flow.simulate import simulate
from verify.initialisation import Initialisation
from verify.problem import Problem

M, B = 60, 3


def crowd(seed=0):
    """Sixty neurons of both signs, on all labels or on two of them, of very different scales."""
    rng = np.random.default_rng(seed)
    signs, whole = rng.choice([-1.0, 1.0], M), rng.random(M) < 0.5
    channel = np.where(whole[:, None] | (np.arange(B) < 2), np.arange(B), -1)
    log_scale = rng.uniform(-30.0, 0.0, M)
    weight = signs * np.exp(2 * log_scale)
    axes, nothing = np.eye(B), np.zeros(B, dtype=bool)
    law = Law(channel, 0.2 * signs, weight, weight, axes, nothing, nothing, 1.0)
    alpha, z = rng.uniform(0.5, 1.0, M), np.where(channel >= 0, rng.uniform(0.1, 1.0, (M, B)), 0.0)
    return law, log_scale, alpha, z


def share_of(found, log_scale):
    return np.exp(2 * (log_scale - log_scale[found.leader]))


def test_classes_have_one_sign_and_one_pattern_and_are_led_by_the_heaviest():
    law, log_scale, _, _ = crowd()
    free = np.arange(M) > 5
    found = grouped(law.channel, law.gain, log_scale, free)
    assert (found.member[~free] == -1).all()
    assert (found.own == np.flatnonzero(found.member == -1)).all()
    assert (found.row[found.own] == np.arange(len(found.own))).all()
    for c in range(len(found.head)):
        who = found.member == c
        assert who.sum() > classes.WORTH * (found.first[c + 1] - found.first[c])
        assert len(np.unique(np.sign(law.gain[who]))) == 1
        assert len(np.unique(law.channel[who], axis=0)) == 1
        assert log_scale[who].max() == log_scale[found.head[c]]
        assert (found.leader[who] == found.head[c]).all()
    assert len(found.head) > 0
    assert sorted([*found.own, *np.flatnonzero(found.member >= 0)]) == list(range(M))


@pytest.mark.parametrize("engine", [condensed, FLOAT64.condensed])
def test_the_columns_give_the_same_products(engine):
    """Σ_j w_j u_j u_jᵀ over all neurons, u = (α, z), by sign: this is all that the residual sees."""
    law, log_scale, alpha, z = crowd()
    found = grouped(law.channel, law.gain, log_scale, np.ones(M, dtype=bool))
    moving, moved, spread = engine(found, law, alpha, z, share_of(found, log_scale), 2.0**-53)
    assert (moving.channel == law.channel[leaders_of(found)]).all()
    for sign in (1.0, -1.0):
        before = np.column_stack([alpha, z])[law.gain * sign > 0]
        after = np.column_stack([moved, spread])[moving.gain * sign > 0]
        old = (law.weight[law.gain * sign > 0][:, None] * before).T @ before
        new = (moving.weight[moving.gain * sign > 0][:, None] * after).T @ after
        scale = np.sqrt(np.outer(abs(np.diag(old)), abs(np.diag(old))))
        assert (abs(new - old) <= 1e-14 * scale).all()


def test_the_propagator_carries_the_neurons():
    """At the start the propagator is the identity; a common factor of all that moves is one of all neurons."""
    law, log_scale, alpha, z = crowd(1)
    found = grouped(law.channel, law.gain, log_scale, np.ones(M, dtype=bool))
    _, moved, spread = condensed(found, law, alpha, z, share_of(found, log_scale), 2.0**-53)
    there = carried_along(Carried(found, alpha, z), np.stack([moved, 3 * moved]), np.stack([spread, 3 * spread]))
    np.testing.assert_array_equal(there[0], [alpha, 3 * alpha])
    np.testing.assert_array_equal(there[1], [z, 3 * z])


def without(monkeypatch, run):
    """What ``run`` finds when no class is reduced."""
    with monkeypatch.context() as patch:
        whole = lambda channel, gain, scale, free: grouped(channel, gain, scale, free & False)  # noqa: E731
        patch.setattr("verify.flow.classes.grouped", whole)
        return run()


def test_digits_agree_with_and_without(monkeypatch):
    task = random_problem(2, 12.0, n=2, m=24)

    def run():
        trajectory = simulate(task, digits=30)
        return trajectory.at(40.0), trajectory.deactivations

    reduced, plain = run(), without(monkeypatch, run)
    assert reduced[1][["neuron", "label"]].equals(plain[1][["neuron", "label"]])
    with mpmath.workdps(40):
        for here, there in (
            (reduced[0].log_norms, plain[0].log_norms),
            (reduced[0].residual / task.dataset.y, plain[0].residual / task.dataset.y),
            (reduced[1]["t"], plain[1]["t"]),
        ):
            assert max(abs(a - b) for a, b in zip(here, there, strict=True)) < 1e-29


def test_many_neurons_agree_with_thirty_digits():
    """Classes of dozens of neurons, some of them almost equal, and steps that deactivations end."""
    task = random_problem(4, 9.0, n=2, m=60)
    directions = task.initialisation.directions.copy()
    directions[40:] = directions[39] * (1 + 1e-9 * np.arange(20))[:, None]
    task = Problem(task.dataset, Initialisation(directions, task.initialisation.signs, minus_log_lambda=9.0))
    fast, exact = simulate(task), simulate(task, digits=30)
    steps = [step for stretch in fast.stretches if isinstance(stretch, Chain) for step in stretch.segments]
    assert any(len(step.carried.classes.head) > 0 for step in steps)
    for t in (1.0, 10.0, 30.0, 60.0):
        ours, theirs = fast.at(t), exact.at(t)
        np.testing.assert_allclose(ours.log_norms, theirs.log_norms.astype(float), atol=1e-12)
        np.testing.assert_allclose(ours.directions, theirs.directions.astype(float), atol=1e-12)
        np.testing.assert_allclose(ours.log_residual, theirs.log_residual.astype(float), atol=1e-10)


def test_a_thousand_equal_neurons_move_like_one():
    """With weights λ²/1000 each, by way of Λ + ln(1000)/2: the network is that of a single neuron."""
    data = Dataset.standard([1.0, -0.5])
    many = Problem(data, Initialisation([[0.8, 0.3]] * 1000, [1] * 1000, minus_log_lambda=20 + np.log(1000) / 2))
    one = Problem(data, Initialisation([[0.8, 0.3]], [1], minus_log_lambda=20.0))
    crowd_, single = simulate(many), simulate(one)
    assert len(crowd_.segments) < 3 * len(single.segments) + 20
    for t in (5.0, 40.0, 60.0, 90.0):
        np.testing.assert_allclose(crowd_.at(t).residual, single.at(t).residual, atol=1e-10)
