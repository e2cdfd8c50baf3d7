"""Certified trajectories hold the flow: reference trajectories, many digits on random problems, at any time."""

from __future__ import annotations

import builtins
import statistics
from typing import Any

import mpmath
import numpy as np
import pytest

from tests.certify.sound import holds, misses, random_problem, spread_times
from tests.problems import ROTATION, reference, small
from verify import Dataset, Initialisation, Problem, simulate
from verify.certify import follow
from verify.certify.balls import ball, hull, precision
from verify.certify.taylor import Taylor
from verify.certify.trajectory import CertifiedTrajectory, certified, trajectory_of
from verify.errors import InvalidArgument, InvalidInitialisation, InvalidProblem, MissingExtra, PrecisionExhausted
from verify.flow.simulate import arithmetic_for


@pytest.fixture(scope="module")
def r3() -> CertifiedTrajectory:
    return simulate(reference("R3")[0], rigorous=True)


def test_balls_hold_a_reference_trajectory(r3: CertifiedTrajectory) -> None:
    """To the 33 digits it is given with: plateaus of thousands of time units, both fits, and the tails."""
    _, states, deaths = reference("R3")
    for state in states:
        box = r3.at(str(state.exact_t))
        assert _all_held(box.log_norms, state.exact_log_norms)
        assert _all_held(box.directions, state.exact_directions)
        assert _all_held(box.residual, state.exact_residual)
        assert float(max(x.rad() for x in box.log_norms)) < 1e-14
    assert [(row.neuron, row.label) for row in r3.deactivations.itertuples()] == [(d.neuron, d.label) for d in deaths]
    assert all(holds(t, _mp(d.exact_t), 1e-33) for t, d in zip(r3.deactivations.t, deaths, strict=True))


def _mp(decimal: Any) -> Any:
    with mpmath.workdps(50):
        return mpmath.mpf(str(decimal))


def _all_held(boxes: Any, exact: Any) -> bool:
    return all(holds(box, _mp(x), 1e-33) for box, x in zip(boxes.ravel(), exact.decimals().ravel(), strict=True))


@pytest.mark.parametrize("seed", [2, 6, 19])
def test_balls_hold_what_many_digits_say(seed: int) -> None:
    problem = random_problem(seed)
    trajectory, many = simulate(problem, digits=20, rigorous=True), simulate(problem, digits=40)
    assert misses(trajectory, many, spread_times(many, 20, seed), 1e-38) == []


def test_radii_are_not_much_wider_than_numbers_of_as_many_bits_are_wrong() -> None:
    """In the median no more than 10⁶ times the error of ln|a_j|, up to the first tail, which knows of no bits."""
    ratios = []
    for seed in (2, 19):
        problem = random_problem(seed)
        trajectory = simulate(problem, digits=20, rigorous=True)
        bits, tail = trajectory.effort.bits, min(float(s.begin.t) for s in trajectory.segments if s.kind == "tail")
        digits = max(d for d in range(20, 70) if arithmetic_for(problem, d).bits <= bits)
        rough, fine = simulate(problem, digits=digits), simulate(problem, digits=digits + 20)
        for t in np.linspace(0.0, min(tail, float(rough.t_end)), 20, endpoint=False)[1:].tolist():
            rows = zip(trajectory.at(t).log_norms, rough.at(t).log_norms, fine.at(t).log_norms, strict=True)
            with mpmath.workdps(90):
                ratios += [float(box.rad()) / float(abs(x - exact)) for box, x, exact in rows if x != exact]
    assert len(ratios) > 60 and statistics.median(ratios) < 1e6


def test_a_trajectory_that_is_slightly_wrong_is_missed() -> None:
    problem = random_problem(6)
    moved = Problem(problem.dataset, problem.initialisation, None).at_scale("40.300000000000000001")
    trajectory, many = simulate(problem.at_scale("40.3"), digits=20, rigorous=True), simulate(moved, digits=40)
    assert len(misses(trajectory, many, spread_times(many, 9, 1), 1e-38)) > 10


def test_a_stretch_of_time_holds_every_moment_of_it(r3: CertifiedTrajectory) -> None:
    with precision(r3.effort.bits):
        for first, last in ((0.0, 2.5), (2000.0, 3480.0), (3460.0, 3475.0), (5000.0, 9000.0)):
            wide = r3.at(hull(ball(first), ball(last)))
            for part in range(5):
                inside = r3.at(first + (last - first) * part / 4)
                for large, fine in zip(wide.log_norms, inside.log_norms, strict=True):
                    assert not large.is_finite() or large.overlaps(fine)
                assert all(x.overlaps(y) for x, y in zip(wide.residual, inside.residual, strict=True))
                for side in (0, 2):
                    assert wide.across[side] is None or wide.across[side].overlaps(_across(inside, side))


