"""Lemmas 2, 7, 8 and 9 and a step of their proof in balls: the alignment phase."""

from __future__ import annotations

import math
from functools import partial

from verify.certify.balls import Ball, ball, ceil_float, largest, square
from verify.certify.evidence import Evidence
from verify.certify.margin import CertifiedMargin, Measurement, open_question, power, power_of, slack
from verify.certify.state import CertifiedState
from verify.claim import Vacuous
from verify.claims import lemma7

Measured = CertifiedMargin | Vacuous


def align(evidence: Evidence, which: int, t: Ball) -> Measured:
    """1 − cos∠(w_j, ±D±) ≤ 2λ^ε at time ``t`` for every j in S±₁. [T, Lemmas 2, 7 and 8]"""
    bound_log = ball(2).log() - evidence.kappa
    if not bound_log < 0:
        return Vacuous("2λ^ε ≥ 1, and a neuron of the cone cannot be further than that from its target")
    state, side = evidence.timeline.at(t), evidence.side(which)
    return power(state.largest_tilt(side), bound_log, t=float(t))


def norms_until(evidence: Evidence) -> Measured:
    """‖w_j‖ ≤ 2cλ^(1−rε) for all j on [0, t₁]. [T, Lemma 2]"""
    everyone = range(evidence.problem.initialisation.m)
    worst = evidence.timeline.largest(lambda state: state.largest_norm(everyone), evidence.window(0, evidence.time_one))
    return power_of(worst, _norm_bound(evidence, -1))


def norm(evidence: Evidence, which: int) -> Measured:
    """‖w_j‖ ≤ 2cλ^(1−ε) at t₊₁, ‖w_j‖ ≤ 2cλ^(1−rε) at t₋₁, for all j. [T, Lemmas 7 and 8]"""
    t = evidence.early_time(which)
    quantity = evidence.timeline.at(t).largest_norm(range(evidence.problem.initialisation.m))
    return power(quantity, _norm_bound(evidence, which), t=float(t))


def _norm_bound(evidence: Evidence, which: int) -> Ball:
    rate = ball(1) if which > 0 else evidence.ratio
    return (2 * evidence.largest_direction).log() - evidence.scale + rate * evidence.kappa


def dead_literal(evidence: Evidence, which: int) -> Measured:
    """⟨w_j, x_k⟩ = 0 for j in S±₁ and labels of the other sign, to the tolerance of the claim. [T, erratum E1]"""
    t = evidence.early_time(which)
    state, scale = evidence.timeline.at(t), evidence.setting.scale
    sizes = [abs(state.directions[j, k]) * state.norms[j] for j, k in _crossed(evidence, which)]
    quantity = largest(sizes) / (scale * evidence.largest_direction)
    return slack(1 - quantity / ball(lemma7.TOLERANCE), t=float(t))


def dead(evidence: Evidence, which: int) -> Measured:
    """How long before t±₁ the last pair of S±₁ with a label of the other sign dies, relative to t±₁. [D, E1]"""
    end = evidence.early_time(which)
    waiting, known = cross_deaths(evidence, which)
    if not waiting:
        return slack(ball(1), note="none was ever active", t=0.0)
    missing = sorted(waiting - set(known))
    if not missing:
        j, k = max(known, key=lambda pair: float(known[pair]))
        return slack(1 - largest(known.values()) / end, neuron=j, label=k, t=float(known[j, k]))
    return _alive(evidence, missing[0], end)


def cross_deaths(evidence: Evidence, which: int) -> tuple[set[tuple[int, int]], dict[tuple[int, int], Ball]]:
    """Pairs of S±₁ with labels of the other sign that are active at the start, and when those die that surely do."""
    waiting = {(j, k) for j, k in _crossed(evidence, which) if evidence.problem.exact_projections[j, k] > 0}
    table = evidence.trajectory.deactivations
    return waiting, {(j, k): t for t, j, k in table.itertuples(index=False, name=None) if (j, k) in waiting}


def _alive(evidence: Evidence, pair: tuple[int, int], end: Ball) -> CertifiedMargin:
    """The margin of a pair that is not known to die: below what the last time leaves at which it is certain to live."""
    settled = evidence.timeline.settled
    if settled > end and evidence.timeline.over(settled, settled).directions[pair] > 0:
        high = 1 - settled / end
        note = f"still active at t = {float(settled):.6g}"
        return CertifiedMargin(-math.inf, ceil_float(high), "relative", *pair, float(settled), note)
    return open_question("whether a pair dies is not certain")


def _crossed(evidence: Evidence, which: int) -> list[tuple[int, int]]:
    return [(j, k) for j in evidence.side(which).key for k in evidence.side(-which).labels]


def lower(evidence: Evidence, which: int) -> Measured:
    """‖w_j‖ > ½c̲λ^(1+ε) on [0, t₊₁] for S₊₁; ‖w_j‖ > ½c̲λ^(1+rε) on [0, t₋₁] for S₋₁. [T, Lemma 9]"""
    rate = ball(1) if which > 0 else evidence.ratio
    bound_log = (evidence.smallest_direction / 2).log() - evidence.scale - rate * evidence.kappa
    key = evidence.side(which).key

    def inverse(state: CertifiedState) -> Ball:
        return largest((-state.log_norms[j]).exp() for j in key)

    worst = evidence.timeline.largest(inverse, evidence.window(0, evidence.early_time(which)))
    return power_of(worst, -bound_log)


def signs_kept(evidence: Evidence) -> Measured:
    """sign r_k = sign y_k and |h(x_k)| ≤ 4mc²λ^(2(1−rε)) for t ≤ t₋₁: the nearer of the two in nats. [T, Lemma 8]

    Outputs beyond a label change the sign of its residual; those of the opposite sign never do.
    """
    m, setting = evidence.problem.initialisation.m, evidence.setting
    bound = (
        4 * m * square(evidence.largest_direction) * (2 * evidence.ratio * evidence.kappa - 2 * evidence.scale).exp()
    )

    def closeness(state: CertifiedState) -> Ball:
        return largest((abs(h) / bound).max(h / y) for h, y in zip(outputs(state), setting.y, strict=True))

    worst = evidence.timeline.largest(closeness, evidence.window(0, evidence.time_one))
    return power_of(worst, ball(0))


def outputs(state: CertifiedState) -> list[Ball]:
    """(n,): h(x_k) = Σ_j s_j a_j² q_jk over active pairs, so that tiny ones do not cancel."""
    setting = state.setting
    squares = [s * x * x for s, x in zip(setting.signs, state.norms, strict=True)]
    return [
        sum(
            (size * state.directions[j, k] for j, size in enumerate(squares) if setting.frozen[j][k].is_zero()),
            ball(0),
        )
        for k in range(setting.n)
    ]


MEASURES: dict[str, Measurement] = {
    "L2.align+": lambda evidence: align(evidence, +1, evidence.time_one),
    "L2.align-": lambda evidence: align(evidence, -1, evidence.time_one),
    "L2.norm": norms_until,
    "L7.norm": partial(norm, which=+1),
    "L7.align": lambda evidence: align(evidence, +1, evidence.time_plus),
    "L7.dead": partial(dead_literal, which=+1),
    "L7.dead.corrected": partial(dead, which=+1),
    "L8.norm": partial(norm, which=-1),
    "L8.align": lambda evidence: align(evidence, -1, evidence.time_one),
    "L8.dead": partial(dead_literal, which=-1),
    "L8.dead.corrected": partial(dead, which=-1),
    "L9.lower+": partial(lower, which=+1),
    "L9.lower-": partial(lower, which=-1),
    "P1.sign": signs_kept,
}
