"""Second opinions for the tests of the flow: the naive simulator, and boosts at any number of digits."""

from typing import Any

import mpmath
import numpy as np

from tests.naive import naive
from verify.dataset import Dataset
from verify.flow.simulate import simulate
from verify.flow.state import State
from verify.flow.trajectory import Trajectory
from verify.initialisation import Initialisation
from verify.problem import Problem

TOLERANCE = 1e-9


def problem(y: Any, g: Any, s: Any, minus_log_lambda: float, output_scale: Any = None, x: Any = None) -> Problem:
    """A problem on the standard basis of R^d, d read off the directions, unless inputs are given."""
    g = np.asarray(g, dtype=float)
    data = Dataset.standard(y, d=g.shape[1]) if x is None else Dataset(x, y)
    return Problem(data, Initialisation(g, s, minus_log_lambda, output_scale))


def random_problem(
    seed: int, minus_log_lambda: float, n: int = 3, m: int = 6, extra: int = 0, rotate: bool = False, spread: float = 0
) -> Problem:
    """Gaussian labels and directions; ``extra`` = d − n; ``spread`` > 0 unbalances |a_j| and ‖w_j‖."""
    rng = np.random.default_rng(seed)
    d = n + extra
    x = np.linalg.qr(rng.normal(size=(d, d))).Q[:n] if rotate else None
    y = rng.choice([-1, 1], size=n) * rng.uniform(0.3, 2.0, size=n)
    scale = np.exp(spread * rng.normal(size=m)) if spread else None
    return problem(y, rng.normal(size=(m, d)), rng.choice([-1, 1], size=m), minus_log_lambda, scale, x)


def assert_agrees_with_naive(task: Problem, until: float | None = None, count: int = 16) -> Trajectory:
    """Simulate both ways; compare log-norms, directions, residuals, loss, and deactivations with their times.

    A neuron that shrinks by e^-x amplifies every earlier error by e^2x in the naive simulator: it is allowed for.
    Residuals are measured against the label and the initial output, the terms they are the difference of.
    """
    trajectory = simulate(task, until=until)
    end = float(trajectory.t_end) * 0.999 if until is None else until
    times = np.linspace(0.0, end, count)
    other = naive(task, times)
    peak = np.full(task.initialisation.m, -np.inf)
    scale = np.abs(task.dataset.y) + np.abs(other.states[0].residual)
    for t, expected in zip(times, other.states, strict=True):
        state = trajectory.at(t)
        peak = np.maximum(peak, expected.log_norms)
        allowed = TOLERANCE * np.maximum(1.0, np.exp(2 * (peak - expected.log_norms)))
        assert (np.abs(state.log_norms - expected.log_norms) <= allowed).all(), f"log-norms at t = {t}"
        apart = np.abs(state.directions - expected.directions) / (1 + np.abs(expected.directions))
        assert (apart <= allowed[:, None]).all(), f"directions at t = {t}"
        assert (np.abs(state.residual - expected.residual) <= TOLERANCE * scale).all(), f"residual at t = {t}"
        assert abs(state.loss - expected.loss) <= TOLERANCE * (scale @ scale)
    assert_same_deactivations(trajectory, other.deactivations, end)
    return trajectory


def assert_same_deactivations(
    trajectory: Trajectory, expected: list[tuple[float, int, int]], end: float, rtol: float = TOLERANCE
) -> None:
    """The same pairs up to ``end``, each at the same time; the record is in order of time."""
    found = trajectory.deactivations
    assert found["t"].is_monotonic_increasing
    found = found[found["t"] <= end]
    at = {(j, k): t for t, j, k in expected}
    assert sorted(at) == sorted(zip(found["neuron"], found["label"], strict=True))
    for t, j, k in found.itertuples(index=False):
        assert abs(t / at[j, k] - 1) <= rtol, f"neuron {j}, label {k}"


