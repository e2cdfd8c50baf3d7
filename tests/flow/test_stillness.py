"""When a plateau begins and ends, and what is left behind."""

from pathlib import Path

import numpy as np
import pytest

from tests.flow.agreement import problem, random_problem
from tests.problems import decoupled, decoupled_state
from verify.errors import PrecisionExhausted
from verify.flow.float64 import FLOAT64
from verify.flow.plateau import Plateau
from verify.flow.simulate import simulate
from verify.flow.start import initial_state
from verify.flow.stillness import find_plateau, leave
from verify.problem import Problem

DATA = Path(__file__).parent.parent / "data"

TOLERANCE = FLOAT64.epsilon / 8


def first_plateau(task) -> Plateau | None:
    return find_plateau(*initial_state(task, FLOAT64), TOLERANCE)


def test_there_is_none_when_the_network_already_moves_the_residual():
    assert first_plateau(random_problem(0, 1.0)) is None
    assert first_plateau(random_problem(0, 30.0)) is not None


@pytest.mark.parametrize("scale", [30.0, 1e4, 1e6])
def test_it_ends_when_an_output_reaches_the_tolerance(scale):
    task = decoupled(scale)
    plateau = first_plateau(task)
    _, before = decoupled_state(task, 0.9 * plateau.end)
    log_norms, _ = decoupled_state(task, plateau.end)
    reached = (2 * log_norms - np.log(np.abs(task.dataset.y)) - np.log(TOLERANCE)).max()
    assert -1.5 < reached <= 0.0
    np.testing.assert_array_equal(before, task.dataset.y)


def test_its_end_is_the_start_of_independent_components():
    task = random_problem(301, 1e4, n=4, m=6)
    plateau = first_plateau(task)
    pieces = leave(plateau, plateau.end)
    assert sorted(int(k) for piece, _ in pieces for k in piece.labels) == list(range(4))
    assert sorted(int(j) for piece, _ in pieces for j in piece.neurons) == list(range(6))
    for _, now in pieces:
        assert now.t == plateau.end


def test_a_slow_label_beside_fast_ones_has_an_end():
    """Labels over eight orders of magnitude: fast neurons die at once, and a plateau 10^7 times as long remains."""
    trajectory = simulate(Problem.from_json(DATA / "wide-labels.json"))
    assert trajectory.t_end > 1e9
    assert len(trajectory.segments) < 400


def test_scales_that_floats_cannot_tell_apart_are_refused_and_digits_resolve_them():
    """At Λ = 1e16 a unit of the last place of a time is longer than what happens in it."""
    far = problem([1.0, -1e-9], [[1.0, -0.5], [-0.25, 1.0]], [1, -1], 1e17)
    with pytest.raises(PrecisionExhausted, match="digits"):
        simulate(far)
    assert simulate(far, digits=20).t_end > 1e25
