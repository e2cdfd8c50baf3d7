"""Proposition 1 in balls: the closed form interpolates, and attains a bound that duality proves for all."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from verify.certify.balls import Ball, ball, dot, from_below, hull, length, square, total
from verify.certify.evidence import Evidence
from verify.certify.margin import CertifiedMargin, Measurement, slack, smaller
from verify.certify.state import Side
from verify.claim import Vacuous
from verify.claims.interpolator import TOLERANCE, closed_form, others
from verify.network import Network

Measured = CertifiedMargin | Vacuous


def interpolates(evidence: Evidence) -> Measured:
    """min{‖θ‖² : L(θ) = 0} = 2n(‖D₊‖ + ‖D₋‖), attained only by the closed form. [R, Proposition 1]

    That no interpolator is smaller needs no numbers: with α = (y₊/‖y₊‖, y₋/‖y₋‖) each neuron has
    (a² + ‖w‖²)/2 ≥ a Σ_k α_k ⟨w, x_k⟩⁺, and the sum of the right sides is Σ_k α_k y_k = ‖y₊‖ + ‖y₋‖ where the outputs
    are the labels. What is certified is the closed form's own fit and norm against the tolerance of the claim, three
    neurons of each sign with the shares 1/2, 1/3, 1/6, and the surplus of the other interpolators that
    :mod:`verify.claims.interpolator` draws, their machine floats taken exactly.
    """
    sides = [side for side in (evidence.plus, evidence.minus) if side.labels]
    own = slack(1 - _deviation(evidence, sides) / ball(TOLERANCE), note="the closed form's own fit and norm")
    data = evidence.problem.dataset
    rng = np.random.default_rng(int(evidence.problem.key, 16))
    drawn = others(data, closed_form(data, rng), rng)
    surpluses = [slack(_surplus(evidence, sides, one), note="the cheapest other interpolator") for one in drawn]
    return smaller(own, *surpluses)


def _deviation(evidence: Evidence, sides: list[Side]) -> Ball:
    """Of the closed form: outputs from labels, over ‖y‖, and ‖θ‖² from the minimum, relative."""
    setting, n = evidence.setting, evidence.n
    shares = [ball(Fraction(1, k)) for k in (2, 3, 6)]
    least = 2 * n * total(side.norm for side in sides)
    misfits, squares = [], []
    for side in sides:
        sizes = [(share * n * side.norm).sqrt() for share in shares]
        for k, unit in zip(side.labels, side.unit, strict=True):
            misfits.append(abs(total(side.sign * size * size * unit for size in sizes) - setting.y[k]))
        squares += [2 * size * size for size in sizes]
    deviations = [*(x / length(setting.y) for x in misfits), abs(total(squares) / least - 1)]
    return hull(ball(0), *deviations)


def _surplus(evidence: Evidence, sides: list[Side], network: Network) -> Ball:
    """(‖θ‖² − least)/least, with one more neuron for each label that takes up exactly what machine floats leave."""
    setting = evidence.setting
    missing, cost = list(setting.y), ball(0)
    for a, w, row in zip(network.a.tolist(), network.w.tolist(), _coordinates(evidence, network), strict=True):
        cost += square(ball(a)) + total(square(ball(x)) for x in w)
        missing = [rest - ball(a) * from_below(x) for rest, x in zip(missing, row, strict=True)]
    cost += 2 * total(abs(rest) for rest in missing)
    return cost / (2 * evidence.n * total(side.norm for side in sides)) - 1


def _coordinates(evidence: Evidence, network: Network) -> list[list[Ball]]:
    """⟨w_j, x_k⟩ (m, n)."""
    data = evidence.problem.dataset
    w = [[ball(x) for x in row] for row in network.w.tolist()]
    if data.exact_x is None:
        return [row[: data.n] for row in w]
    x = [[ball(value) for value in row] for row in data.exact_x.fractions()]
    return [[dot(row, other) for other in x] for row in w]


MEASURES: dict[str, Measurement] = {"A1.interpolator": interpolates}
