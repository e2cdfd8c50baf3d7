"""Decay modes: against the matrix exponential in mpmath, and where one is far below the rounding of another."""

import mpmath
import numpy as np
import pytest

from verify.flow.float64 import FLOAT64
from verify.flow.modes import Modes, decay_of, modes_of


def decay_modes(kernel, entries, off_axis, log_unit, n, arithmetic) -> Modes:
    return modes_of(decay_of(kernel, off_axis, log_unit, n, arithmetic), entries)


def exact(kernel, entries, tau, n):
    """exp(−K τ/n) r with 60 digits."""
    with mpmath.workdps(60):
        flow = mpmath.expm(mpmath.matrix(kernel.tolist()) * (-mpmath.mpf(tau) / n)) * mpmath.matrix(entries.tolist())
        return [flow[i] for i in range(len(entries))]


def kernel_with(coupling):
    rng = np.random.default_rng(1)
    b = rng.normal(size=(4, 4))
    kernel = b @ b.T + np.diag([3.0, 3.0, 1.0, 1.0])
    kernel[:2, 2:] *= coupling
    kernel[2:, :2] *= coupling
    return kernel


@pytest.mark.parametrize("coupling", [1.0, 1e-3, 1e-12, 0.0])
@pytest.mark.parametrize("tau", [0.0, 1.0, 30.0])
def test_matrix_exponential(coupling, tau):
    kernel, entries = kernel_with(coupling), np.array([1.0, -0.5, 1e-12, 2e-12])
    off_axis = np.array([False, False, True, True])
    found, units = decay_modes(kernel, entries, off_axis, 0.0, 3, FLOAT64).at(tau)
    right = exact(kernel, entries, tau, 3)
    for i in range(4):
        scale = max(abs(x) for x in (right if coupling > 1e-9 else right[:2] if i < 2 else right[2:]))
        assert abs(found[i] * np.exp(units[i]) - right[i]) <= 1e-10 * scale


def test_a_slow_mode_far_below_does_not_leak_into_a_fast_one():
    """Off-axis entries in units of e^−300: the axis decays to e^−200 without ever seeing them."""
    kernel = np.array([[2.0, 0.0], [0.3, 1.0]])
    modes = decay_modes(kernel, np.array([1.0, 1.0]), np.array([False, True]), -300.0, 1, FLOAT64)
    entries, units = modes.at(100.0)
    assert np.log(entries[0]) + units[0] == pytest.approx(-200.0, abs=1e-9)
    assert np.log(entries[1]) + units[1] == pytest.approx(-400.0 + np.log(0.7), abs=1e-9)


def test_many_times_at_once():
    off_axis = np.array([False, False, True, True])
    modes = decay_modes(kernel_with(1e-3), np.array([1.0, -0.5, 1e-12, 2e-12]), off_axis, 0.0, 3, FLOAT64)
    taus = np.array([0.0, 1.0, 30.0])
    entries, units = modes.at(taus)
    for i, tau in enumerate(taus):
        one, unit = modes.at(tau)
        np.testing.assert_allclose(entries[i] * np.exp(units[i] - unit), one, rtol=1e-13)


def test_time_below():
    modes = decay_modes(np.diag([2.0, 1.0]), np.array([1.0, 1.0]), np.array([False, False]), 0.0, 2, FLOAT64)
    assert modes.time_below(-10.0) == pytest.approx(20.0)
    assert modes.time_below(1.0) == 0.0
