"""Networks on a line: the kernel interpolator is the least-norm solution of the linearised problem."""

import numpy as np
import pytest

from verify.experiments.line import kernel_interpolator, kinks, lifted
from verify.experiments.regression import Regression
from verify.experiments.starts import gaussian_start
from verify.network import Network


def jacobian(net: Network, x: np.ndarray) -> np.ndarray:
    """dh(x)/dθ by central differences, (N, parameters)."""
    theta, columns = np.concatenate([net.a, net.w.ravel()]), []
    for i in range(len(theta)):
        values = []
        for step in (1e-6, -1e-6):
            moved = theta.copy()
            moved[i] += step
            values.append(Network(moved[: net.m], moved[net.m :].reshape(net.w.shape)).output(x))
        columns.append((values[0] - values[1]) / 2e-6)
    return np.stack(columns, axis=1)


def test_kernel_interpolator_is_the_least_change_of_the_parameters() -> None:
    data = Regression.on_a_line(np.array([-1.0, 0.3, 1.5]), np.array([1.0, -0.4, 0.7]))
    start = gaussian_start(np.random.default_rng(0), 15, 2, 1.0)
    x = lifted(np.array([-1.0, 0.3, 1.5, -0.6, 0.9, 2.2]))
    change = np.linalg.lstsq(jacobian(start, data.x), data.y - start.output(data.x), rcond=None)[0]
    expected = start.output(x) + jacobian(start, x) @ change
    found = kernel_interpolator(data, start, x)
    assert found == pytest.approx(expected, abs=1e-6)
    assert found[:3] == pytest.approx(data.y, abs=1e-10)


def test_kinks_that_cancel_or_coincide() -> None:
    w = np.array([[1.0, -1.0], [2.0, -2.0], [1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [1.0, 9.0]])
    a = np.array([1.0, 1.0, 1.0, -1.0, 5.0, 1.0])
    assert kinks(Network(a, w), -2.0, 2.0) == pytest.approx([1.0])
