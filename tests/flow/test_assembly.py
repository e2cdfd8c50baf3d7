"""How components become one state: who goes before whom, and residuals in units of their own."""

from dataclasses import replace

import numpy as np
import pytest

from tests.flow.agreement import random_problem
from tests.problems import small
from verify.flow.assembly import assemble, concatenated, residual_at_labels
from verify.flow.constants import constants_of
from verify.flow.float64 import FLOAT64
from verify.flow.simulate import simulate
from verify.flow.start import initial_state


def test_the_start_put_together():
    task = small(5.0)
    component, now = initial_state(task, FLOAT64)
    state = assemble(task, FLOAT64, constants_of(task, FLOAT64), 0.0, [(..., component, now)])
    norms = task.initialisation.norms
    np.testing.assert_allclose(state.directions, task.projections / norms[:, None], rtol=1e-15)
    np.testing.assert_allclose(state.log_growth, np.log(norms))
    assert state.signs.tolist() == task.initialisation.signs.tolist()
    assert state.active.tolist() == (task.projections > 0).tolist()


def test_later_pieces_go_before_earlier_ones_at_their_own_times():
    task = small(5.0)
    component, now = initial_state(task, FLOAT64)
    later = replace(now, log_scale=now.log_scale + 1, residual=2 * now.residual)
    pieces = [(slice(0, 3), component, now), (slice(2, 3), component, later)]
    states = assemble(task, FLOAT64, constants_of(task, FLOAT64), np.array([0.0, 1.0, 2.0]), pieces)
    np.testing.assert_allclose(np.diff(states.log_growth, axis=0), [[0] * 4, [1] * 4], atol=1e-15)
    np.testing.assert_allclose(states.residual[2], 2 * states.residual[1])


@pytest.mark.parametrize("log_unit", [0.0, -1000.0])
def test_residual_at_labels_in_units_of_their_own(log_unit):
    """Along the axes (|y|/‖y‖ first) in a common unit, however small: at the labels it is that unit again."""
    component, now = initial_state(random_problem(0, 10.0, n=3), FLOAT64)
    natural = np.array([0.3, -0.2, 0.1])
    moved = replace(now, residual=component.frame.to_axes(natural), log_residual=np.full(3, log_unit))
    entries, units = residual_at_labels(component, moved)
    np.testing.assert_allclose(entries * np.exp(units - log_unit), natural, rtol=1e-14)


def test_parts_one_after_the_other():
    trajectory = simulate(small(20.0))
    parts = [trajectory.along([0.0, 1.0]), trajectory.along([2.0]), trajectory.along([30.0, 40.0])]
    whole = concatenated(parts)
    assert whole.t.tolist() == [0.0, 1.0, 2.0, 30.0, 40.0]
    for i, part in ((0, parts[0][0]), (2, parts[1][0]), (4, parts[2][1])):
        np.testing.assert_array_equal(whole[i].directions, part.directions)
        np.testing.assert_array_equal(whole[i].log_off_axis, part.log_off_axis)
    assert concatenated(parts[:1]) is parts[0]
