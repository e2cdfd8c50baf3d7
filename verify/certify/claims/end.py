"""Where the flow ends, in balls: distances to θ* and θ_S, Lemmas 5 and 12, and the loss of the limit."""

from __future__ import annotations

import math
from functools import partial

from verify.certify.balls import Ball, ball, ceil_float, dot, floor_float, hull, largest, root, square, total
from verify.certify.claims.fitting import unended
from verify.certify.claims.polyak import RADIUS_EXPONENT
from verify.certify.evidence import Evidence
from verify.certify.margin import CertifiedMargin, Measurement, power, power_of, slack
from verify.certify.selected import distance, selected_sizes
from verify.certify.state import CertifiedState, Side
from verify.certify.tail import Tail
from verify.claim import Vacuous
from verify.claims import corollary1

Measured = CertifiedMargin | Vacuous

LOCATED = 0.01
"""Relative width to which the least rate of the moment is enclosed: of averages it is a bound all the same."""

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
    sizes = selected_sizes(evidence.problem, evidence.setting, _both(evidence))
    quantity = distance(evidence.timeline.at(end.t), sizes, _both(evidence))
    return power(quantity, constant.log() - evidence.kappa / 29, t=float(end.t))


def saddle(evidence: Evidence) -> Measured:
    """‖θ(t₂) − θ_S‖ ≤ 2λ^(ε/5)/sqrt(2n‖D₊‖). [R, Corollary 1]"""
    end = evidence.second_exit
    if end is None:
        return unended(+1)
    sides = (evidence.plus,)
    sizes = selected_sizes(evidence.problem, evidence.setting, sides)
    quantity = distance(evidence.timeline.at(end.t), sizes, sides)
    bound_log = (ball(2) / (2 * evidence.n * evidence.plus.norm).sqrt()).log() - evidence.kappa / 5
    return power(quantity, bound_log, t=float(end.t))


def stays_near(evidence: Evidence) -> Measured:
    """‖θ(t) − θ*‖ ≤ λ^(ε/160) for t ≥ t₃. [R, Lemma 12]"""
    end = evidence.third_exit
    if end is None:
        return unended(-1)
    sides = _both(evidence)
    sizes = selected_sizes(evidence.problem, evidence.setting, sides)
    worst = evidence.timeline.largest(lambda state: distance(state, sizes, sides), evidence.window(end.t, None))
    return power_of(worst, -ball(RADIUS_EXPONENT) * evidence.kappa)


def rate(evidence: Evidence) -> Measured:
    """L(θ(t)) ≤ L(θ(t₃)) e^(−‖D₋‖(t−t₃)) for t ≥ t₃. [R, Lemma 12]

    The margin is that of the least average rate since t₃, relative to ‖D₋‖. From below: the least rate of the moment
    over t ≥ t₃, which bounds all averages. From above: averages at some times, and the rate of the moment at t₃, which
    averages over short times tend to.
    """
    end = evidence.third_exit
    if end is None:
        return unended(-1, "relative")
    norm = evidence.minus.norm
    slowest = evidence.timeline.largest(_slowness, evidence.window(end.t, None), LOCATED)
    low = -1.0 if slowest.high is None else floor_float(1 / (slowest.high * norm) - 1)
    seen = [_of_the_moment(evidence.timeline.at(end.t)), *_averages(evidence, end.t)]
    high = min(ceil_float(x / norm - 1) for x in seen)
    note = "least rate of the moment, and of averages"
    return CertifiedMargin(low, high, "relative", t=slowest.t, note=note, sharpens=False)


def _slowness(state: CertifiedState) -> Ball:
    """One over the rate of the moment; where the residual is not known, in a tail, from below by coercivity alone."""
    rate, least = _of_the_moment(state), 2 * coercivity(state) / state.setting.n
    return 1 / rate.max(least) if rate.is_finite() else hull(ball(0), 1 / least)


