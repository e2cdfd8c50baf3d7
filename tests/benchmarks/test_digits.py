"""Many digits: cost against Λ, m and N, and beside mpmath's odefun and a fixed-step method on a tiny problem."""

from typing import Any

import mpmath
import numpy as np
import pytest

from tests.benchmarks.table import Run, Table, median_seconds
from tests.benchmarks.test_simulate import sixty
from tests.flow.agreement import problem, random_problem
from tests.naive_digits import naive_digits
from tests.problems import decoupled, reference
from verify.dataset import Dataset
from verify.flow.simulate import simulate
from verify.problem import Problem

DIGITS, END = 30, 4.0
TINY = problem([1.0, -0.5], [[0.8, 0.3], [0.4, 0.9]], [1, -1], 1.0)
"""No pair of it dies before ``END``, so that methods without events get it right as well."""

RIGHT = {"RK4, 200 steps": 1e-12}
OTHERS = 10.0 ** -(DIGITS - 1)
"""Largest error of a log-norm."""


def apart(one: Any, other: Any) -> float:
    """The largest difference of two lists of numbers."""
    with mpmath.workdps(200):
        return float(max(abs(a - b) for a, b in zip(one, other, strict=True)))


def number(exact: Any) -> Any:
    """A decimal with all of its digits."""
    with mpmath.workdps(60):
        return mpmath.mpf(str(exact))


def state_of(vector):
    return [mpmath.log(abs(a)) for a in vector[:2]]


def slope(vector):
    """The flow of ``TINY`` in the coordinates (a, p), all pairs being on until they die."""
    a, p = vector[:2], [vector[2:4], vector[4:6]]
    y = [mpmath.mpf(1), mpmath.mpf("-0.5")]
    r = [(y[k] - sum(a[j] * p[j][k] for j in (0, 1) if p[j][k] > 0)) / 2 for k in (0, 1)]
    on = [[value > 0 for value in row] for row in p]
    da = [sum(row[k] * r[k] for k in (0, 1) if row[k] > 0) for row in p]
    return da + [a[j] * r[k] if on[j][k] else mpmath.mpf(0) for j in (0, 1) for k in (0, 1)]


def start():
    lam = mpmath.exp(-1)
    g = [[mpmath.mpf("0.8"), mpmath.mpf("0.3")], [mpmath.mpf("0.4"), mpmath.mpf("0.9")]]
    a = [s * lam * mpmath.hypot(*row) for s, row in zip((1, -1), g, strict=True)]
    return a + [lam * v for row in g for v in row]


def first_death():
    return float(min(event.t for event in simulate(TINY).deactivations.itertuples()))


def fixed_step(count):
    """Runge and Kutta's method of order 4."""
    with mpmath.workdps(DIGITS + 10):
        v, h = start(), mpmath.mpf(horizon()) / count
        for _ in range(count):
            k1 = slope(v)
            k2 = slope([x + h / 2 * s for x, s in zip(v, k1, strict=True)])
            k3 = slope([x + h / 2 * s for x, s in zip(v, k2, strict=True)])
            k4 = slope([x + h * s for x, s in zip(v, k3, strict=True)])
            v = [x + h / 6 * (p + 2 * q + 2 * r + s) for x, p, q, r, s in zip(v, k1, k2, k3, k4, strict=True)]
        return state_of(v)


def odefun():
    with mpmath.workdps(DIGITS):
        return state_of(mpmath.odefun(lambda _, v: slope(v), 0, start())(horizon()))


def horizon():
    return 0.9 * min(first_death(), END)


PEERS = {
    "verify": lambda: list(simulate(TINY, until=horizon(), digits=DIGITS).at(horizon()).log_norms),
    "extrapolation": lambda: naive_digits(TINY, [horizon()], DIGITS)[0][0].log_norms,
    "mpmath.odefun": odefun,
    "RK4, 200 steps": lambda: fixed_step(200),
}


