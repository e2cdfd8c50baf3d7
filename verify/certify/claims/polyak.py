"""Lemma 5 in balls: a bound over all networks near θ*, or one of them that is below the constant."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from verify.certify.balls import Ball, ball, ceil_float, dot, floor_float, largest, length, square, total
from verify.certify.evidence import Evidence
from verify.certify.margin import CertifiedMargin, Measurement
from verify.certify.selected import selected_sizes
from verify.certify.state import Side
from verify.notation import FloatArray
from verify.pl import LocalNetworks, lowest

RADIUS_EXPONENT = Fraction(1, 160)
"""p in the radius λ^(pε) of the ball of Lemmas 5 and 12, as in :mod:`verify.claims.lemma5`."""

SHARES = (1.0, 1 - 1e-9, 0.9999)
"""Shares of the way from θ* to what a search in machine floats has found, at the edge of the ball or of a pattern."""


@dataclass(frozen=True)
class Near:
    """A balanced network at a finite distance from θ*: the distance and ‖∇L‖²/L."""

    distance: Ball
    ratio: Ball


def polyak(evidence: Evidence) -> CertifiedMargin:
    """‖∇L‖²/L ≥ ‖D₋‖ for balanced θ with ‖θ − θ*‖ ≤ ρ = λ^(ε/160), over the whole ball. [R, Lemma 5]

    The margin is that of the smallest ratio in the ball. From below: none is below (2/n) min_k (‖a* on J_k‖ − ρ)₊², J_k
    the neurons that no displacement of length ρ switches off at label k, as :func:`verify.pl.provable_ratio` says. From
    above: as θ tends to θ*, ratios come near those of the slowest mode; and where the bound does not reach ‖D₋‖, a
    search in machine floats proposes a network, whose numbers are then taken exactly, its distance and its ratio
    enclosed.
    """
    radius, sides = evidence.shrunk(RADIUS_EXPONENT), (evidence.plus, evidence.minus)
    sizes = selected_sizes(evidence.problem, evidence.setting, sides)
    low = floor_float(_bound(evidence, sizes, radius) / evidence.minus.norm - 1)
    high = ceil_float(_limit(sides) / evidence.minus.norm - 1)
    note = f"over the ball of radius {float(radius):.3g}"
    if low <= 0:
        ratios = [one.ratio / evidence.minus.norm for one in proposed(evidence, sizes, radius)]
        least = min((ceil_float(ratio - 1) for ratio in ratios), default=high)
        if least < high:
            high, note = least, f"{least + 1:.6g} ‖D₋‖ at a network within {float(radius):.3g}"
    return CertifiedMargin(low, high, "relative", note=note, sharpens=False)


def _bound(evidence: Evidence, sizes: list[Ball], radius: Ball) -> Ball:
    bounds = []
    for side in (evidence.plus, evidence.minus):
        for unit in side.unit:
            kept = total(square(sizes[j]) for j in side.key if sizes[j] * unit > radius)
            reach = kept.sqrt() - radius if kept > 0 else ball(0)
            bounds.append(-2 * square(reach if reach > 0 else ball(0)) / evidence.n)
    return -largest(bounds)


def _limit(sides: tuple[Side, ...]) -> Ball:
    """The ratio at θ* along the slowest mode: 2‖D‖ across two labels of a sign, 4‖D‖ along a single one."""
    return -largest(-(2 if len(side.labels) > 1 else 4) * side.norm for side in sides)


def proposed(evidence: Evidence, sizes: list[Ball], radius: Ball) -> list[Near]:
    """Networks that are certain to be in the ball, on the way to the smallest ratio that a search in floats finds."""
    problem, rough = evidence.problem, float(radius)
    local = LocalNetworks.around(problem.dataset, problem.initialisation.signs, np.array([float(x) for x in sizes]))
    _, v = lowest(local, rough, np.random.default_rng(int(problem.key, 16)))
    tried = [near(evidence, sizes, local.centre + share * rough * v) for share in SHARES]
    return [one for one in tried if one.distance <= radius]


def near(evidence: Evidence, sizes: list[Ball], coordinates: FloatArray) -> Near:
    """The balanced network with p_jk = ⟨w_j, x_k⟩ exactly those given (m, n), and nothing orthogonal to the inputs."""
    setting, n = evidence.setting, evidence.n
    p = [[ball(x) for x in row] for row in coordinates.tolist()]
    a = [length(row) for row in p]
    positive = [[x if x > 0 else ball(0) for x in row] for row in p]
    r = [
        y - total(s * size * row[k] for s, size, row in zip(setting.signs, a, positive, strict=True))
        for k, y in enumerate(setting.y)
    ]
    speeds = [
        square(size) * total(square(x) for x, on in zip(r, row, strict=True) if on > 0) + square(dot(row, r))
        for size, row in zip(a, positive, strict=True)
    ]
    return Near(_apart(evidence, sizes, a, p), 2 * total(speeds) / (n * total(square(x) for x in r)))


def _apart(evidence: Evidence, sizes: list[Ball], a: list[Ball], p: list[list[Ball]]) -> Ball:
    """‖θ − θ*‖ over hidden and output weights."""
    aim = [[ball(0)] * evidence.n for _ in sizes]
    for side in (evidence.plus, evidence.minus):
        for j in side.key:
            for k, unit in zip(side.labels, side.unit, strict=True):
                aim[j][k] = sizes[j] * unit
    gaps = [x - y for row, target in zip(p, aim, strict=True) for x, y in zip(row, target, strict=True)]
    return length([*gaps, *(x - y for x, y in zip(a, sizes, strict=True))])


MEASURES: dict[str, Measurement] = {"L5.PL": polyak}
