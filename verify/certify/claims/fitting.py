"""Lemmas 3 and 4 in balls: the labels of one sign are fitted, then those of the other."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial

from verify.certify.balls import Ball, ball, largest, length
from verify.certify.evidence import Evidence
from verify.certify.margin import CertifiedMargin, Measurement, open_question, power, power_of, slack, smaller
from verify.certify.phases import second_conditions, third_conditions
from verify.certify.state import CertifiedState, Side
from verify.claim import Vacuous

Measured = CertifiedMargin | Vacuous
PHASES = {+1: ("t₂", second_conditions), -1: ("t₃", third_conditions)}


def unended(which: int, scale: str = "nats") -> CertifiedMargin:
    """The margin of a claim about the end of a phase of which no end is certain."""
    return open_question(f"no time is certain to be {PHASES[which][0]} before all components have converged", scale)


def second_time(evidence: Evidence) -> Measured:
    """t₂ ≤ (1 + 3ε)Λ/‖D₊‖. [T, Lemma 3]"""
    end = evidence.second_exit
    if end is None:
        return unended(+1, "relative")
    bound = (1 + 3 * evidence.epsilon) * evidence.scale / evidence.plus.norm
    return slack(1 - end.t / bound, t=float(end.t), note=f"ended by {end.condition}")


def third_time(evidence: Evidence) -> Measured:
    """t₂ < t₃ ≤ (1 + 3rε)Λ/‖D₋‖: the smaller of the two relative slacks. [T, Lemma 4]

    Where phase 3 ends as it begins, t₃ = t₂, the slack of the order is minus the share by which its condition is met.
    """
    end, second = evidence.third_exit, evidence.second_exit
    if end is None or second is None:
        return unended(-1, "relative")
    bound = (1 + 3 * evidence.ratio * evidence.epsilon) * evidence.scale / evidence.minus.norm
    note = f"ended by {end.condition}"
    in_time = slack(1 - end.t / bound, t=float(end.t), note=note)
    if end.excess is not None:
        return smaller(in_time, slack((-end.excess).exp() - 1, t=float(end.t), note=f"{note} at once: t₃ = t₂"))
    return smaller(in_time, slack((end.t - second.t) / bound, t=float(end.t), note=note))


def exit(evidence: Evidence, which: int) -> Measured:
    """The phase ends with the fit: the distance, in nats, of the nearest other condition at that time. [T]

    Where another one is certain to end it, the margin is minus what the fit still misses.
    """
    end = evidence.exit(which)
    if end is None or end.condition is None:
        return unended(which)
    levels = {name: a / b for name, (a, b) in PHASES[which][1](evidence, evidence.timeline.at(end.t)).items()}
    fit = levels.pop("fit")
    note = f"ended by {end.condition}"
    if end.condition == "fit":
        return power(largest(levels.values()), ball(0), t=float(end.t), note=note)
    return slack(fit.log(), "nats", t=float(end.t), note=note)


def align(evidence: Evidence, which: int, exponent: Fraction) -> Measured:
    """⟨w_j/‖w_j‖, ±D±⟩ ≥ ‖D±‖ − λ^(pε) for j in S±₁ from t±₁ to the end of the phase. [T]"""
    side, end = evidence.side(which), evidence.exit(which)
    bound_log = -ball(exponent) * evidence.kappa - side.norm.log()
    if not bound_log < 0:
        return Vacuous(f"λ^({float(exponent):.3g}ε) ≥ ‖D‖, and a neuron of the cone cannot be further from its target")
    if end is None:
        return unended(which)
    window = evidence.window(evidence.early_time(which), end.t)
    return power_of(evidence.timeline.largest(lambda state: state.largest_tilt(side), window), bound_log)


def idle(evidence: Evidence, which: int, factor: int) -> Measured:
    """‖w_j‖ ≤ factor·cλ^ε for neurons without a fitted key set up to the end of the phase. [T]"""
    key = evidence.plus.key if which > 0 else evidence.plus.key + evidence.minus.key
    others = evidence.others(key)
    end = evidence.exit(which)
    if not others:
        return Vacuous("every neuron is a key neuron")
    if end is None:
        return unended(which)
    worst = evidence.timeline.largest(lambda state: state.largest_norm(others), evidence.window(0, end.t))
    return power_of(worst, (factor * evidence.largest_direction).log() - evidence.kappa)


def loss(evidence: Evidence, exponent: Fraction) -> Measured:
    """(1/2n) Σ_{y_k>0} r_k² at t₂ is at most λ^(pε), constant 1. [T, Lemma 3 and its appendix version; erratum E3]"""
    end = evidence.second_exit
    if end is None:
        return unended(+1)
    size = evidence.timeline.at(end.t).dynamic_target(evidence.plus)
    return power(size * size * evidence.n / 2, -ball(exponent) * evidence.kappa, t=float(end.t))


def still(evidence: Evidence) -> Measured:
    """‖w_j(t₂) − w_j(t₃)‖ ≤ λ^(ε/15) for j in S₊₁. [T, Lemma 4]"""
    second, third = evidence.second_exit, evidence.third_exit
    if second is None or third is None:
        return unended(-1)
    before, after = evidence.timeline.at(second.t), evidence.timeline.at(third.t)
    moved = {j: _displacement(before, after, j) for j in evidence.plus.key}
    worst = max(moved, key=lambda j: float(moved[j].upper()) if moved[j].is_finite() else math.inf)
    return power(largest(moved.values()), -evidence.kappa / 15, neuron=worst, t=float(second.t))


def _displacement(before: CertifiedState, after: CertifiedState, j: int) -> Ball:
    old, new = before.norms[j], after.norms[j]
    rows = zip(before.directions[j], after.directions[j], strict=True)
    moving = [x.is_zero() for x in before.setting.frozen[j]]
    return length([new * y - old * x for (x, y), on in zip(rows, moving, strict=True) if on])


def fitted(evidence: Evidence) -> Measured:
    """‖D₊ᵗ‖ < λ^(ε/14) on [t₂, t₃]. [T, Lemma 4]"""
    plus: Side = evidence.plus
    bound_log = -evidence.kappa / 14
    if not bound_log < plus.norm.log():
        return Vacuous("λ^(ε/14) ≥ ‖D₊‖, the value at the start")
    second, third = evidence.second_exit, evidence.third_exit
    if second is None or third is None:
        return unended(-1)
    window = evidence.window(second.t, third.t)
    return power_of(evidence.timeline.largest(lambda state: state.dynamic_target(plus), window), bound_log)


MEASURES: dict[str, Measurement] = {
    "L3.time": second_time,
    "L3.exit": partial(exit, which=+1),
    "L3.align": partial(align, which=+1, exponent=Fraction(1, 2)),
    "L3.idle": partial(idle, which=+1, factor=2),
    "L3.loss": partial(loss, exponent=Fraction(1, 5)),
    "L3.loss.appendix": partial(loss, exponent=Fraction(2, 5)),
    "L4.time": third_time,
    "L4.exit": partial(exit, which=-1),
    "L4.align": partial(align, which=-1, exponent=Fraction(1, 14)),
    "L4.still": still,
    "L4.fitted": fitted,
    "L4.idle": partial(idle, which=-1, factor=3),
}
