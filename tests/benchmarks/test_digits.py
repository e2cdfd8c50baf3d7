"""Many digits: cost against Λ, m and N, and beside mpmath's odefun and a fixed-step method on a tiny problem."""

import mpmath
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


def test_time_beside_peers(timed, table: Table):
    exact = simulate(TINY, until=horizon(), digits=2 * DIGITS).at(horizon()).log_norms
    seconds = median_seconds(PEERS, 3)
    for name, run in PEERS.items():
        with mpmath.workdps(60):
            error = max(abs(a - b) for a, b in zip(run(), exact, strict=True))
        table.add(Run(f"{DIGITS} digits, n = 2, m = 2", name, seconds[name], float(error), "against 60 digits"))


@pytest.mark.parametrize("digits", [40, 80])
def test_time_of_the_reference(timed, table: Table, digits):
    task = reference("R3")[0]
    seconds = median_seconds({"verify": lambda: simulate(task, digits=digits)}, 3)["verify"]
    table.add(Run("n = 3, m = 6, Λ = 1500", f"{digits} digits", seconds))


def test_time_against_lambda(timed, table: Table):
    tasks = {f"Λ = {scale:g}": lambda s=scale: simulate(decoupled(s), digits=40) for scale in (1e2, 1e4, 1e6)}
    for name, seconds in median_seconds(tasks, 3).items():
        table.add(Run("40 digits, n = 2, m = 2", name, seconds))


def test_time_against_width(timed, table: Table):
    tasks = {f"m = {m}": lambda m=m: simulate(random_problem(0, 1e4, m=m), digits=40) for m in (6, 12, 24, 48)}
    for name, seconds in median_seconds(tasks, 1).items():
        table.add(Run("40 digits, n = 3, Λ = 1e4", name, seconds))


def test_time_of_sixty_neurons(timed, table: Table):
    rotated = sixty(1e4)
    task = Problem(Dataset.standard(rotated.dataset.exact_y, d=8), rotated.initialisation)
    seconds = median_seconds({"verify": lambda: simulate(task, digits=100)}, 1)["verify"]
    table.add(Run("n = 5, m = 60, Λ = 1e4", "100 digits", seconds))
