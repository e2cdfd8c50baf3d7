"""Steps of the proofs of Lemmas 3 and 4 in balls: idle rates, the turn of phase 2, outputs above their labels."""

from __future__ import annotations

from functools import partial

from verify.certify.balls import Ball, ball, dot, hull, largest, length, within
from verify.certify.claims.alignment import dead
from verify.certify.claims.fitting import unended
from verify.certify.constants import Constants
from verify.certify.evidence import Evidence
from verify.certify.margin import CertifiedMargin, Measurement, open_question, slack, smaller
from verify.certify.phases import Conditions
from verify.certify.state import CertifiedState
from verify.claim import Vacuous

Measured = CertifiedMargin | Vacuous

FINEST = 1e-300
"""Least relative width to which rates are enclosed, which come as near their bound as λ^(ε/4)."""


def rate(evidence: Evidence, corrected: bool) -> Measured:
    """(ln‖w_j‖)′ ≤ max((1 − α)‖D₊‖, ‖D₋‖) + 2 sqrt(2‖D₊‖) λ^(ε/4) for j outside S₊₁ on [0, t₂]. [T; erratum E2]

    Printed, α = min y_k²/(2‖D₊‖²); corrected, it carries 1/n². The margin is relative to ‖D₊‖.
    """
    end, plus, minus = evidence.second_exit, evidence.plus, evidence.minus
    idle = evidence.others(plus.key)
    if not idle:
        return Vacuous("every neuron is in S₊₁")
    if end is None:
        return unended(+1, "relative")
    least = -largest(-unit for unit in plus.unit)
    alpha = least * least / 2 * (1 if corrected else evidence.n**2)
    tolerance = 2 * (2 * plus.norm).sqrt() * (-evidence.kappa / 4).exp()
    bound = ((1 - alpha) * plus.norm).max(minus.norm if minus.labels else ball(0)) + tolerance
    if not bound < plus.norm:
        return Vacuous("the bound is not below ‖D₊‖, which no neuron can exceed")
    shift = 2 * length(evidence.timeline.at(ball(0)).residual) / evidence.n

    def rates(state: CertifiedState) -> Ball:
        """Not negative: |(ln|a_j|)′| ≤ ‖r‖/n, which is largest at the start."""
        return shift + largest(_growth_rate(state, j) for j in idle)

    fine = max(float(tolerance) / 100, FINEST)
    worst = evidence.timeline.largest(rates, evidence.window(0, end.t), fine)
    return slack((bound - (worst.value - shift)) / plus.norm, t=worst.t)


def _growth_rate(state: CertifiedState, j: int) -> Ball:
    """(ln|a_j|)′ = s_j ⟨q_j⁺, r⟩/n, which is at most ‖r_A‖/n: over long stretches that is known better."""
    setting, moving = state.setting, state.moving(j)
    pull = dot([state.directions[j, k] for k in moving], [state.residual[k] for k in moving])
    most = within(length([state.residual[k] for k in moving]) / setting.n)
    value = setting.signs[j] * pull / setting.n
    return value.intersection(most) if value.is_finite() else most


def turn_conditions(known: Constants, state: CertifiedState) -> Conditions:
    """What ends the first part of phase 2: a tilt of 5λ^ε, or u₊ ≥ n‖D₊‖/7. [T, Lemma 10, third point]"""
    plus = known.plus
    return {
        "tilt": (state.largest_tilt(plus), 5 * known.shrunk(1)),
        "size": (state.key_square(plus), known.n * plus.norm / 7),
    }


def turn(evidence: Evidence) -> Measured:
    """t_u comes by u₊ = n‖D₊‖/7, not by tilt, and t₂ − t_u ≤ (ε/5)Λ/‖D₊‖: the slack of the time. [T, Lemma 10]

    Where the tilt comes first, the margin is minus the share of n‖D₊‖/7 that u₊ still misses.
    """
    first = evidence.exit_by("t_u", turn_conditions, evidence.time_plus)
    second = evidence.second_exit
    if first is None or first.condition is None:
        return open_question("what ends the first part of phase 2 is not certain")
    if first.condition == "tilt":
        size, due = turn_conditions(evidence, evidence.timeline.at(first.t))["size"]
        return slack(size / due - 1, t=float(first.t), note="the tilt comes first")
    if second is None:
        return unended(+1, "relative")
    bound = evidence.kappa / 5 / evidence.plus.norm
    return slack(1 - (second.t - first.t) / bound, t=float(first.t))


def above(evidence: Evidence) -> Measured:
    """h(x_k) ≥ y_k for y_k < 0 on [t₋₁, t₃], and S₊₁ dead on every y_k < 0 from t₊₁ on. [T, preliminaries of Lemma 11]

    The margin is the smaller of the time left at t₊₁ since the last death, and the smallest share of a label in the
    residual on the negative labels, (h(x_k) − y_k)/‖r‖ over |y_k|/‖y₋‖.
    """
    end, minus = evidence.third_exit, evidence.minus
    left = dead(evidence, +1)
    if end is None:
        return unended(-1, "relative")
    ceiling = 1 + largest(1 / unit for unit in minus.unit)

    def missing(state: CertifiedState) -> Ball:
        shares = _shares([state.residual[k] for k in minus.labels])
        return ceiling - -largest(share / unit for share, unit in zip(shares, minus.unit, strict=True))

    worst = evidence.timeline.largest(missing, evidence.window(evidence.time_one, end.t))
    share = slack(ceiling - worst.value, t=worst.t, note="outputs above labels")
    return share if isinstance(left, Vacuous) else smaller(share, left)


def _shares(residual: list[Ball]) -> list[Ball]:
    """r_k/‖r‖: of a single label its sign, where that is certain."""
    if len(residual) == 1:
        return [ball(1) if residual[0] > 0 else ball(-1) if residual[0] < 0 else hull(ball(-1), ball(1))]
    size = length(residual)
    return [x / size for x in residual]


MEASURES: dict[str, Measurement] = {
    "L10.rate": partial(rate, corrected=False),
    "L10.rate.corrected": partial(rate, corrected=True),
    "P2.turn": turn,
    "P3.sign": above,
}
