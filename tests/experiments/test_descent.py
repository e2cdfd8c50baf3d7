"""Gradient descent: the compiled iteration is that of the definition, in the parameters themselves."""

import mpmath
import numpy as np
import pytest

from verify.errors import InvalidArgument, SimulationFailed
from verify.experiments.descent import descend
from verify.experiments.regression import Regression
from verify.experiments.starts import gaussian_start
from verify.network import Network


@pytest.mark.parametrize(("n", "d", "leak"), [(2, 5, 0.0), (4, 2, 0.0), (3, 3, 0.3)])
def test_iterates_in_the_parameters(n: int, d: int, leak: float) -> None:
    rng = np.random.default_rng(n)
    data = Regression(rng.normal(size=(n, d)), rng.normal(size=n), leak)
    start, step = gaussian_start(rng, 7, d, 0.5, balanced=False), 0.05
    record = descend(data, start, step, 40, keep=[40])
    a, w = start.a.copy(), start.w.copy()
    for i in range(40):
        p = w @ data.x.T
        r = data.y - a @ np.where(p > 0, p, leak * p)
        assert record.losses[i] == pytest.approx(r @ r / (2 * n), rel=1e-10)
        slope = np.where(p > 0, 1.0, leak)
        a, w = a + step / n * (slope * p) @ r, w + step / n * a[:, None] * ((slope * r) @ data.x)
    end = record.after(40).parameters()
    assert np.allclose(end.a, a, rtol=1e-9) and np.allclose(end.w, w, rtol=1e-9, atol=1e-12)
    assert record.losses[-1] == pytest.approx(record.after(40).loss) and record.t_end == pytest.approx(2.0)


def test_says_what_is_wrong() -> None:
    data = Regression(np.eye(2), np.array([1.0, -1.0]))
    start = gaussian_start(np.random.default_rng(0), 4, 2, 1.0)
    with pytest.raises(InvalidArgument, match="step"):
        descend(data, start, 0.0, 10)
    with pytest.raises(InvalidArgument, match="kept"):
        descend(data, start, 0.1, 10).after(3)
    with pytest.raises(SimulationFailed, match="diverged"):
        descend(Regression(data.x, data.y, leak=0.5), start, 1e3, 2000)


@pytest.mark.parametrize("leak", [0.0, 0.25])
def test_digits_against_a_naive_loop(leak: float) -> None:
    """Scalar mpmath numbers, sums written out, at twice the digits; the start is of size 10⁻⁴⁰⁰."""
    rng, m, n, d, step = np.random.default_rng(5), 3, 3, 2, 0.125
    data = Regression(rng.normal(size=(n, d)), rng.normal(size=n), leak)
    with mpmath.workdps(80):
        size = mpmath.mpf(10) ** -400
        a, w = [size * v for v in rng.normal(size=m)], [[size * v for v in row] for row in rng.normal(size=(m, d))]
        start = Network(np.array(a), np.array(w))
        for _ in range(300):
            p = [[mpmath.fsum(w[j][i] * float(data.x[k, i]) for i in range(d)) for k in range(n)] for j in range(m)]
            s = [[1 if p[j][k] > 0 else leak for k in range(n)] for j in range(m)]
            h = [mpmath.fsum(a[j] * s[j][k] * p[j][k] for j in range(m)) for k in range(n)]
            r = [float(data.y[k]) - h[k] for k in range(n)]
            growth = [mpmath.fsum(s[j][k] * p[j][k] * r[k] for k in range(n)) for j in range(m)]
            pulls = [
                [a[j] * mpmath.fsum(s[j][k] * r[k] * float(data.x[k, i]) for k in range(n)) for i in range(d)]
                for j in range(m)
            ]
            a = [a[j] + step * growth[j] / n for j in range(m)]
            w = [[w[j][i] + step * pulls[j][i] / n for i in range(d)] for j in range(m)]
        found = descend(data, start, step, 300, digits=40).after(300)
        apart = [*(found.parameters().a / np.array(a) - 1), *(found.parameters().w / np.array(w) - 1).ravel()]
        assert max(map(abs, apart)) < 1e-39


def test_digits_and_floats_agree() -> None:
    rng = np.random.default_rng(0)
    data = Regression(rng.normal(size=(3, 2)), rng.normal(size=3))
    start = gaussian_start(rng, 5, 2, 0.3)
    floats, digits = (descend(data, start, 0.05, 200, keep=[70], digits=d) for d in (None, 25))
    assert np.asarray(digits.losses, dtype=float) == pytest.approx(floats.losses, rel=1e-11)
    one, other = floats.after(70), digits.after(70)
    for name in ("p", "a", "residual", "log_norms", "directions", "signs"):
        assert np.asarray(getattr(other, name), dtype=float) == pytest.approx(getattr(one, name), rel=1e-10)
    with pytest.raises(SimulationFailed, match="diverged"):
        descend(Regression(data.x, data.y, leak=0.5), start, 1e3, 200, digits=20)
    with pytest.raises(InvalidArgument, match="digits"):
        descend(data, start, 0.1, 10, digits=3)