@pytest.mark.parametrize("name", PEERS)
def test_accuracy(name):
    exact = simulate(TINY, until=horizon(), digits=2 * DIGITS).at(horizon()).log_norms
    assert apart(PEERS[name](), exact) < RIGHT.get(name, OTHERS)


def test_time_beside_peers(timed, table: Table):
    exact = simulate(TINY, until=horizon(), digits=2 * DIGITS).at(horizon()).log_norms
    seconds = median_seconds(PEERS, 3)
    for name, run in PEERS.items():
        table.add(Run(f"{DIGITS} digits, n = 2, m = 2", name, seconds[name], apart(run(), exact), "against 60 digits"))
    assert seconds["verify"] < seconds["mpmath.odefun"]


@pytest.mark.parametrize("digits", [40, 80])
def test_time_of_the_reference(timed, table: Table, digits):
    task, states, _ = reference("R3")
    seconds = median_seconds({"verify": lambda: simulate(task, digits=digits)}, 3)["verify"]
    trajectory = simulate(task, digits=digits)
    found = [trajectory.at(number(state.exact_t)).log_norms for state in states]
    off = max(apart(one, map(number, s.exact_log_norms.decimals())) for one, s in zip(found, states, strict=True))
    table.add(Run("n = 3, m = 6, Λ = 1500", f"{digits} digits", seconds, off, "against 35 digits"))
    assert off < 1e-30


def test_time_against_lambda(timed, table: Table):
    """Flat, and as accurate at any Λ."""
    scales = (1e2, 1e4, 1e6)
    tasks = {f"Λ = {scale:g}": lambda s=scale: simulate(decoupled(s), digits=40) for scale in scales}
    seconds = median_seconds(tasks, 3)
    for name, scale in zip(tasks, scales, strict=True):
        off = logistic_error(scale)
        table.add(Run("40 digits, n = 2, m = 2", name, seconds[name], off, "against the closed form"))
        assert off < 1e-39
    assert seconds["Λ = 1e+06"] < 4 * seconds["Λ = 100"]


def logistic_error(scale: float) -> float:
    """Of ln a at t = Λ of the first neuron of ``decoupled``: a² = 2/(3 − e^(−2Λ)) there, half-way to its label 2."""
    found = simulate(decoupled(scale), digits=40).at(scale).log_norms[:1]
    with mpmath.workdps(60):
        return apart(found, [mpmath.log(2 / (3 - mpmath.exp(-2 * mpmath.mpf(scale)))) / 2])


def test_time_against_width(timed, table: Table):
    tasks = {m: random_problem(0, 1e4, m=m) for m in (6, 12, 24, 48)}
    seconds = median_seconds({f"m = {m}": lambda p=p: simulate(p, digits=40) for m, p in tasks.items()}, 1)
    for m, task in tasks.items():
        off = difference_from_float64(task, 40)
        table.add(Run("40 digits, n = 3, Λ = 1e4", f"m = {m}", seconds[f"m = {m}"], off, "difference from float64"))
        assert off < 1e-10


def difference_from_float64(task: Problem, digits: int) -> float:
    """The largest difference of a log-norm at the end."""
    ours, exact = simulate(task), simulate(task, digits=digits)
    end = min(float(ours.t_end), float(exact.t_end))
    return float(np.abs(ours.at(end).log_norms - exact.at(end).log_norms.astype(float)).max())


def test_time_of_sixty_neurons(timed, table: Table):
    rotated = sixty(1e4)
    task = Problem(Dataset.standard(rotated.dataset.exact_y, d=8), rotated.initialisation)
    seconds = median_seconds({"verify": lambda: simulate(task, digits=100)}, 1)["verify"]
    off = difference_from_float64(task, 100)
    table.add(Run("n = 5, m = 60, Λ = 1e4", "100 digits", seconds, off, "difference from float64"))
    assert off < 1e-10
