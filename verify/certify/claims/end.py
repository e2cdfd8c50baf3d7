"""Where the flow ends, in balls: distances to θ* and θ_S, Lemmas 5 and 12, and the loss of the limit."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial

from verify.certify.balls import Ball, ball, ceil_float, floor_float, largest, square, total
from verify.certify.claims.fitting import unended
from verify.certify.evidence import Evidence
from verify.certify.margin import CertifiedMargin, Measurement, open_question, power, power_of, slack
from verify.certify.selected import distance, selected_sizes
from verify.certify.state import CertifiedState, Side
from verify.certify.tail import Tail
from verify.claim import Vacuous

Measured = CertifiedMargin | Vacuous
RADIUS_EXPONENT = Fraction(1, 160)
"""p in the radius λ^(pε) of the ball of Lemmas 5 and 12, as in :mod:`verify.claims.lemma5`."""

AVERAGES = 12
"""Times at which the rate since t₃ is looked at from above."""


def _both(evidence: Evidence) -> tuple[Side, ...]:
    return evidence.plus, evidence.minus


def close(evidence: Evidence, corrected: bool) -> Measured:
    """‖θ(t₃) − θ*‖ ≤ λ^(ε/29), corrected: ≤ 2λ^(ε/29)/sqrt(2n‖D₋‖). [T, informal; erratum E4]"""
    end = evidence.third_exit
    if end is None:
        return unended(-1)
    constant = ball(2) / (2 * evidence.n * evidence.minus.norm).sqrt() if corrected else ball(1)
    sizes = selected_sizes(evidence.problem, evidence.trajectory.setting, _both(evidence))
    quantity = distance(evidence.timeline.at(end.t), sizes, _both(evidence))
    return power(quantity, constant.log() - evidence.kappa / 29, t=float(end.t))


def saddle(evidence: Evidence) -> Measured:
    """‖θ(t₂) − θ_S‖ ≤ 2λ^(ε/5)/sqrt(2n‖D₊‖). [R, Corollary 1]"""
    end = evidence.second_exit
    if end is None:
        return unended(+1)
    sides = (evidence.plus,)
    sizes = selected_sizes(evidence.problem, evidence.trajectory.setting, sides)
    quantity = distance(evidence.timeline.at(end.t), sizes, sides)
    bound_log = (ball(2) / (2 * evidence.n * evidence.plus.norm).sqrt()).log() - evidence.kappa / 5
    return power(quantity, bound_log, t=float(end.t))


def stays_near(evidence: Evidence) -> Measured:
    """‖θ(t) − θ*‖ ≤ λ^(ε/160) for t ≥ t₃. [R, Lemma 12]"""
    end = evidence.third_exit
    if end is None:
        return unended(-1)
    sides = _both(evidence)
    sizes = selected_sizes(evidence.problem, evidence.trajectory.setting, sides)
    worst = evidence.timeline.largest(lambda state: distance(state, sizes, sides), evidence.window(end.t, None))
    return power_of(worst, -ball(RADIUS_EXPONENT) * evidence.kappa)


def rate(evidence: Evidence) -> Measured:
    """L(θ(t)) ≤ L(θ(t₃)) e^(−‖D₋‖(t−t₃)) for t ≥ t₃. [R, Lemma 12]

    The margin is that of the smallest rate, relative to ‖D₋‖. From below: at every moment −L'/L = 2rᵀKr/(n‖r‖²) is at
    least the 2 min_k Σ_j a_j²/n of :func:`coercivity`, the least of which over t ≥ t₃ bounds all averages since t₃.
    From above: averages since t₃ at some times.
    """
    end = evidence.third_exit
    if end is None:
        return unended(-1, "relative")
    norm = evidence.minus.norm
    slowest = evidence.timeline.largest(lambda state: 1 / coercivity(state), evidence.window(end.t, None))
    low = -1.0 if slowest.high is None else floor_float(2 / (evidence.n * slowest.high * norm) - 1)
    high = ceil_float(_average(evidence, end.t) / norm - 1)
    return CertifiedMargin(low, high, "relative", t=slowest.t, note="least rate of the moment, and of averages")


def coercivity(state: CertifiedState) -> Ball:
    """min_k Σ a_j² over the neurons that are certain to be active at a label."""
    return -largest(
        -total(square(state.norms[j]) for j in range(len(state.log_norms)) if state.directions[j, k] > 0)
        for k in range(state.setting.n)
    )


def _average(evidence: Evidence, start: Ball) -> Ball:
    """The least of some averages of the rate since ``start``."""
    timeline, before = evidence.timeline, evidence.timeline.at(start).loss
    later = [t for t in evidence.trajectory.times if t > start]
    rates = []
    for t in later[:: max(len(later) // AVERAGES, 1)]:
        value = (before / timeline.over(t, t).loss).log() / (t - start)
        rates += [-value] if value.is_finite() else []
    return -largest(rates)


def converged(evidence: Evidence) -> Measured:
    """L(θ^∞) = 0: every label belongs to a component whose residual is certain to decay for ever. [T]

    The margin is the slowest certified rate of the loss, 2μ/n of :mod:`verify.certify.tail`, relative to ‖D₋‖.
    """
    setting = evidence.trajectory.setting
    tails = [segment for segment in evidence.trajectory.segments if isinstance(segment, Tail)]
    covered = {k for segment in tails for k in segment.begin.labels}
    open_labels = sorted(set(range(setting.n)) - covered)
    if open_labels:
        residual = setting.y[open_labels[0]]
        note = f"label {open_labels[0]} has no active neuron: its residual stays {float(residual):.6g}"
        return CertifiedMargin(-math.inf, -1.0, "relative", label=open_labels[0], note=note)
    slowest = -2 * largest(-segment.rate for segment in tails)
    return slack(slowest / evidence.minus.norm, note="slowest rate of the loss in the end")


def polyak(evidence: Evidence) -> Measured:
    """‖∇L‖²/L ≥ ‖D₋‖ for balanced θ with ‖θ − θ*‖ ≤ ρ = λ^(ε/160), over the whole ball. [R, Lemma 5]

    No ratio in it is below (2/n) min_k (‖a* on J_k‖ − ρ)₊², J_k the neurons that no displacement of length ρ switches
    off at label k, as :func:`verify.pl.provable_ratio` says. As θ tends to θ*, ratios come near those of the slowest
    mode, which bounds the margin from above.
    """
    radius = evidence.shrunk(RADIUS_EXPONENT)
    sizes = selected_sizes(evidence.problem, evidence.trajectory.setting, _both(evidence))
    bounds = []
    for side in _both(evidence):
        for unit in side.unit:
            kept = total(square(sizes[j]) for j in side.key if sizes[j] * unit > radius)
            reach = kept.sqrt() - radius if kept > 0 else ball(0)
            bounds.append(-2 * square(reach if reach > 0 else ball(0)) / evidence.n)
    low = floor_float(-largest(bounds) / evidence.minus.norm - 1)
    if low <= 0:
        return open_question(f"no bound over the ball of radius {float(radius):.3g} reaches ‖D₋‖")
    high = ceil_float(_limit(evidence) / evidence.minus.norm - 1)
    return CertifiedMargin(low, high, "relative", note=f"over the ball of radius {float(radius):.3g}")


def _limit(evidence: Evidence) -> Ball:
    """The ratio at θ* along the slowest mode: 2‖D‖ across two labels of a sign, 4‖D‖ along a single one."""
    return -largest(-(2 if len(side.labels) > 1 else 4) * side.norm for side in _both(evidence))


MEASURES: dict[str, Measurement] = {
    "C1.saddle": saddle,
    "L4.close": partial(close, corrected=False),
    "L4.close.corrected": partial(close, corrected=True),
    "L5.PL": polyak,
    "L12.rate": rate,
    "L12.ball": stays_near,
    "T1.loss": converged,
}
