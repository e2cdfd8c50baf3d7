"""Events on a step: the Bernstein form is the dense output, and no root is missed, however near to another."""

import numpy as np
import pytest
from scipy.integrate import DOP853

from verify.experiments.passages import _first_root, bernstein_of, head, value


def test_coefficients_are_those_of_the_dense_output() -> None:
    solver = DOP853(lambda t, y: np.array([y[1], -np.sin(y[0]) * (1 + y[1])]), 0.0, [1.0, 2.0], 9.0, first_step=0.7)
    solver.step()
    dense, points = solver.dense_output(), bernstein_of(solver.dense_output())
    for theta in np.linspace(0, 1, 9):
        expected = dense(theta * solver.t)
        assert value(points, theta) == pytest.approx(expected, rel=1e-13)
        assert value(head(points, 0.4), theta) == pytest.approx(dense(0.4 * theta * solver.t), rel=1e-13)


def bernstein(coefficients: np.ndarray) -> np.ndarray:
    """Of a polynomial given by its values at 8 points."""
    nodes = np.linspace(0, 1, 8)
    table = np.array([value(np.eye(8), theta) for theta in nodes])
    return np.linalg.solve(table, coefficients(nodes))


@pytest.mark.parametrize("gap", [1e-2, 1e-4, 1e-6])
def test_a_graze_between_the_ends_is_found(gap: float) -> None:
    """(θ − 0.37)² dips below gap² by far less than any sampling would see."""
    dip = bernstein(lambda x: (x - 0.37) ** 2 - gap**2)
    assert _first_root(dip, 2.0) == pytest.approx(0.37 - gap, abs=1e-9)
    assert _first_root(bernstein(lambda x: (x - 0.37) ** 2 + gap**2), 2.0) == 2


def test_the_first_of_many_roots() -> None:
    roots = np.array([0.2, 0.21, 0.5, 0.7, 0.71, 0.9, 0.95])
    assert _first_root(bernstein(lambda x: -np.prod(x[:, None] - roots, axis=1)), 2.0) == pytest.approx(0.2, abs=1e-9)
    assert _first_root(-np.ones(8), 2.0) == 0 and _first_root(np.ones(8), 2.0) == 2
