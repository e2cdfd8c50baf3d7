"""How sound and how sharp balls are, over many random problems: ``python -m tests.certify.soundness 0 200``.

Of each problem a trajectory of 20 digits in balls is held against one of 40 digits at 50 times, as the tests do on a
few; and the radius of ln|a_j| against the error of a trajectory of as many bits that is not in balls, which is its
distance from one with 20 digits more. An error of exactly 0 makes the ratio infinite.
"""

from __future__ import annotations

import math
import statistics
import sys
from dataclasses import dataclass, field

import mpmath

from tests.certify.sound import misses, random_problem, spread_times
from verify import simulate
from verify.certify.trajectory import CertifiedTrajectory
from verify.flow.simulate import arithmetic_for
from verify.flow.trajectory import Trajectory

TIMES = 50


@dataclass
class Found:
    """Over the problems so far: what was missed, how many deaths, radii of ln|a_j|, and ratios of radius to error.

    ``before``: ratios at times before the first tail of a problem; ``ratios``: at all times.
    """

    missed: list[str] = field(default_factory=list)
    deaths: int = 0
    radii: list[float] = field(default_factory=list)
    ratios: list[float] = field(default_factory=list)
    before: list[float] = field(default_factory=list)

    def __str__(self) -> str:
        lines = [f"{len(self.missed)} missed, {self.deaths} deaths"]
        for name, values in (("radius", self.radii), ("ratio", self.ratios), ("ratio before a tail", self.before)):
            low, middle, high = statistics.quantiles(values, n=4)
            lines.append(f"{name}: median {middle:.2g}, quartiles {low:.2g} and {high:.2g}, of {len(values)}")
        return "\n".join(lines)


def look(seed: int, found: Found, times: int = TIMES) -> None:
    """Add a problem."""
    problem = random_problem(seed)
    balls, many = simulate(problem, digits=20, rigorous=True), simulate(problem, digits=40)
    when = spread_times(many, times, seed)
    found.missed += [f"seed {seed}: {text}" for text in misses(balls, many, when, 1e-38)]
    found.deaths += len(balls.deactivations)
    digits = max(d for d in range(20, 100) if arithmetic_for(problem, d).bits <= balls.effort.bits)
    rough, fine = simulate(problem, digits=digits), simulate(problem, digits=digits + 20)
    tail = min((float(s.begin.t) for s in balls.segments if s.kind == "tail"), default=math.inf)
    for t in (t for t in when if t <= float(rough.t_end)):
        found.radii += [float(box.rad()) for box in balls.at(t).log_norms]
        ratios = _ratios(balls, rough, fine, t)
        found.ratios += ratios
        found.before += ratios if t < tail else []


def _ratios(balls: CertifiedTrajectory, rough: Trajectory, fine: Trajectory, t: float) -> list[float]:
    """(m,): the radius of ln|a_j| over the error of many digits."""
    rows = zip(balls.at(t).log_norms, rough.at(t).log_norms, fine.at(t).log_norms, strict=True)
    with mpmath.workdps(150):
        return [float(box.rad()) / float(abs(x - exact)) if x != exact else math.inf for box, x, exact in rows]


if __name__ == "__main__":
    total = Found()
    for seed in range(int(sys.argv[1]), int(sys.argv[2])):
        look(seed, total)
        print(f"seed {seed}", *total.missed, file=sys.stderr)
    print(total)
