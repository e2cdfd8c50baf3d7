"""Aligned fits against the Taylor steps they stand in for, and their conditions from both sides."""

import math

import numpy as np
import pytest

from tests.benchmarks.standard import wide
from tests.flow.agreement import problem, random_problem
from verify.families import draw_problem
from verify.flow import fit
from verify.flow.chain import Chain
from verify.flow.fit import Fit, find_fit
from verify.flow.float64 import FLOAT64
from verify.flow.simulate import simulate
from verify.flow.start import initial_state
from verify.flow.trajectory import Trajectory
from verify.problem import Problem
from verify.regime import in_regime

TOLERANCE = FLOAT64.epsilon / 8
DEEP = 2000


def without_fits(task: Problem, **options) -> Trajectory:
    """The same flow in Taylor steps."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("verify.flow.simulate.find_fit", lambda *_: None)
        return simulate(task, **options)


def fits(trajectory: Trajectory) -> list[Fit]:
    return [stretch for stretch in trajectory.stretches if isinstance(stretch, Fit)]


def drawn(seed: int, **options) -> Problem:
    """A random problem with neurons in both key sets; where the lemmas should hold, unless told otherwise."""
    rng = np.random.default_rng(seed)
    task = draw_problem(rng, inputs="standard", n=int(rng.integers(2, 6)), m=int(rng.integers(2, 16)), **options)
    return task if options else in_regime(task)


def assert_same_flow(fast: Trajectory, slow: Trajectory, rtol: float) -> None:
    """Log-norms and directions to ``rtol``; residuals, also across the targets, to more, since they decay for long."""
    times = np.unique(np.concatenate([fast.nodes, slow.nodes]))
    times = times[times <= min(float(fast.t_end), float(slow.t_end))]
    with fast.arithmetic.context():
        ours, theirs = fast.along(times), slow.along(times)
        pairs = [(ours.log_residual, theirs.log_residual)]
        pairs += [(ours.axis(side).log_across, theirs.axis(side).log_across) for side in (1, -1)]
        off = [ours.log_norms - theirs.log_norms, ours.directions - theirs.directions]
        assert max(np.abs(part.astype(float)).max() for part in off) < rtol
        for one, two in pairs:
            seen = (two > -DEEP) & (one > -DEEP)
            assert np.abs((one[seen] - two[seen]).astype(float)).max(initial=0.0) < 100 * rtol


def assert_same_tilts(fast: Trajectory, slow: Trajectory, rtol: float) -> None:
    """1 − cos of key neurons within the fits; one that outputs undo again is known to the rounding of what it was."""
    for part in fits(fast):
        side = 1 if part.component.y[0] > 0 else -1
        key = fast.problem.key_plus if side > 0 else fast.problem.key_minus
        with fast.arithmetic.context():
            times = np.array([part.begin + share * (part.end - part.begin) for share in (0.2, 0.5, 0.8)])
            ours, theirs = (one.along(times).log_misalignment(side)[:, key].astype(float) for one in (fast, slow))
        turned = theirs > -np.inf  # A neuron with a single label is never off it.
        lost = np.where(turned, theirs.max(axis=0) - np.where(turned, theirs, 0.0), 0.0)
        off = np.abs(np.where(turned, ours, 0.0) - np.where(turned, theirs, 0.0))
        assert (off < rtol * (1e3 + 10 * np.exp(lost / 2))).all() and (ours[~turned] == -np.inf).all()


@pytest.mark.parametrize("minus_log_lambda", [None, 60.0, 250.0])
@pytest.mark.parametrize("seed", range(12))
def test_agrees_with_taylor_steps(seed, minus_log_lambda):
    task = drawn(seed, minus_log_lambda=minus_log_lambda) if minus_log_lambda else drawn(seed)
    fast, slow = simulate(task), without_fits(task)
    rtol = 4e-15 * max(task.initialisation.minus_log_lambda, 100.0)
    assert_same_flow(fast, slow, rtol)
    assert_same_tilts(fast, slow, rtol)


@pytest.mark.parametrize("seed", [4, 6])
def test_agrees_with_taylor_steps_in_digits(seed):
    task = random_problem(seed, 2e3, n=3, m=5)
    fast, slow = simulate(task, digits=20), without_fits(task, digits=20)
    assert fits(fast) and len(fast.stretches) < len(slow.stretches) / 3
    assert_same_flow(fast, slow, 1e-19)
    assert_same_tilts(fast, slow, 1e-19)


@pytest.mark.parametrize("seed", range(20))
def test_where_the_lemmas_should_hold_every_fit_is_aligned(seed):
    trajectory = simulate(drawn(seed))
    assert len(fits(trajectory)) == 2 and not any(isinstance(part, Chain) for part in trajectory.stretches)


def fit_at_once(task: Problem, tolerance: float = TOLERANCE) -> Fit | None:
    """The fit that starts at time 0."""
    return find_fit(*initial_state(task, FLOAT64), tolerance)


@pytest.mark.parametrize("beside", [-0.5, 0.5])
def test_outputs_of_neurons_that_know_some_labels_only(beside):
    """Of labels 1 and 2: λ² (D/λ²)^κ on the second, for a neuron of rate κ = 2/√5, is 2·tolerance at this Λ."""
    size, kappa = math.sqrt(5), 2 / math.sqrt(5)
    critical = (kappa * math.log(size) - math.log(2 * TOLERANCE)) / (2 * (1 - kappa))
    task = problem([1.0, 2.0], [[1 / size, 2 / size], [0.0, 1.0]], [1, 1], critical + beside)
    assert (fit_at_once(task) is not None) == (beside > 0)


@pytest.mark.parametrize("share", [0.5, 2.0])
@pytest.mark.parametrize("kind", ["across", "excess"])
def test_neurons_off_their_target(kind, share):
    """Twice ζ² and twice α² − |p|², for two labels and one neuron with α = |p| = 1, beside the tolerance."""
    small, size = math.sqrt(share * TOLERANCE / 2), math.sqrt(5)
    across, beyond = (small, 0.0) if kind == "across" else (0.0, small)
    g = [[(1 - 2 * across) / size, (2 + across) / size, beyond]]
    task = problem([1.0, 2.0], g, [1], 100.0)
    assert (fit_at_once(task) is not None) == (share < 1)


@pytest.mark.parametrize("frozen", [0.0, -1.0])
def test_falling_outputs_are_left_out_only_where_they_do_not_count(frozen):
    """All there is across comes from the second neuron: one that is balanced on its label only grows."""
    task = problem([1.0, 2.0], [[1 / math.sqrt(5), 2 / math.sqrt(5)], [frozen, 1.0]], [1, 1], 300.0)
    assert (fit_at_once(task) is not None) == (frozen == 0)


@pytest.mark.parametrize(
    ("labels", "signs"), [([1.0, -2.0], [1, -1]), ([1.0, 2.0], [1, -1])], ids=["both signs", "a neuron that shrinks"]
)
def test_no_fit_where_pairs_die(labels, signs):
    assert fit_at_once(problem(np.abs(labels), [[0.5, 1.0]] * 2, [1, 1], 40.0)) is not None
    assert fit_at_once(problem(labels, [[0.5, 1.0]] * 2, signs, 40.0)) is None


@pytest.mark.parametrize(
    ("condition", "task"), [("_alone", wide(100.0, 60)), ("_aligned", problem([1.0, 2.0], [[0.9, 0.3]], [1], 8.0))]
)
def test_without_a_condition_it_would_be_wrong(condition, task, monkeypatch):
    right = simulate(task)
    monkeypatch.setattr(fit, condition, lambda *_: True)
    monkeypatch.setattr(fit, "tilt_of", lambda *arguments: _tilt_of(*arguments[:-1], math.inf))
    wrong = simulate(task)
    times = np.linspace(0.0, min(right.t_end, wrong.t_end), 200)
    off = np.abs(right.along(times).log_norms - wrong.along(times).log_norms).max()
    assert len(fits(wrong)) > len(fits(right)) and off > 100 * float(wrong.error)


_tilt_of = fit.tilt_of


@pytest.mark.parametrize("rtol", [1e-3, 1e-6])
@pytest.mark.parametrize("seed", range(6))
def test_what_a_coarse_fit_neglects_is_in_its_estimate(seed, rtol):
    task = random_problem(seed, 60.0, n=3, m=8)
    coarse, fine = simulate(task, rtol=rtol), simulate(task)
    times = np.linspace(0.0, min(coarse.t_end, fine.t_end), 100)
    ours, right = coarse.along(times), fine.along(times)
    off = max(np.abs(ours.log_norms - right.log_norms).max(), np.abs(ours.directions - right.directions).max())
    assert off < float(coarse.error) + float(fine.error)


def test_more_digits_ask_for_more():
    """A light neuron below the tolerance of floats may be above that of 30 digits."""
    task = problem([1.0, 2.0], [[0.5, 1.0], [0.0, 1.0]], [1, 1], 300.0)
    assert len(fits(simulate(task))) == 1 and not fits(simulate(task, digits=30))


def test_it_may_be_left_early():
    task = random_problem(1, 1e3, n=3, m=6)
    whole = simulate(task)
    part = fits(whole)[0]
    until = (part.begin + part.end) / 2
    assert (simulate(task, until=until).at(until).log_residual == whole.at(until).log_residual).all()
