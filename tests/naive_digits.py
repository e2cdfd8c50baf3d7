"""A simulator at any number of digits, slow, plain, and independent of verify.flow: for tiny problems at moderate Λ.

Gragg's method with Richardson extrapolation on the coordinates (a_j, p_jk) in mpmath, each deactivation found by the
secant method on whole steps. Only for inputs x_k = e_k.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import mpmath
from mpmath import mpf

from verify.problem import Problem

COLUMNS = 18
Vector = list[Any]


@dataclass(frozen=True)
class DigitsState:
    """The network at one time: ln|a_j| (m), p_jk/|a_j| (m × n, 0 where dead, frozen coordinates left out), r (n)."""

    log_norms: Vector
    directions: list[Vector]
    residual: Vector


def naive_digits(
    problem: Problem, times: Iterable[float], digits: int
) -> tuple[list[DigitsState], list[tuple[Any, int, int]]]:
    """States at the sorted ``times``, and deactivations (time, neuron, label) up to the last of them."""
    with mpmath.workdps(digits + 10):
        flow = _Flow(problem, mpf(10) ** -digits)
        states = []
        for time in times:
            flow.run(mpf(time))
            states.append(flow.state())
        return states, flow.deactivations


class _Flow:
    def __init__(self, problem: Problem, tolerance: Any) -> None:
        start = problem.initialisation
        assert problem.dataset.is_standard
        assert start.is_balanced
        lam = mpmath.exp(-mpf(str(start.exact_minus_log_lambda)))
        g = [[mpf(str(v)) for v in row] for row in start.exact_directions.decimals()]
        self.y = [mpf(str(v)) for v in problem.dataset.exact_y.decimals()]
        self.n, self.m, self.tolerance = len(self.y), len(g), tolerance
        self.a = [s * lam * mpmath.sqrt(mpmath.fdot(row, row)) for s, row in zip(start.signs, g, strict=True)]
        self.p = [[lam * max(v, mpf(0)) for v in row[: self.n]] for row in g]
        self.t, self.step = mpf(0), mpf(1) / 8
        self.deactivations: list[tuple[Any, int, int]] = []

    def pack(self) -> Vector:
        return self.a + [v for row in self.p for v in row]

    def slope(self, v: Vector) -> Vector:
        """a_j' = Σ p_jk r_k/n and p_jk' = a_j r_k/n on the pairs that are on."""
        m, n = self.m, self.n
        a, p = v[:m], [v[m + j * n : m + (j + 1) * n] for j in range(m)]
        r = [(self.y[k] - mpmath.fdot(a, [row[k] for row in p])) / n for k in range(n)]
        on = [[value != 0 for value in row] for row in self.p]
        da = [mpmath.fdot(row, r) for row in p]
        return da + [a[j] * r[k] if on[j][k] else mpf(0) for j in range(m) for k in range(n)]

    def run(self, end: Any) -> None:
        while self.t < end:
            h = min(self.step, end - self.t)
            after = self.extrapolated(h)
            if after is None:
                self.step = h / 2
                continue
            dead = self.fallen(after)
            if dead is None:
                self.accept(h, after)
                self.step = self.step * mpf("1.2")
            else:
                self.deactivate(h, dead)

    def accept(self, h: Any, v: Vector) -> None:
        m, n = self.m, self.n
        self.t += h
        self.a, self.p = v[:m], [v[m + j * n : m + (j + 1) * n] for j in range(m)]

    def fallen(self, v: Vector) -> int | None:
        """The pair, as a position in the vector, that is furthest below zero for its size."""
        below = [(v[self.m + i] / abs(v[i // self.n]), i) for i in range(self.m * self.n) if v[self.m + i] < 0]
        return min(below)[1] if below else None

    def deactivate(self, h: Any, pair: int) -> None:
        """Move to the first time at which any pair is at zero, and switch it off."""
        low, high = mpf(0), h
        while True:
            value, there = self.value_at(high, pair)
            before = self.value_at(low, pair)[0]
            scale = abs(self.a[pair // self.n])
            if abs(value) <= self.tolerance * scale:
                other = self.fallen([*there[: self.m + pair], mpf(0), *there[self.m + pair + 1 :]])
                if other is None:
                    break
                pair, low = other, mpf(0)
                continue
            low, high = high, high - value * (high - low) / (value - before)
        self.accept(high, there)
        self.p[pair // self.n][pair % self.n] = mpf(0)
        self.deactivations.append((self.t, pair // self.n, pair % self.n))

    def value_at(self, h: Any, pair: int) -> tuple[Any, Vector]:
        v = self.pack() if h == 0 else self.extrapolated(h)
        assert v is not None
        return v[self.m + pair], v

    def extrapolated(self, h: Any) -> Vector | None:
        """One step of Gragg's method with 2, 4, 6, … substeps, extrapolated; None when it does not settle."""
        rows: list[list[Vector]] = []
        for i in range(COLUMNS):
            row = [self.midpoint(h, 2 * (i + 1))]
            for k in range(1, i + 1):
                factor = mpf(i + 1) ** 2 / mpf(i + 1 - k) ** 2 - 1
                row.append([x + (x - y) / factor for x, y in zip(row[k - 1], rows[i - 1][k - 1], strict=True)])
            if i and self.settled(row[-1], row[-2]):
                return row[-1]
            rows.append(row)
        return None

    def settled(self, v: Vector, w: Vector) -> bool:
        sizes = [abs(x) for x in v[: self.m]]
        scale = sizes + [size for size in sizes for _ in range(self.n)]
        return all(abs(x - y) <= self.tolerance * size / 100 for x, y, size in zip(v, w, scale, strict=True))

    def midpoint(self, h: Any, count: int) -> Vector:
        sub, before = h / count, self.pack()
        here = [x + sub * s for x, s in zip(before, self.slope(before), strict=True)]
        for _ in range(count - 1):
            before, here = here, [x + 2 * sub * s for x, s in zip(before, self.slope(here), strict=True)]
        return [(x + y + sub * s) / 2 for x, y, s in zip(before, here, self.slope(here), strict=True)]

    def state(self) -> DigitsState:
        residual = [self.y[k] - mpmath.fdot(self.a, [row[k] for row in self.p]) for k in range(self.n)]
        directions = [[v / abs(a) for v in row] for a, row in zip(self.a, self.p, strict=True)]
        return DigitsState([mpmath.log(abs(a)) for a in self.a], directions, residual)
