"""Claims about λ → 0 in balls: each trajectory of the sweep over Λ certified, and the slope through them enclosed.

A limit cannot be proved by finitely many λ. What is certified is the number that :mod:`verify.claims.corollary1` and
:mod:`verify.claims.theorem1` fit: the least-squares slope over the same scales. Where those add a statistical interval,
here the points themselves have none. [D]
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

from verify.certify.attempts import evidence_for
from verify.certify.balls import Ball, ball, dot, precision, total
from verify.certify.claims.fitting import unended
from verify.certify.constants import Constants
from verify.certify.evidence import Evidence
from verify.certify.follow import Effort, effort_for
from verify.certify.margin import CertifiedMargin, Measurement, open_question, slack
from verify.certify.phases import Conditions, second_conditions
from verify.certify.selected import distance, selected_sizes
from verify.certify.state import CertifiedState, Side
from verify.certify.trajectory import DIGITS
from verify.claims import corollary1, theorem1

DEEPER = 4
"""Depths that are tried, each twice the one before, until a distance is known."""

ENOUGH = 8
"""Digits to which a distance is known then."""

SHALLOW = 100.0
"""Nats below which the first of them looks for a distance that falls like λ."""

KNOWN = 1e-6
"""Relative radius at which a distance is known."""

EXPECTED, OFF = Fraction(1, 5), Fraction(1, 20)
"""The exponent of Corollary 1, and by how much the fitted one may be off it."""


def exponent(evidence: Evidence) -> CertifiedMargin:
    """The exponent p of ‖θ(t₂) − θ_S‖ ~ λ^(pε), fitted over a sweep of Λ, is 1/5 within 0.05. [R, Corollary 1]"""
    points = []
    for scale in corollary1.scales(evidence.problem):
        other = _at_scale(evidence, float(scale))
        with precision(other.effort.bits):
            end = other.exit_by("fit", _fit, other.time_plus)
            if end is None:
                return unended(+1, "relative")
            points.append((other.scale, _distance(other, end.t, (other.plus,)).log()))
    p = -slope(points) / evidence.epsilon
    return slack(ball(OFF) - abs(p - ball(EXPECTED)), note=f"p = {float(p):.6g} over {_span(points)}")


def _fit(known: Constants, state: CertifiedState) -> Conditions:
    return {"fit": second_conditions(known, state)["fit"]}


def bias(evidence: Evidence) -> CertifiedMargin:
    """‖θ_λ^∞ − θ*‖ → 0 as λ → 0: the exponent in λ, fitted over a sweep, is positive. [T, Theorem 1]"""
    points = []
    for scale in theorem1.SWEEP / (4 * evidence.problem.dataset.epsilon_max):
        found = _limit_distance(evidence, float(scale))
        if found is None:
            return open_question(f"‖θ^∞ − θ*‖ at Λ = {scale:.4g} is not told from 0")
        points.append(found)
    p = -slope(points)
    return slack(p, note=f"‖θ^∞ − θ*‖ ~ λ^{float(p):.4g} over {_span(points)}")


def _limit_distance(evidence: Evidence, scale: float) -> tuple[Ball, Ball] | None:
    """Λ and ln‖θ^∞ − θ*‖ at a scale, as deep as it takes; None where it is lost all the same."""
    for effort in _depths(evidence, scale):
        other = _at_scale(evidence, scale, effort)
        with precision(other.effort.bits):
            found = _distance(other, other.timeline.settled + 1, (other.plus, other.minus))
            if found > 0 and found.rad() < KNOWN * found:
                return other.scale, found.log()
    return None


def _depths(evidence: Evidence, scale: float) -> Iterator[Effort]:
    first = ENOUGH + math.ceil(min(scale, SHALLOW) / math.log(10))
    for doublings in range(DEEPER):
        yield effort_for(evidence.problem.at_scale(scale), first * 2**doublings)


def _at_scale(evidence: Evidence, scale: float, effort: Effort | None = None) -> Evidence:
    problem = evidence.problem.at_scale(scale)
    return evidence_for(problem, effort or effort_for(problem, DIGITS, max(problem.kappa, 0.0)))


def _distance(evidence: Evidence, t: Ball, sides: tuple[Side, ...]) -> Ball:
    sizes = selected_sizes(evidence.problem, evidence.setting, sides)
    return distance(evidence.timeline.at(t), sizes, sides)


def slope(points: list[tuple[Ball, Ball]]) -> Ball:
    """That of the least-squares line."""
    middle = total(x for x, _ in points) / len(points)
    levers = [x - middle for x, _ in points]
    return dot(levers, (y for _, y in points)) / dot(levers, levers)


def _span(points: list[tuple[Ball, Ball]]) -> str:
    scales = [float(x) for x, _ in points]
    return f"{len(scales)} certified scales, Λ = {scales[0]:.3g} … {scales[-1]:.3g}"


MEASURES: dict[str, Measurement] = {"C1.exponent": exponent, "T1.bias": bias}
