"""Lemma 10 in balls: in phase 2 the target stays colinear with D₊, and u₊ nearly solves a logistic equation."""

from __future__ import annotations

from functools import partial

from verify.certify.balls import Ball, ball, dot, hull, largest, length, root, square, total
from verify.certify.claims.fitting import unended
from verify.certify.evidence import Evidence
from verify.certify.margin import CertifiedMargin, Measurement, power_of
from verify.certify.search import Quantity
from verify.certify.state import CertifiedState


def tolerance(evidence: Evidence) -> Ball:
    """2 sqrt(2‖D₊‖) λ^(ε/4), the error term of phase 2. [R]"""
    return 2 * (2 * evidence.plus.norm).sqrt() * (-evidence.kappa / 4).exp()


def colinear(evidence: Evidence) -> CertifiedMargin:
    """‖D₊ᵗ − (1 − u₊/(n‖D₊‖))D₊‖ ≤ 2 sqrt(2‖D₊‖) λ^(ε/4) on [t₊₁, t₂]. [R, proof of Lemma 10]"""
    return _over_phase(evidence, partial(apart, evidence), tolerance(evidence))


def logistic(evidence: Evidence) -> CertifiedMargin:
    """|u₊′ − 2u₊(‖D₊‖ − u₊/n)| ≤ 2u₊e, e = 4 sqrt(2‖D₊‖)λ^(ε/4) + λ^(ε/2), on [t₊₁, t₂]. [R, proof of Lemma 10]

    The quantity is the left side over 2u₊ itself, where ``check`` takes the sum of the sizes of its parts.
    """
    return _over_phase(evidence, partial(astray, evidence), 2 * tolerance(evidence) + (-evidence.kappa / 2).exp())


def _over_phase(evidence: Evidence, quantity: Quantity, bound: Ball) -> CertifiedMargin:
    end = evidence.second_exit
    if end is None:
        return unended(+1)
    window = evidence.window(evidence.time_plus, end.t)
    return power_of(evidence.timeline.largest(quantity, window), bound.log())


def excess(evidence: Evidence, state: CertifiedState) -> list[Ball]:
    """n(D₊ᵗ − (1 − u₊/(n‖D₊‖))D₊) on the positive labels: u₊ŷ_k − h(x_k), without labels and residuals. [D]"""
    plus = evidence.plus
    out = []
    for k, unit in zip(plus.labels, plus.unit, strict=True):
        key = total(square(state.norms[j]) * (unit - state.directions[j, k]) for j in plus.key)
        out.append(key - _others(evidence, state, k))
    return out


def _others(evidence: Evidence, state: CertifiedState, k: int) -> Ball:
    """What neurons outside S₊₁ put out at a label."""
    setting = state.setting
    others = [j for j in range(len(setting.signs)) if j not in evidence.plus.key and setting.frozen[j][k].is_zero()]
    return total(setting.signs[j] * square(state.norms[j]) * state.directions[j, k] for j in others)


def apart(evidence: Evidence, state: CertifiedState) -> Ball:
    """‖D₊ᵗ − (1 − u₊/(n‖D₊‖))D₊‖; over long stretches from the parts across ŷ and the tilts, which are known better."""
    plus = evidence.plus
    parts = [square(state.norms[j]) * root(state.sideways(j, plus) + square(state.tilt(j, plus))) for j in plus.key] + [
        abs(_others(evidence, state, k)) for k in plus.labels
    ]
    return _at_most(length(excess(evidence, state)), total(parts)) / evidence.n


def astray(evidence: Evidence, state: CertifiedState) -> Ball:
    """|u₊′/(2u₊) − (‖D₊‖ − u₊/n)|. [D]

    With e_k of :func:`excess` and q_j the direction of a neuron, u₊′ = (2/n) Σ a_j² ⟨q_j, r⟩ over S₊₁, and on positive
    labels r = (n‖D₊‖ − u₊)ŷ + e: the quantity is the mean, weighted by a_j², of −(1 − cos)(‖D₊‖ − u₊/n) + ⟨q_j, e⟩/n
    plus what labels of the other sign add.
    """
    plus, n = evidence.plus, evidence.n
    u, parts = state.key_square(plus), excess(evidence, state)
    left = plus.norm - u / n
    lags, most = [], []
    for j in plus.key:
        turned = state.tilt(j, plus) * left
        pushed = dot((state.directions[j, k] for k in plus.labels), parts) / n
        wrong = [k for k in state.moving(j) if k not in plus.labels]
        crossed = total(state.directions[j, k] * state.residual[k] for k in wrong) / n
        lags.append(square(state.norms[j]) * (pushed - turned + crossed))
        most.append(abs(turned) + apart(evidence, state) + abs(crossed))
    return _at_most(abs(total(lags)) / u, largest(most))


def _at_most(value: Ball, bound: Ball) -> Ball:
    """A number that is not negative, of which two enclosures are known."""
    if not bound.is_finite():
        return value
    most = hull(ball(0), bound.upper())
    return value.intersection(most) if value.is_finite() else most


MEASURES: dict[str, Measurement] = {"L10.colinear": colinear, "L10.logistic": logistic}
