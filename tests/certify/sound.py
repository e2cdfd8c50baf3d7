"""Random rational problems, and whether balls hold what many digits say."""

from __future__ import annotations

import random
from decimal import Decimal
from typing import Any

import numpy as np

from verify import Dataset, Initialisation, Problem
from verify.certify.balls import ball, library, precision, within
from verify.certify.trajectory import CertifiedTrajectory
from verify.flow.trajectory import Trajectory


def random_problem(seed: int) -> Problem:
    """n ≤ 3 labels, m ≤ 6 neurons, three decimals each, Λ from 1 to 60; the first neurons are in the key sets."""
    rng = random.Random(seed)
    n, m = rng.randint(1, 3), rng.randint(2, 6)
    y = [_decimal(rng, 0.4, 2.0) * rng.choice((1, -1)) for _ in range(n)]
    g = [[_decimal(rng, 0.1, 2.0) * rng.choice((1, -1)) for _ in range(n + 1)] for _ in range(m)]
    s = [rng.choice((1, -1)) for _ in range(m)]
    for j, sign in enumerate((1, -1)):
        s[j] = sign
        g[j][:n] = [abs(x) if label * sign > 0 else x for x, label in zip(g[j], y, strict=False)]
    scale = Decimal(rng.randint(10, 600)) / 10
    return Problem(Dataset.standard(y, d=n + 1), Initialisation(g, s, scale))


def _decimal(rng: random.Random, low: float, high: float) -> Decimal:
    return Decimal(rng.randint(round(1000 * low), round(1000 * high))) / 1000


def holds(box: Any, value: Any, slack: float) -> bool:
    """Whether a ball holds an mpmath number that may be off by ``slack`` relative to its size and to 1."""
    with precision(512):
        exact = library().arb(value)
        return bool(box.overlaps(exact + within((abs(exact) + 1) * ball(slack))))


def misses(trajectory: CertifiedTrajectory, reference: Trajectory, times: list[float], slack: float) -> list[str]:
    """What is not inside its ball, at these times and of the deactivations."""
    wrong = []
    for t in times:
        box, state = trajectory.at(t), reference.at(t)
        pairs = [
            *zip(["log_norm"] * len(box.log_norms), box.log_norms, state.log_norms, strict=True),
            *zip(["direction"] * box.directions.size, box.directions.ravel(), state.directions.ravel(), strict=True),
            *zip(["residual"] * len(box.residual), box.residual, state.residual, strict=True),
        ]
        wrong += [f"{name} at t = {t}: {value} is not in {known}" for name, known, value in pairs
                  if not holds(known, value, slack)]  # fmt: skip
    ends = {(j, k): t for t, j, k in trajectory.deactivations.itertuples(index=False, name=None)}
    for t, j, k in reference.deactivations.itertuples(index=False, name=None):
        if (j, k) in ends and not holds(ends.pop((j, k)), t, slack):
            wrong.append(f"death of ({j}, {k}) at {t}")
    return wrong + [f"death of {pair} that never comes" for pair in ends]


def spread_times(reference: Trajectory, count: int, seed: int) -> list[float]:
    """Times all over a trajectory, dense at its begin."""
    rng = np.random.default_rng(seed)
    end = float(reference.t_end)
    return [0.0, *sorted((end * rng.random(count - 1) ** 2).tolist())]
