"""Problems that every program can be handed to the last bit: inputs e_1 … e_n, and a reference in many digits."""

import numpy as np

from verify.dataset import Dataset
from verify.families import draw_problem
from verify.flow.simulate import simulate
from verify.initialisation import Initialisation
from verify.notation import FloatArray
from verify.problem import Problem

DIGITS = 30
FITTED = 1e-10
"""A trajectory is followed until every residual is below this share of its label; no program needs to go on."""


def on_standard_basis(problem: Problem) -> Problem:
    """The same flow in an orthonormal basis whose first vectors are the inputs."""
    data, start = problem.dataset, problem.initialisation
    beyond = np.linalg.svd(data.x)[2][data.n :]
    g = start.directions @ np.vstack([data.x, beyond]).T
    return Problem(
        Dataset.standard(data.y, d=data.d), Initialisation(g, start.signs, start.minus_log_lambda), problem.epsilon
    )


def wide(minus_log_lambda: float, m: int, n: int = 5, d: int | None = None) -> Problem:
    """A problem on the standard basis, drawn from a fixed seed."""
    rng = np.random.default_rng(1)
    d = n + 3 if d is None else d
    drawn = draw_problem(rng, inputs="haar", n=n, d=d, m=m, minus_log_lambda=minus_log_lambda)
    return on_standard_basis(drawn)


def fitted_at(problem: Problem) -> float:
    """When all labels are fitted to ``FITTED``, from a grid on the trajectory of this package."""
    trajectory = simulate(problem)
    times = np.linspace(0.0, float(trajectory.t_end), 400)
    residual = np.abs(trajectory.along(times).residual / problem.dataset.y)
    return float(times[np.argmax(residual.max(axis=1) < FITTED)])


def in_digits(problem: Problem, end: float) -> tuple[FloatArray, FloatArray]:
    """ln|a_j| (m,) and residual (n,) at ``end``, computed in ``DIGITS`` digits from the very same numbers."""
    state = simulate(problem, until=end, digits=DIGITS).at(end)
    return state.log_norms.astype(float), state.residual.astype(float)
