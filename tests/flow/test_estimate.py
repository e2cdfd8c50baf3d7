"""Error estimates by the time: which segments count, and that the flow is not further off than they say."""

import math

import numpy as np
import pytest

from tests.flow.test_trajectory import worst_difference
from tests.problems import decoupled, small
from verify.evidence import Evidence
from verify.families import draw_problem
from verify.flow.fit import Fit
from verify.flow.plateau import Plateau
from verify.flow.simulate import simulate
from verify.flow.step import Step


def test_nothing_but_rounding_at_the_start():
    estimate = simulate(small(), rtol=1e-9).estimate
    assert estimate.truncation(0.0) < 1e-300
    assert 0 < estimate.local(0.0) <= 16 * 2.0**-53


def test_a_plateau_neglects_what_its_outputs_have_reached():
    """The output of a neuron on its axis is u: e^(−2ωτ) of the tolerance, τ before the plateau's end."""
    trajectory = simulate(decoupled(1e3), rtol=1e-9)
    plateau = trajectory.segments[0]
    assert isinstance(plateau, Plateau)
    for before in (1.0, 5.0, 100.0):
        share = plateau.neglected(plateau.end - before) / plateau.neglected(plateau.end)
        assert share == pytest.approx(math.exp(-2 * plateau.rate * before), rel=1e-6)
    assert plateau.neglected(plateau.end) <= plateau.truncation == 1e-9


@pytest.mark.parametrize("kind", [Step, Fit])
def test_segments_count_once_they_have_begun(kind, monkeypatch):
    if kind is Step:
        monkeypatch.setattr("verify.flow.simulate.find_fit", lambda *_: None)
    trajectory = simulate(small(), rtol=1e-9)
    estimate, steps = trajectory.estimate, [s for s in trajectory.segments if isinstance(s, kind)]
    ended = sorted(s.truncation for s in trajectory.segments if s.end < math.inf)
    assert estimate.truncation() == pytest.approx(sum(ended), rel=1e-12)
    first = min(steps, key=lambda step: step.begin)
    before, after = estimate.truncation(first.begin * (1 - 1e-9)), estimate.truncation(float(first.end))
    assert after >= before + first.truncation * (1 - 1e-6)


def test_totals_are_those_of_the_trajectory():
    trajectory = simulate(small())
    assert trajectory.error == trajectory.estimate.log_norm(float(trajectory.t_end)) == trajectory.estimate.log_norm()
    assert trajectory.local_error == trajectory.estimate.local()


@pytest.mark.parametrize("kappa", [5.0, 60.0])
@pytest.mark.parametrize("seed", range(5))
def test_coarse_runs_are_off_by_no_more_than_their_estimate_of_the_time(seed, kappa):
    """rtol = 1e-9 against the default, at times on and between the plateaus of key neurons."""
    task = draw_problem(np.random.default_rng(seed), inputs="standard", n=2, m=5, kappa=kappa)
    found = Evidence(task)
    fine, coarse = found.trajectory, Evidence(task, rtol=1e-9).trajectory
    for t in (found.time_plus, found.second_exit.t, found.third_exit.t, float(fine.t_end)):
        estimates = 2 * float(coarse.estimate.log_norm(t) + fine.estimate.log_norm(t))
        assert worst_difference(fine, coarse, [t]) <= estimates


@pytest.mark.parametrize("rtol", [1e-4, 1e-9, None])
def test_balance_is_kept_to_its_estimate(rtol):
    """a² − ‖w‖² beside a² at the end of every step, for neurons that are far from aligned."""
    task = small(3.0)
    trajectory = simulate(task, rtol=rtol)
    for segment in trajectory.segments:
        if segment.end == math.inf:
            continue
        state = trajectory.at(float(segment.end))
        moving = np.where(state.active, state.directions, 0.0)
        still = (np.where(state.active, 0.0, state.directions) ** 2).sum(axis=1) + np.exp(-2 * state.log_growth) * (
            task.initialisation.directions[:, 2] ** 2
        )
        drift = np.abs(1 - (moving**2).sum(axis=1) - still)
        assert drift.max() <= float(trajectory.estimate.balance)
    # Not idle: at a coarse tolerance the estimate is of what the steps neglect.
    assert (rtol != 1e-4) or float(trajectory.estimate.balance) > 1e-9