def test_sizes_are_known_over_all_of_a_step(r3: CertifiedTrajectory) -> None:
    """Also where |a| grows by so much that the ball of its polynomial reaches below 0."""
    hidden = 0
    with precision(r3.effort.bits):
        for step in (s for s in r3.segments if isinstance(s, Taylor)):
            span = step.end - step.begin.t
            local = step.at(hull(ball(0), span))
            hidden += sum(not step._neuron(j, p, hull(ball(0), span)) > 0 for j, p in enumerate(step.a))
            for part in range(5):
                inside = step.at((span * part / 4).mid())
                assert all(x.contains(y) for x, y in zip(local.log_a, inside.log_a, strict=True))
                assert all(x.rad() < 100 for x in local.log_a)
    assert hidden > 3


def _across(state: Any, j: int) -> Any:
    labels = [k for k, y in enumerate(state.setting.y) if y * state.setting.signs[j] > 0]
    along = sum(state.directions[j, k] * state.setting.unit[k] for k in labels)
    return sum(((state.directions[j, k] - along * state.setting.unit[k]) * 1) ** 2 if len(labels) > 1 else 0 * along
               for k in labels)  # fmt: skip


def test_the_cost_does_not_grow_with_the_plateau() -> None:
    near, far = (simulate(reference("R3")[0].at_scale(scale), rigorous=True) for scale in (300, 100_000))
    assert len(far.segments) < 1.3 * len(near.segments)


def test_until_ends_a_trajectory(r3: CertifiedTrajectory) -> None:
    short = certified(r3.problem, until=100)
    assert len(short.segments) < 20
    assert all(x.overlaps(y) for x, y in zip(short.at(100).log_norms, r3.at(100).log_norms, strict=True))
    with pytest.raises(InvalidArgument, match="at most 100"):
        short.at(101)


@pytest.mark.parametrize(("t", "message"), [(-1, "at least 0"), ("soon", "no decimal"), (float("inf"), "finite")])
def test_bad_times(r3: CertifiedTrajectory, t: Any, message: str) -> None:
    with pytest.raises(InvalidArgument, match=message.replace("no", "not a") if "decimal" in message else message):
        r3.at(t)


def test_the_flag_and_a_tolerance_exclude_each_other() -> None:
    with pytest.raises(InvalidArgument, match=r"rtol = 1e-09 means nothing with rigorous=True"):
        simulate(random_problem(6), rtol=1e-9, rigorous=True)


def test_bits_that_do_not_suffice_are_named() -> None:
    with pytest.raises(PrecisionExhausted, match=r"with 60 bits: try 120"):
        trajectory_of(reference("R1")[0], follow.Effort(40.0, 60))


def test_bits_are_doubled_until_they_suffice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("verify.certify.trajectory.effort_for", lambda problem, digits: follow.Effort(9.0, 30))
    assert certified(reference("R1")[0]).effort.bits in (60, 120)


def test_rows_that_are_nearly_orthonormal_are_refused_exactly() -> None:
    near = [["0.6", "0.8"], ["-0.8", "0.6000000000000001"]]
    start = Initialisation([[1, 2], [2, -1]], [1, -1], 50)
    with pytest.raises(InvalidProblem, match=r"exactly orthonormal.*<x\[0\], x\[1\]>.*off 0 by 8e-17"):
        certified(Problem(Dataset(near, [2, -1]), start))


def test_rational_rotations_are_followed() -> None:
    start = Initialisation([[1, 2, 1], [2, "-1.1", 0], [1, -2, 3]], [1, -1, 1], 20)
    problem = Problem(Dataset(ROTATION, [2, -1]), start)
    trajectory, many = certified(problem, digits=20), simulate(problem, digits=40)
    assert misses(trajectory, many, spread_times(many, 6, 0), 1e-38) == []


def test_the_boundary_of_two_patterns_is_refused_by_its_pair() -> None:
    start = Initialisation([[1.0, 0.5], [0.0, 1.0]], [1, -1], 50)
    with pytest.raises(InvalidProblem, match=r"<g\[1\], x\[0\]> = 0 exactly: neuron 1 .* at label 0"):
        certified(Problem(Dataset.standard([2, -1]), start))


def test_an_unbalanced_start_is_refused() -> None:
    start = Initialisation([[1.0, 0.5], [-0.5, 1.0]], [1, -1], 50, output_scale=[2.0, 3.0])
    with pytest.raises(InvalidInitialisation, match="output_scale"):
        certified(Problem(Dataset.standard([2, -1]), start))


def test_a_missing_library_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = builtins.__import__

    def without(name: str, *rest: Any, **options: Any) -> Any:
        if name == "flint":
            raise ImportError(name)
        return honest(name, *rest, **options)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtra, match=r"relu-flow-verify\[certify\]"):
        certified(small())


def test_a_step_says_no_more_than_it_encloses(r3: CertifiedTrajectory) -> None:
    step = next(s for s in r3.segments if isinstance(s, Taylor))
    with precision(r3.effort.bits), pytest.raises(PrecisionExhausted, match="leaves its disc"):
        step.at(20 * step.span)
