"""The Taylor recursion: compiled against multiprecision, and against an integration that knows nothing of it."""

from typing import Any

import mpmath
import numpy as np
import pytest

from verify.flow import series
from verify.flow.float64 import FLOAT64
from verify.flow.frame import Frame
from verify.flow.series import Law, started

N = 4
Y = np.array([1.0, -0.5, 0.75, -0.25])


class Setting:
    """Neurons in a label frame, in float64; ``run`` fills in the series in any arithmetic."""

    def __init__(self, seed: int, partial: bool, log_lateral: float = 0.0, framed: bool = True) -> None:
        rng = np.random.default_rng(seed)
        self.m, self.gain_unit = 5, 0.3
        self.signs = rng.choice([-1.0, 1.0], size=self.m)
        self.active = rng.random((self.m, N)) < (0.6 if partial else 2.0)
        self.frame = Frame.of(Y, FLOAT64, without=None if framed else np.ones(N, dtype=bool))
        self.rotated = self.frame.rotated(self.active)
        self.alpha = rng.uniform(0.5, 1.0, size=self.m)
        self.p = rng.uniform(0.1, 1.0, size=(self.m, N)) * self.active
        self.weight = self.signs * rng.uniform(0.01, 0.3, size=self.m)
        self.lateral = np.exp(log_lateral)
        self.residual = Y - (self.weight * self.alpha) @ self.p

    def run(self, order: int, convert: Any, extend: Any) -> tuple[Any, Any, Any]:
        frame, off = self.frame, self.frame.off_axis
        axes, p, residual = (convert(v) for v in (frame.axes, self.p, self.residual))
        lateral = convert(np.array([self.lateral]))[0]
        z0 = np.where(self.rotated, (p * self.rotated) @ axes.T, p)
        along = np.where(frame.framed, axes @ residual, residual)
        weight = convert(self.weight)
        law = Law(
            channel=frame.channel(self.active, self.rotated),
            gain=convert(self.signs) * self.gain_unit / N,
            weight=weight,
            lateral_weight=weight / lateral,
            axes=axes,
            framed=frame.framed,
            off_axis=off,
            lateral=lateral,
        )
        start = np.where(self.rotated & off, z0 / lateral, z0), np.where(off, along / lateral, along)
        series = started(law, convert(self.alpha), *start, order)
        for begin, end in ((0, order // 2), (order // 2, order - 1)):
            extend(series, law, begin, end)
        z, r = convert(np.zeros((self.m, N, order))), series.r.copy()
        z[series.neuron, series.coordinate] = series.z.T
        z = np.where((self.rotated & off)[:, :, None], z * lateral, z)
        r[N:] = np.where(off[:, None], r[N:] * lateral, r[N:])
        return series.a.T, z, r


def to_mp(values: Any) -> Any:
    return np.vectorize(lambda v: mpmath.mpf(float(v)), otypes=[object])(values)


def picard(setting: Setting, order: int) -> tuple[Any, Any, Any]:
    """Taylor coefficients of (α, p, residual) by Picard iteration on truncated polynomials, in plain coordinates."""
    m, unit = setting.m, mpmath.mpf(setting.gain_unit) / N
    alpha0, p0, weight = to_mp(setting.alpha), to_mp(setting.p), to_mp(setting.weight)
    y = to_mp(setting.residual) + np.array([sum(weight * alpha0 * p0[:, k]) for k in range(N)])

    def times(u, v):
        return [sum(u[i] * v[q - i] for i in range(q + 1)) for q in range(order)]

    def integral(u, start, factor):
        return [start] + [factor * u[q] / (q + 1) for q in range(order - 1)]

    alpha = [[alpha0[j]] + [mpmath.mpf(0)] * (order - 1) for j in range(m)]
    p = [[[p0[j, k]] + [mpmath.mpf(0)] * (order - 1) for k in range(N)] for j in range(m)]
    for _ in range(order):
        r = []
        for k in range(N):
            out = [
                sum(weight[j] * term[q] for j, term in enumerate(times(alpha[j], p[j][k]) for j in range(m)))
                for q in range(order)
            ]
            r.append([(y[k] if q == 0 else 0) - out[q] for q in range(order)])
        on = setting.active
        pull = [
            [sum(c) for c in zip(*(times(p[j][k], r[k]) for k in range(N) if on[j, k]), strict=True)] or [0] * order
            for j in range(m)
        ]
        push = [[times(alpha[j], r[k]) if on[j, k] else [0] * order for k in range(N)] for j in range(m)]
        s = setting.signs
        alpha = [integral(pull[j], alpha0[j], s[j] * unit) for j in range(m)]
        p = [[integral(push[j][k], p0[j, k], s[j] * unit) for k in range(N)] for j in range(m)]
    return alpha, p, r


@pytest.mark.parametrize("framed", [True, False])
@pytest.mark.parametrize("partial", [True, False])
@pytest.mark.parametrize("seed", range(2))
def test_against_picard_iteration_at_fifty_digits(seed, partial, framed):
    setting, order = Setting(seed, partial, framed=framed), 9
    with mpmath.workdps(50):
        # The float64 axes are orthonormal to 16 digits only, so a framed run is compared to that.
        tolerance = 1e-14 if framed else 1e-45
        a, z, r = setting.run(order, to_mp, series.extend)
        alpha, p, residual = picard(setting, order)
        axes = to_mp(setting.frame.axes)
        for q in range(order):
            at_labels = np.where(setting.rotated, (z[:, :, q] * setting.rotated) @ axes, z[:, :, q])
            for j in range(setting.m):
                assert abs(a[j, q] - alpha[j][q]) < tolerance
                assert all(abs(at_labels[j, k] - p[j][k][q]) < tolerance for k in range(N))
            assert all(abs(r[k, q] - residual[k][q]) < tolerance for k in range(N))
            along = axes @ r[:N, q]
            assert all(abs(along[k] - r[N + k, q]) < max(tolerance, 1e-14) for k in range(N))


@pytest.mark.parametrize("log_lateral", [0.0, -200.0])
@pytest.mark.parametrize("partial", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_the_compiled_kernel_equals_fifty_digits(seed, partial, log_lateral):
    setting, order = Setting(seed, partial, log_lateral), FLOAT64.order + 1
    fast = setting.run(order, np.array, FLOAT64.extend)
    with mpmath.workdps(50):
        slow = setting.run(order, to_mp, series.extend)
    for here, there in zip(fast, slow, strict=True):
        there = there.astype(float)
        largest = np.abs(there).max(axis=tuple(range(there.ndim - 1)))
        assert (np.abs(here - there) <= 1e-13 * largest + 1e-300).all()


@pytest.mark.parametrize("partial", [True, False])
def test_the_sum_of_the_series_solves_the_flow(partial):
    """Against mpmath's own integrator, over a quarter of the longest step."""
    setting = Setting(5, partial, framed=False)
    a, z, _ = setting.run(FLOAT64.order + 1, np.array, FLOAT64.extend)
    h = 0.5

    def slope(_, state):
        alpha, p = state[: setting.m], np.array(state[setting.m :], dtype=object).reshape(setting.m, N)
        residual = [start + drop for start, drop in zip(base, -(weight * alpha) @ p, strict=True)]
        pull = setting.active * np.array(residual, dtype=object)[None, :]
        out = [setting.signs[j] * unit * sum(pull[j] * p[j]) for j in range(setting.m)]
        return out + [setting.signs[j] * unit * alpha[j] * pull[j, k] for j in range(setting.m) for k in range(N)]

    with mpmath.workdps(20):
        unit, weight = mpmath.mpf(setting.gain_unit) / N, to_mp(setting.weight)
        base = to_mp(setting.residual) + (weight * to_mp(setting.alpha)) @ to_mp(setting.p)
        start = [*to_mp(setting.alpha), *to_mp(setting.p).ravel()]
        end = mpmath.odefun(slope, 0, start, tol=mpmath.mpf(10) ** -17)(h)
    powers = h ** np.arange(FLOAT64.order + 1)
    np.testing.assert_allclose(a @ powers, np.array(end[: setting.m], dtype=float), rtol=1e-14)
    np.testing.assert_allclose((z @ powers).ravel(), np.array(end[setting.m :], dtype=float), rtol=1e-14)


def test_a_tiny_residual_keeps_its_relative_accuracy():
    """Residuals of 1e-200 follow r' = −K r/n; as target minus output they would be nothing but rounding."""
    setting = Setting(6, False)
    setting.residual = 1e-200 * np.array([1.0, -2.0, 0.5, 0.25])
    _, _, r = setting.run(4, np.array, FLOAT64.extend)
    kernel = sum(
        abs(w) * (alpha**2 * np.eye(N) + np.outer(p, p))
        for w, alpha, p in zip(setting.weight, setting.alpha, setting.p, strict=True)
    )
    np.testing.assert_allclose(r[:N, 1], -setting.gain_unit / N * kernel @ setting.residual, rtol=1e-13)
