"""A-priori enclosure of a step: the flow of a component on a disc of complex times, from a scalar equation.

With v_j = (p_j, a_j) on the active labels the flow is v_j' = s_j M(r) v_j/n with ‖M(r)v‖ ≤ ‖r‖‖v‖, and
r = y − Σ s_j a_j p_j. Compare coefficients of Taylor series at the begin of the step: if g and ρ solve

    g' = ρ g/n,   ρ = ρ₀ + (S/2)(g² − 1),   g(0) = 1,   ρ₀ = ‖r(0)‖,   S = Σ_j ‖v_j(0)‖²,

then by induction ‖[t^k] v_j‖ ≤ ‖v_j(0)‖ [t^k] g and ‖[t^k] r‖ ≤ [t^k] ρ, since the coefficients of a_j p_j have norms
Σ_l |a_l|‖p_{k−l}‖ ≤ ½ Σ_l ‖v_l‖‖v_{k−l}‖ (Cauchy and Schwarz, taken in pairs). G = g² is known in closed form:
1/G(t) = e^−z − S t (1 − e^−z)/(n z), z = (2ρ₀ − S)t/n. As the coefficients of g are not negative, [t^k] g ≤ g(R)/R^k
for every R before 1/G reaches 0, and what a Taylor polynomial of order N omits at |t| ≤ θR, θ < 1, is at most
‖v_j(0)‖ g(R) θ^(N+1)/(1 − θ). [D, the method of majorants of Cauchy and Kovalevskaya]
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from verify.certify.balls import Ball, ball, length, total
from verify.certify.moment import Moment
from verify.errors import PrecisionExhausted

NEAR = 0.95
"""Fraction of the time at which the majorant blows up."""


@dataclass(frozen=True)
class Majorant:
    """Bounds on the disc |t| ≤ ``radius``: ``growth`` = g(R); ``residual`` = ρ(R); ``sizes`` (k,): ‖v_j(0)‖.

    All are exact upper bounds.
    """

    radius: Ball
    growth: Ball
    residual: Ball
    sizes: list[Ball]

    def tail(self, tau: Ball, order: int) -> Ball:
        """θ^(order+1)/(1 − θ), θ = |tau|/R, which with g(R) or ρ(R) bounds what the polynomial omits."""
        theta = tau.abs_upper() / self.radius
        if not theta < 1:
            raise PrecisionExhausted(f"a Taylor step of {float(tau):.3g} leaves its disc, {float(self.radius):.3g}")
        return theta ** (order + 1) / (1 - theta)


def majorant(moment: Moment, n: int) -> Majorant:
    """The majorant of a component. Raises ``PrecisionExhausted`` where its balls are too wide for one."""
    sizes = [length([a, *row]).upper() for a, row in zip(moment.a, moment.p, strict=True)]
    square, start = total(size * size for size in sizes).upper(), moment.residual_size.upper()
    radius = ball(NEAR * _blow_up(float(start), max(float(square), 1e-300), n))
    z = (2 * start - square) * radius / n
    inverse = (-z).exp() - square * radius / n * _average(z)
    growth = 1 / inverse.sqrt()
    if not growth.is_finite():
        raise PrecisionExhausted("a component's balls are too wide to bound its flow")
    residual = start + square / 2 * (growth * growth - 1)
    return Majorant(radius, growth.upper(), residual.upper(), sizes)


def _blow_up(start: float, square: float, n: int) -> float:
    """About the time at which 1/G vanishes."""
    c = 2 * start - square
    if abs(c) < 1e-9 * square:
        return n / square
    return n / c * math.log(2 * start / square) if start > 0 else 1e3 * n / square


def _average(z: Ball) -> Ball:
    """An upper bound of (1 − e^−z)/z, the mean of e^−s over s from 0 to z."""
    if abs(z) > 1e-6:
        return -(-z).expm1() / z
    return abs(z).exp()