def assert_same_state(one: State, two: State, atol: float) -> None:
    """Log-norms and directions absolutely, residuals relative to the labels."""
    np.testing.assert_allclose(one.log_norms, two.log_norms, rtol=0, atol=atol)
    np.testing.assert_allclose(one.directions, two.directions, rtol=atol, atol=atol)
    y = np.abs(one.problem.dataset.y)
    np.testing.assert_allclose(one.residual / y, two.residual / y, rtol=0, atol=atol)


class BoostedNeuron:
    """One neuron under the constant residual y, from time 0, in mpmath: α = s a and p in units of λ."""

    def __init__(self, task: Problem, j: int) -> None:
        start, self.n = task.initialisation, task.dataset.n
        self.s = int(start.signs[j])
        self.y = [mpmath.mpf(float(v)) for v in task.dataset.y]
        g = [mpmath.mpf(float(v)) for v in start.directions[j]]
        self.alpha = mpmath.sqrt(sum(v * v for v in g))
        if start.output_scale is not None:
            self.alpha = mpmath.mpf(float(start.output_scale[j]))
        self.p = g[: self.n]
        self.t = mpmath.mpf(0)
        self.deactivations: list[tuple[Any, int]] = []

    @property
    def active(self) -> list[int]:
        return [k for k in range(self.n) if self.p[k] > 0]

    @property
    def rate(self) -> Any:
        """ω = ‖y_A‖/n."""
        return mpmath.sqrt(sum(self.y[k] ** 2 for k in self.active)) / self.n

    def moved(self, tau: Any) -> tuple[Any, list[Any]]:
        """(α, p) a time ``tau`` later, if nothing is deactivated on the way."""
        if not self.active:
            return self.alpha, list(self.p)
        size, x = self.n * self.rate, self.rate * tau
        u = {k: self.s * self.y[k] / size for k in self.active}
        b = sum(u[k] * self.p[k] for k in u)
        push = b * (mpmath.cosh(x) - 1) + self.alpha * mpmath.sinh(x)
        p = [self.p[k] + u[k] * push if k in u else self.p[k] for k in range(self.n)]
        return self.alpha * mpmath.cosh(x) + b * mpmath.sinh(x), p

    def next_deactivation(self) -> tuple[Any, int] | None:
        """Time from now, and label, by bisection and Newton's method; for balanced neurons, monotone in t."""
        found = []
        for k in self.active:
            if self.s * self.y[k] > 0:
                continue
            low, high = mpmath.mpf(0), mpmath.mpf(1)
            while high < 10**6 and self.moved(high)[1][k] > 0:
                low, high = high, 2 * high
            if high >= 10**6:
                continue
            for _ in range(60):
                middle = (low + high) / 2
                low, high = (middle, high) if self.moved(middle)[1][k] > 0 else (low, middle)
            for _ in range(int(mpmath.mp.prec).bit_length()):
                alpha, p = self.moved(high)
                high -= p[k] * self.n / (self.s * self.y[k] * alpha)
            found.append((high, k))
        return min(found, default=None)

    def go_to(self, t: Any) -> "BoostedNeuron":
        """Advance to time ``t``, through every deactivation before it."""
        while (hit := self.next_deactivation()) is not None and self.t + hit[0] <= t:
            self.alpha, self.p = self.moved(hit[0])
            self.p[hit[1]] = mpmath.mpf(0)
            self.t += hit[0]
            self.deactivations.append((self.t, hit[1]))
        self.alpha, self.p = self.moved(t - self.t)
        self.t = mpmath.mpf(t)
        return self

    def off_axis(self, positive: bool) -> Any:
        """Norm of the part of the coordinates of one sign of label orthogonal to those labels."""
        inside = [k for k in range(self.n) if (self.y[k] > 0) == positive]
        size = mpmath.sqrt(sum(self.y[k] ** 2 for k in inside))
        p = [max(self.p[k], mpmath.mpf(0)) for k in inside]
        along = sum(p[i] * abs(self.y[k]) for i, k in enumerate(inside)) / size
        return mpmath.sqrt(sum((p[i] - along * abs(self.y[k]) / size) ** 2 for i, k in enumerate(inside)))
