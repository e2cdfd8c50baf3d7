"""A state in balls, and the quantities of the proofs read off it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from verify.certify.balls import Ball, ball, dot, hull, largest, length, square, total
from verify.certify.moment import Setting
from verify.notation import BoolArray, ObjectArray

NARROW = 0.1
"""Radius from which on 1 + cos, of a neuron inside its cone, is better known to lie between 1 and 2."""


@dataclass(frozen=True)
class CertifiedState:
    """Balls that hold the true state at every time of the ball ``t``.

    - ``log_norms`` (m,): ln|a_j| = ln‖w_j‖. ``directions`` (m, n): ⟨w_j, x_k⟩/|a_j|, 0 after a deactivation.
    - ``residual`` (n,). ``across`` (m,): the square of a direction's part across ŷ on the labels of the neuron's sign,
      where it is known better than from the direction; None elsewhere.
    """

    t: Ball
    setting: Setting
    log_norms: ObjectArray
    directions: ObjectArray
    residual: ObjectArray
    across: ObjectArray

    @cached_property
    def norms(self) -> list[Ball]:
        """(m,): |a_j| = ‖w_j‖."""
        return [x.exp() for x in self.log_norms]

    @property
    def loss(self) -> Ball:
        """Σ_k r_k²/(2n)."""
        return dot(self.residual, self.residual) / (2 * self.setting.n)

    def tilt(self, j: int, side: Side) -> Ball:
        """1 − cos∠(w_j, ±D±) = sin²/(1 + cos) of a balanced neuron, from the part of w_j across ŷ."""
        cosine, known = 1 + self.along(j, side), self.across[j] is not None and side.sign == self.setting.signs[j]
        if known and not (cosine.is_finite() and cosine.rad() < NARROW):
            cosine = hull(ball(1), ball(2))
        others = [x for k, x in enumerate(self.directions[j]) if k not in side.labels]
        return (self.sideways(j, side) + total(square(x) for x in others) + self._orthogonal(j)) / cosine

    def along(self, j: int, side: Side) -> Ball:
        """cos∠(w_j, ±D±)."""
        return dot((self.directions[j, k] for k in side.labels), side.unit)

    def sideways(self, j: int, side: Side) -> Ball:
        """The square of a direction's part across ŷ on the labels of a side."""
        if self.across[j] is not None and side.sign == self.setting.signs[j]:
            return self.across[j]
        along = self.along(j, side)
        return total(square(self.directions[j, k] - along * u) for k, u in zip(side.labels, side.unit, strict=True))

    def moving(self, j: int) -> list[int]:
        """The labels at which a neuron may be active: neither frozen below 0 nor dead throughout."""
        frozen = self.setting.frozen[j]
        return [k for k, x in enumerate(self.directions[j]) if frozen[k].is_zero() and not x.is_zero()]

    def _orthogonal(self, j: int) -> Ball:
        """The part of w_j orthogonal to all inputs, squared, over a_j²; frozen coordinates are directions."""
        setting = self.setting
        return (setting.rest[j] - dot(setting.frozen[j], setting.frozen[j])) * (-2 * self.log_norms[j]).exp()

    def key_square(self, side: Side) -> Ball:
        """u₊ or u₋: Σ ‖w_j‖² over the key set."""
        return total(square(self.norms[j]) for j in side.key)

    def largest_norm(self, who: Iterable[int]) -> Ball:
        """max ‖w_j‖."""
        return largest(self.norms[j] for j in who)

    def largest_tilt(self, side: Side) -> Ball:
        """max over the key set of 1 − cos∠(w_j, ±D±)."""
        return largest(self.tilt(j, side) for j in side.key)

    def dynamic_target(self, side: Side) -> Ball:
        """‖D₊ᵗ‖ or ‖D₋ᵗ‖."""
        return length([self.residual[k] for k in side.labels]) / self.setting.n


@dataclass(frozen=True)
class Side:
    """The labels of one sign: ``sign``; their numbers; |y|/‖y‖ on them; ``norm``: ‖D±‖; the key set S±₁."""

    sign: int
    labels: tuple[int, ...]
    unit: list[Ball]
    norm: Ball
    key: tuple[int, ...]


def side_of(setting: Setting, sign: int, labels: BoolArray, key: BoolArray) -> Side:
    """The labels of one sign."""
    chosen = tuple(int(k) for k in np.flatnonzero(labels))
    sizes = [abs(setting.y[k]) for k in chosen]
    size = length(sizes)
    return Side(sign, chosen, [x / size for x in sizes], size / ball(setting.n), tuple(map(int, np.flatnonzero(key))))
