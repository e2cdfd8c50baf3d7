"""Labels of the other sign in balls: cross terms decrease, and what dies would move but for σ′(0) = 0."""

from __future__ import annotations

from functools import partial

from verify.certify.balls import Ball, ball, dot, hull, largest, length, total
from verify.certify.claims.alignment import cross_deaths, dead
from verify.certify.evidence import Evidence
from verify.certify.margin import CertifiedMargin, Measurement, open_question, slack, smaller
from verify.certify.passage import Passage
from verify.certify.state import CertifiedState
from verify.certify.tail import Tail
from verify.claim import Vacuous

Measured = CertifiedMargin | Vacuous


def monotone(evidence: Evidence, which: int) -> Measured:
    """f(t) = ∓Σ (y_k/n)⟨w_j/‖w_j‖, x_k⟩ over active labels of the other sign decreases to 0 before t±₁. [T, third step]

    The margin is the smaller of: the slowest decrease −f′ while f > 0, over the square of the other target's norm, and
    the time left between the last death and t±₁, over t±₁. |f′| is at most that norm times ‖r‖/n, which never grows.
    """
    waiting, known = cross_deaths(evidence, which)
    if not waiting:
        return Vacuous("no neuron of the key set is ever active on a label of the other sign")
    other, end = evidence.side(-which).norm, evidence.early_time(which)
    if waiting == set(known):
        end = end.min(largest(known.values()))
    shift = 2 * other * length(evidence.timeline.at(ball(0)).residual) / evidence.n

    def rise(state: CertifiedState) -> Ball:
        return largest([ball(0), *(shift + x for x in rises(evidence, which, state))])

    worst = evidence.timeline.largest(rise, evidence.window(0, end))
    return smaller(slack((shift - worst.value) / (other * other), t=worst.t, note="slowest decrease"),
                   *_decided(dead(evidence, which)))  # fmt: skip


def _decided(left: Measured) -> list[CertifiedMargin]:
    return [] if isinstance(left, Vacuous) else [left]


def rises(evidence: Evidence, which: int, state: CertifiedState) -> list[Ball]:
    """f′ of the key neurons for which f may be positive.

    A label at which a neuron may be dead adds to f′ what it adds if alive, or nothing.
    """
    out, other, n = [], evidence.side(-which), evidence.n
    for j in evidence.side(which).key:
        q, moving = state.directions[j], state.moving(j)
        growth = dot((q[k] for k in moving), (state.residual[k] for k in moving))
        parts = {
            k: which * unit * other.norm * (state.residual[k] - q[k] * growth) / n
            for k, unit in zip(other.labels, other.unit, strict=True)
            if k in moving
        }
        certain = [x for k, x in parts.items() if q[k] > 0]
        doubtful = [x for k, x in parts.items() if not q[k] > 0]
        if parts:
            out.append(_sum_of_some(certain, doubtful))
    return out


def _sum_of_some(certain: list[Ball], doubtful: list[Ball]) -> Ball:
    """Σ certain + Σ of some of the doubtful, at least one number in all."""
    if not certain and all(x < 0 for x in doubtful):
        return hull(total(doubtful), largest(doubtful))
    return total(certain) + total(hull(ball(0), x) for x in doubtful)


def subgradient(evidence: Evidence) -> Measured:
    """The smallest −s_j r_k/|y_k| over all deactivations: where it is positive only σ′(0) = 0 lets p_jk rest. [T]

    Of each, the residual over the interval that holds its time. Pairs that may or may not die in a tail leave it open.
    """
    setting, segments = evidence.setting, evidence.trajectory.segments
    pushes = {
        (segment.begin.neurons[j], segment.begin.labels[i], float(segment.end)): _push(segment, j, i)
        for segment in segments
        if isinstance(segment, Passage)
        for j, i in segment.dying
    }
    if any(segment.may_lose_a_pair for segment in segments if isinstance(segment, Tail)):
        return open_question("whether a pair dies while its residual vanishes is not certain")
    if not pushes:
        return Vacuous("nothing is ever deactivated")
    shares = {where: push / abs(setting.y[where[1]]) for where, push in pushes.items()}
    j, k, t = min(shares, key=lambda where: float(shares[where]))
    return slack(-largest(-x for x in shares.values()), neuron=j, label=k, t=t)


def _push(segment: Passage, j: int, i: int) -> Ball:
    """−s_j r_k."""
    return -segment.setting.signs[segment.begin.neurons[j]] * segment.over.r[i]


MEASURES: dict[str, Measurement] = {
    "P1.monotone": partial(monotone, which=+1),
    "P1.monotone-": partial(monotone, which=-1),
    "AD.subgradient": subgradient,
}
