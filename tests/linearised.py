"""The flow with the residual held at the labels, in closed form and as many digits as it takes.

Exact up to λ² e^(2ωt): the right answer for everything that happens while the network is tiny.
"""

from dataclasses import dataclass
from typing import Any

import mpmath as mp
import numpy as np

from verify.problem import Problem


@dataclass(frozen=True)
class LinearNeuron:
    """A neuron in units of λ: |a| and ⟨w, x_k⟩ (n,) as mpf, and the squared length that lies off all inputs."""

    a: Any
    p: list[Any]
    beyond: Any
    last_deactivation: Any

    @property
    def norm(self) -> Any:
        """‖w‖/λ."""
        return mp.sqrt(sum(v * v for v in self.p) + self.beyond)


def digits_for(problem: Problem, t: float) -> int:
    """Digits with which 1 − cos of any angle at time t, computed as it stands, has 60 correct ones."""
    return 80 + int(2 * np.linalg.norm(problem.dataset.y) / problem.dataset.n * t)


def linear_neuron(problem: Problem, j: int, t: Any) -> LinearNeuron:
    """Neuron j of a balanced problem on the standard basis at time t."""
    start, n = problem.initialisation, problem.dataset.n
    y = [mp.mpf(v) for v in problem.dataset.y]
    g = [mp.mpf(v) for v in start.directions[j]]
    s, a, p = int(start.signs[j]), mp.sqrt(sum(v * v for v in g)), g[:n]
    left, last = mp.mpf(t), mp.mpf(0)
    while True:
        force = [s * y[k] if p[k] > 0 else mp.mpf(0) for k in range(n)]
        size = mp.sqrt(sum(f * f for f in force))
        if size == 0:
            break
        unit = [f / size for f in force]
        along = sum(p[k] * unit[k] for k in range(n))
        crossings = [(_crossing(a, along, p[k], unit[k]), k) for k in range(n) if unit[k] < 0]
        x, k = min(crossings, default=(mp.inf, -1))
        dies = x * n / size < left
        step = x if dies else left * size / n
        a, p = _boosted(a, p, unit, along, step)
        if not dies:
            break
        p[k] = mp.mpf(0)
        left -= x * n / size
        last += x * n / size
    return LinearNeuron(a, p, sum((v * v for v in g[n:]), mp.mpf(0)), last)


def misalignment(problem: Problem, neuron: LinearNeuron, side: int) -> Any:
    """1 − cos of the angle to D₊ (side 1) or −D₋ (side −1)."""
    target = [mp.mpf(v) if v * side > 0 else mp.mpf(0) for v in problem.dataset.y]
    length = mp.sqrt(sum(v * v for v in target))
    return 1 - side * sum(v * q for v, q in zip(target, neuron.p, strict=True)) / (length * neuron.norm)


def _crossing(a: Any, along: Any, coordinate: Any, slope: Any) -> Any:
    """Rapidity at which coordinate + slope (along (cosh x − 1) + a sinh x) vanishes; slope < 0."""
    off = coordinate - slope * along
    growth = (off + mp.sqrt(off**2 + slope**2 * (a + along) * (a - along))) / (-slope * (a + along))
    return mp.log(growth)


def _boosted(a: Any, p: list[Any], unit: list[Any], along: Any, x: Any) -> tuple[Any, list[Any]]:
    cosh, sinh = mp.cosh(x), mp.sinh(x)
    moved = [q + u * (along * (cosh - 1) + a * sinh) for q, u in zip(p, unit, strict=True)]
    return a * cosh + along * sinh, moved
