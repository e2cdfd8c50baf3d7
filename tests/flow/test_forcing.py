"""The response of a fitted residual to growing neurons: against quadrature in mpmath, and on a whole trajectory."""

import mpmath
import numpy as np
import pytest

from tests.flow.agreement import problem
from verify.flow.float64 import FLOAT64
from verify.flow.forcing import FittedResidual, Forcing
from verify.flow.modes import decay_of, modes_of
from verify.flow.multiprecision import multiprecision
from verify.flow.plateau import Plateau
from verify.flow.simulate import simulate

KERNEL = np.array([[2.0, 0.3], [0.3, 1.0]])
N = 3
TERMS = [([0.5, -0.2], -3.0, 0.7, 0.0, np.inf), ([0.1, 0.4], -1.0, -0.6, 0.5, 2.0), ([1.0, 0.0], -2.0, 0.0, 0.0, 1.0)]


def fitted(arithmetic):
    decay = decay_of(arithmetic.array(KERNEL), np.zeros(2, dtype=bool), 0.0, N, arithmetic)
    columns = [arithmetic.array(np.array(column)) for column in zip(*TERMS, strict=True)]
    start = arithmetic.number(0)
    return FittedResidual(start, decay, modes_of(decay, arithmetic.array(np.array([0.1, 0.2]))), Forcing(*columns))


def by_quadrature(t):
    """r' = −K r/n − g' by variation of constants."""
    kernel = mpmath.matrix(KERNEL.tolist()) / N
    out = mpmath.expm(-kernel * t) * mpmath.matrix([mpmath.mpf(0.1), mpmath.mpf(0.2)])
    for entries, size, rate, begin, end in TERMS:
        if t <= begin or rate == 0:
            continue

        def integrand(s, i, c=entries, z=size, v=rate, b=begin):
            return (mpmath.expm(-kernel * (t - s)) * mpmath.matrix(c))[i] * v * mpmath.exp(z + v * (s - b))

        until = min(t, mpmath.mpf(end)) if end != np.inf else t
        for i in range(2):
            out[i] -= mpmath.quad(lambda s, i=i: integrand(s, i), [begin, until])
    return [out[0], out[1]]


@pytest.mark.parametrize("t", [0.0, 0.3, 1.2, 4.0])
def test_quadrature(t):
    with mpmath.workdps(30):
        right = by_quadrature(mpmath.mpf(t))
    entries, units = fitted(FLOAT64).at(t)
    np.testing.assert_allclose(entries * np.exp(units), [float(r) for r in right], rtol=1e-13)
    arithmetic = multiprecision(25)
    with arithmetic.context():
        exact = arithmetic.export(fitted(arithmetic).at(arithmetic.number(t))[0])
    assert all(abs(a - b) < 1e-24 for a, b in zip(exact, right, strict=True))


def test_times_may_be_many():
    many, units = fitted(FLOAT64).at(np.array([0.3, 1.2]))
    for row, unit, t in zip(many, units, (0.3, 1.2), strict=True):
        entries, top = fitted(FLOAT64).at(t)
        np.testing.assert_allclose(row * np.exp(unit), entries * np.exp(top), rtol=1e-14)


@pytest.mark.parametrize("digits", [None, 30])
def test_a_neuron_that_waits_for_another_label_pushes_the_fitted_ones(digits):
    """y₁ waits: only a weak neuron knows it, and also knows y₂. While it grows r₂ follows −g₂'/(K₂₂/n + rate)."""
    task = problem([1.0, 0.2, 1.5], [[0.6, -0.5, 1.0], [-0.3, 0.8, 0.4]], [1, 1], 400.0)
    trajectory = simulate(task, digits=digits)
    mixed = [s for s in trajectory.segments if isinstance(s, Plateau) and 0 < s.fitted.sum() < len(s.fitted)]
    t = float(mixed[0].begin) + 0.75 * (float(mixed[0].end) - float(mixed[0].begin))
    state = trajectory.at(t)
    size = np.asarray(2 * state.log_norms, dtype=float)
    p = np.asarray(state.directions, dtype=float)
    mass = np.exp(size[0]) * (1 + p[0, 2] ** 2) + np.exp(size[0]) * p[0, 0] ** 2
    assert mass > 1
    with mpmath.workdps(40):
        g = mpmath.exp(mpmath.mpf(float(size[1]))) * p[1, 2]
        rate = mpmath.mpf(0.2) / 3
        kernel = mpmath.matrix(2)
        for i, k in enumerate((0, 2)):
            for j, q in enumerate((0, 2)):
                kernel[i, j] = mpmath.exp(size[0]) * ((i == j) + p[0, k] * p[0, q]) / 3 + (i == j) * rate
        response = mpmath.lu_solve(kernel, mpmath.matrix([0, -rate * g]))
    np.testing.assert_allclose(state.residual_sign[[0, 2]], [float(mpmath.sign(response[i])) for i in range(2)])
    logs = [float(mpmath.log(abs(response[i]))) for i in range(2)]
    np.testing.assert_allclose(np.asarray(state.log_residual, dtype=float)[[0, 2]], logs, atol=1e-6)