def _of_the_moment(state: CertifiedState) -> Ball:
    """−L'/L = 2rᵀKr/(n‖r‖²) = (2/n)(Σ_j a_j²‖r_A‖² + Σ_j ⟨p_j, r⟩²)/‖r‖², A the labels at which a neuron is active."""
    r, speed = state.residual, []
    for j, norm in enumerate(state.norms):
        on = state.moving(j)
        hidden = total(square(r[k]) if state.directions[j, k] > 0 else hull(ball(0), square(r[k])) for k in on)
        speed.append(square(norm) * (hidden + square(dot((state.directions[j, k] for k in on), (r[k] for k in on)))))
    return 2 * total(speed) / (state.setting.n * total(square(x) for x in r))


def coercivity(state: CertifiedState) -> Ball:
    """min_k Σ a_j² over the neurons that are certain to be active at a label, no more than rᵀKr/‖r‖² for any r."""
    return -largest(
        -total(square(state.norms[j]) for j in range(len(state.log_norms)) if state.directions[j, k] > 0)
        for k in range(state.setting.n)
    )


def _averages(evidence: Evidence, start: Ball) -> list[Ball]:
    """Some averages of the rate since ``start``."""
    timeline, before = evidence.timeline, evidence.timeline.at(start).loss
    later = [t for t in evidence.trajectory.times if t > start]
    chosen = later[:: max(len(later) // AVERAGES, 1)]
    return [(before / timeline.over(t, t).loss).log() / (t - start) for t in chosen]


def converged(evidence: Evidence) -> Measured:
    """L(θ^∞) = 0: every label belongs to a component whose residual is certain to decay for ever. [T]

    The margin is the slowest certified rate of the loss, 2μ/n of :mod:`verify.certify.tail`, relative to ‖D₋‖.
    """
    setting = evidence.setting
    tails = [segment for segment in evidence.trajectory.segments if isinstance(segment, Tail)]
    covered = {k for segment in tails for k in segment.begin.labels}
    open_labels = sorted(set(range(setting.n)) - covered)
    if open_labels:
        residual = setting.y[open_labels[0]]
        note = f"label {open_labels[0]} has no active neuron: its residual stays {float(residual):.6g}"
        return CertifiedMargin(-math.inf, -1.0, "relative", label=open_labels[0], note=note)
    slowest = -2 * largest(-segment.rate for segment in tails)
    return slack(slowest / evidence.minus.norm, note="slowest rate of the loss in the end")


def strict(evidence: Evidence) -> Measured:
    """θ_S is critical, and strict with curvature −‖D₋‖ along a zero neuron; 0 likewise with −‖D₊‖. [R, Corollary 1]

    At θ_S key neurons lie along ŷ₊ and are active on positive labels alone; all others are 0, without a gradient. Along
    (w, a) = τ(ŷ, ±1)/√2 of a zero neuron outputs are ±τ²ŷ_k/2, so that the curvature of the loss is −Σ |r_k|ŷ_k/n. The
    largest relative deviation of gradient and curvatures is held against the tolerance of the claim.
    """
    plus, n, y = evidence.plus, evidence.n, evidence.setting.y
    sizes = selected_sizes(evidence.problem, evidence.setting, (plus,))
    u = total(square(sizes[j]) for j in plus.key)
    left = [y[k] - u * unit for k, unit in zip(plus.labels, plus.unit, strict=True)]
    gradient = root(u * (dot(left, left) + square(dot(left, plus.unit)))) / n
    deviations = [gradient / (evidence.minus.norm * (n * plus.norm).sqrt())]
    for side in _both(evidence):
        curvature = -dot((abs(y[k]) for k in side.labels), side.unit) / n
        deviations.append(abs(curvature / -side.norm - 1))
    return slack(1 - largest(deviations) / ball(corollary1.TOLERANCE), note="gradient and curvatures")


MEASURES: dict[str, Measurement] = {
    "C1.saddle": saddle,
    "C1.strict": strict,
    "L4.close": partial(close, corrected=False),
    "L4.close.corrected": partial(close, corrected=True),
    "L12.rate": rate,
    "L12.ball": stays_near,
    "T1.loss": converged,
}
