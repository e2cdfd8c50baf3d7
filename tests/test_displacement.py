"""Lengths of paths: against gradients, differences of weights, and closed forms."""

import math
from functools import cache

import numpy as np
import pytest

from tests.claims.oracles import SCALES, drawn, evidence, log_missing, second_time, third_time
from tests.problems import reference
from verify.displacement import log_displacement, log_speeds
from verify.evidence import Evidence

KAPPAS = (0.3, 1.0, 3.0, 10.0)
SEEDS = range(4)


@cache
def crowded(seed: int, kappa: float) -> Evidence:
    """Several neurons in each key set: two labels, sixteen neurons."""
    return drawn(seed, kappa, n=2, m=16, d=2)


@pytest.mark.parametrize("name", ["R1", "R2"])
def test_speeds_are_the_gradients(name):
    """‖w_j′‖ is the length of a row of the gradient; the parameters are as accurate as the log-norms they come from."""
    problem, states, _ = reference(name)
    found = Evidence(problem)
    for t in [state.t for state in states[::4]]:
        state = found.timeline.state(t)
        rows = np.linalg.norm(state.parameters().gradient(problem.dataset).w, axis=1)
        speeds = np.exp(log_speeds(state))
        floor = found.error * np.abs(problem.dataset.y).max()
        assert (np.abs(speeds - rows) <= 1e-9 * rows + floor * np.exp(state.log_norms.astype(float))).all()


@pytest.mark.parametrize("kappa", KAPPAS)
@pytest.mark.parametrize("seed", SEEDS)
def test_displacement_is_the_difference_of_weights(seed, kappa):
    """Of hidden weights as they stand at t₂ and t₃, which are far enough apart at a moderate Λ."""
    found = crowded(seed, kappa)
    start, end = found.window(found.second_exit.t, found.third_exit.t)
    who = found.key(1)
    logs, error = log_displacement(found.timeline, who, start, end)
    assert (logs[~who] == -np.inf).all() and (error[~who] == 0).all()
    if end <= start:
        assert (logs == -np.inf).all()
        return
    before, after = (found.trajectory.at(t).parameters() for t in (start, end))
    moved = np.linalg.norm(after.w - before.w, axis=1)[who]
    rounding = (1e-14 + 2 * found.error) * np.linalg.norm(after.w, axis=1)[who]
    assert (np.abs(np.exp(logs[who]) - moved) <= moved * np.expm1(error[who]) + rounding).all()
    assert error[who][moved == moved.max()].max() < 1e-6


@pytest.mark.parametrize("minus_log_lambda", SCALES)
def test_displacement_of_the_decoupled_problem(minus_log_lambda):
    """A neuron on its axis goes straight: |w(t₃)| − |w(t₂)|, also where both are sqrt|y| to all digits."""
    found = evidence(minus_log_lambda)
    problem = found.problem
    start, end = second_time(problem), third_time(problem)
    logs, error = log_displacement(found.timeline, found.key(1), start, end)
    # What is missing at t₃ is nothing beside what is missing at t₂. The closed form is taken at a rounded time.
    allowed = error[0] + 8 * np.finfo(float).eps * start + found.error
    assert logs[0] == pytest.approx(log_missing(problem, 0, start), rel=0, abs=allowed)
    assert error[0] < 1e-6


def test_an_empty_stretch_has_no_length():
    found = evidence(1e3)
    logs, error = log_displacement(found.timeline, found.key(1), 100.0, 100.0)
    assert (logs == -np.inf).all() and (error == 0).all()


def test_a_stretch_whose_residual_does_not_decay_says_so():
    """On the plateau of the first saddle the negative neuron grows for longer than the quadrature looks."""
    found = evidence(1e3)
    start = found.second_exit.t
    logs, error = log_displacement(found.timeline, found.key(-1), start, found.third_exit.t)
    before, after = (found.trajectory.at(t).log_norms[1] for t in (start, found.third_exit.t))
    assert error[1] == math.inf or abs(logs[1] - math.log(math.exp(after) - math.exp(before))) <= error[1]
    assert error[1] > 1e-3
