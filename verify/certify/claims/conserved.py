"""Lemmas 1 and 6 in balls: what never changes."""

from __future__ import annotations

from verify.certify.balls import Ball, ball, dot, hull, largest
from verify.certify.evidence import Evidence
from verify.certify.margin import CertifiedMargin, Measurement, slack
from verify.certify.state import CertifiedState
from verify.claim import Vacuous
from verify.claims import lemma1

Measured = CertifiedMargin | Vacuous


def excess(state: CertifiedState, j: int) -> Ball:
    """‖w_j‖²/a_j² − 1, of a balanced neuron 0."""
    setting, row = state.setting, state.directions[j]
    never = setting.rest[j] - dot(setting.frozen[j], setting.frozen[j])
    return dot(row, row) + never * (-2 * state.log_norms[j]).exp() - 1


def conserved(evidence: Evidence) -> Measured:
    """a_j² − ‖w_j‖² = 0 to the tolerance of the claim, at the ends of all segments. [T, Lemma 1]

    In between nothing has to be looked at: there the enclosed flow of a pattern keeps the difference identically, for
    d(a² − ‖p‖²)/dt = (2s/n)(a⟨p, r⟩ − a⟨p, r⟩). What is held against the tolerance lies between 0 and the widest ball.
    """
    drifts = []
    for t in evidence.trajectory.times:
        state = evidence.timeline.at(t)
        for j in range(len(state.log_norms)):
            gap = excess(state, j)
            drifts.append((abs(gap) / (2 + gap)).upper())
    return slack(1 - hull(ball(0), *drifts) / ball(lemma1.TOLERANCE), note=f"at the ends of {len(drifts)} pieces")


def sign(evidence: Evidence) -> Measured:
    """s_j a_j over the root of a_j² + ‖w_j‖², which is 1/√2; |a_j|' ≥ −|a_j|‖r‖/n keeps a_j off 0 in between. [T]"""
    shares = []
    for t in evidence.trajectory.times:
        state = evidence.timeline.at(t)
        shares += [-1 / (2 + excess(state, j)).sqrt() for j in range(len(state.log_norms))]
    return slack(-largest(shares), note="at the ends of all pieces")


def frozen(evidence: Evidence) -> Measured:
    """p_jk < 0 never moves: its derivative is 0 as σ'(0) = 0, and balls of it are its value at the start. [R]

    Coordinates that die reach 0 and stay there: no other is ever negative.
    """
    setting = evidence.setting
    pairs = [(j, k) for j, row in enumerate(setting.frozen) for k, x in enumerate(row) if x < 0]
    if not pairs:
        return Vacuous("no coordinate is ever negative")
    drifts = []
    for t in evidence.trajectory.times:
        state = evidence.timeline.at(t)
        drifts += [abs(state.directions[j, k] * state.norms[j] / setting.frozen[j][k] - 1).upper() for j, k in pairs]
    return slack(1 - hull(ball(0), *drifts) / ball(lemma1.TOLERANCE), note=f"{len(pairs)} coordinates")


MEASURES: dict[str, Measurement] = {"L1.conserved": conserved, "L1.sign": sign, "L6.frozen": frozen}
