"""Gradient descent: the compiled iteration is that of the definition, in the parameters themselves."""

import numpy as np
import pytest

from verify.errors import InvalidArgument, SimulationFailed
from verify.experiments.descent import descend
from verify.experiments.regression import Regression
from verify.experiments.starts import gaussian_start


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
