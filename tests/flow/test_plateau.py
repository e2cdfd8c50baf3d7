"""Plateaus: where they end, what is true on them, and how fitted residuals decay."""

from pathlib import Path

import mpmath
import numpy as np
import pytest

from tests.flow.agreement import BoostedNeuron, problem, random_problem
from tests.problems import decoupled
from verify.flow.float64 import FLOAT64
from verify.flow.plateau import Plateau
from verify.flow.simulate import simulate
from verify.flow.start import initial_state
from verify.flow.stillness import find_plateau

DATA = Path(__file__).parent.parent / "data"

TOLERANCE = FLOAT64.epsilon / 8


def first_plateau(task) -> Plateau | None:
    return find_plateau(*initial_state(task, FLOAT64), TOLERANCE)


@pytest.mark.parametrize("seed", range(4))
def test_neurons_on_it_are_boosts(seed):
    """Log-growth, directions, and off-axis parts to relative accuracy at Λ = 10⁴, against many digits."""
    task = random_problem(300 + seed, 1e4, n=4, m=4, extra=1)
    trajectory = simulate(task)
    end = first_plateau(task).end
    for t in (0.4, 7.0, 60.0, 0.5 * end):
        state = trajectory.at(t)
        with mpmath.workdps(60 if t < 50 else 6000 if t > 1000 else 200):
            for j in range(4):
                neuron = BoostedNeuron(task, j).go_to(t)
                growth = float(mpmath.log(neuron.alpha))
                assert state.log_growth[j] == pytest.approx(growth, rel=1e-13, abs=1e-13)
                directions = [float(v / neuron.alpha) for v in neuron.p]
                np.testing.assert_allclose(state.directions[j], directions, rtol=1e-9, atol=1e-14)
                for column, positive in enumerate((True, False)):
                    inside = [k for k in range(4) if (neuron.y[k] > 0) == positive]
                    if len(inside) > 1 and all(neuron.p[k] > 0 for k in inside):
                        expected = float(mpmath.log(neuron.off_axis(positive) / neuron.alpha))
                        assert state.log_off_axis[j, column] == pytest.approx(expected, rel=1e-12, abs=1e-11)


def test_a_fitted_residual_decays_with_the_tangent_matrix():
    """One neuron, two labels, at the end of the fit: r' = −K r/n with K = a² + p pᵀ, eigenvalues 2‖y‖ and ‖y‖."""
    trajectory = simulate(problem([1.0, 2.0], [[1.0, 1.5]], [1], 20.0))
    size, end = np.sqrt(5.0), float(trajectory.t_end)
    one, two = trajectory.at(end - 10.0), trajectory.at(end)
    fast = (two.log_residual_axis[0] - one.log_residual_axis[0]) / 10
    slow = (two.log_residual_off_axis[0] - one.log_residual_off_axis[0]) / 10
    assert slow == pytest.approx(-size / 2, rel=1e-9)
    assert fast == pytest.approx(-size, rel=1e-6)


def test_the_time_of_rest_is_when_the_residual_is_small_enough():
    plateau = next(s for s in simulate(decoupled(20.0)).segments if isinstance(s, Plateau) and s.fitted.any())
    t = plateau.fitted_below(1e-40)
    component, now = plateau.at(t)
    relative = np.log(np.abs(now.residual)) + now.log_residual - np.log(np.abs(component.y))
    assert relative.max() == pytest.approx(np.log(1e-40), abs=1e-6)


@pytest.mark.parametrize(("minus_log_lambda", "digits"), [(30.0, None), (100.0, 20)])
def test_a_neuron_on_part_of_a_block_goes_on_turning_on_the_next_plateau(minus_log_lambda, digits):
    """Neuron 0 shares labels 2 and 3 with neuron 2, which has label 0 as well; they leave the plateau of all three
    when label 1 moves, and wait on. Balanced in R^n, so that its directions have length 1 at all times.
    """
    y, g = [-0.47, 1.88, -0.44, -0.0145], [[-0.74, 1.52, 0.38, 1.06], [0.1, 1.0, 0.1, 0.1], [0.3, -0.2, 0.3, 0.2]]
    trajectory = simulate(problem(y, g, [-1, 1, -1], minus_log_lambda), digits=digits)
    plateaus = [s for s in trajectory.stretches if isinstance(s, Plateau) and 0 in s.component.neurons]
    assert len(plateaus) > 2 and plateaus[1].component.labels.tolist() == [0, 2, 3]
    for t in np.linspace(0, float(trajectory.t_end), 40):
        length = (trajectory.at(t).directions[0] ** 2).sum()
        assert abs(float(length - 1)) < 1e-14
