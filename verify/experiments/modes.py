"""On which side of 0 every pair ⟨w_j, x_k⟩ is, or that it slides along 0."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from verify.errors import SimulationFailed
from verify.experiments.box import box_minimum
from verify.experiments.regression import Regression
from verify.notation import FloatArray, IntArray

OFF, ON, SLIDE = 0, 1, 2


@dataclass(eq=False)
class Modes:
    """Modes of all pairs, and the slopes with which sliding pairs answer.

    - ``mode`` (m, n): OFF, ON or SLIDE. ``slope`` (m, n): σ' of the first two, 0 for pairs that slide.
    - ``count`` (m,), ``index`` (m, n): the sliding pairs of each neuron. ``reply`` (m, n, n): row i of neuron j is the
      linear map from the residual to the pull f = s r of its i-th sliding pair.
    - ``sign`` (m,): sign of a_j. ``feedback``: whether the network's output changes the residual; where it is
      negligible neurons are independent.

    Where p_jk = 0 attracts from both sides, the solution in the sense of Filippov stays there: σ' takes the value
    s ∈ [leak, 1] for which p_jk' = 0. With K the sliding pairs of neuron j, that is G_KK f_K = −G_K· (σ' r) over the
    others: the neuron feels the residual projected orthogonally to the inputs along which it slides. [D]
    """

    data: Regression
    mode: IntArray
    slope: FloatArray
    count: IntArray
    index: IntArray
    reply: FloatArray
    sign: FloatArray
    feedback: bool = True

    @classmethod
    def of(cls, data: Regression, p: FloatArray, a: FloatArray) -> Modes:
        """At the start: ON where p > 0, OFF elsewhere: a pair at exactly 0 is inactive, as σ'(0) = 0 says. [T]"""
        m, n = p.shape
        mode = (p > 0).astype(np.int64)
        slope = np.where(p > 0, 1.0, data.leak)
        sign = np.where(a >= 0, 1.0, -1.0)
        return cls(data, mode, slope, np.zeros(m, np.int64), np.zeros((m, n), np.int64), np.zeros((m, n, n)), sign)

    @classmethod
    def joined(cls, parts: list[Modes]) -> Modes:
        """The modes of neurons that were followed one by one, with feedback from now on."""

        def together(name: str) -> Any:
            return np.concatenate([getattr(part, name) for part in parts])

        names = ("mode", "slope", "count", "index", "reply", "sign")
        return cls(parts[0].data, *map(together, names))

    def residual(self, p: FloatArray, a: FloatArray) -> FloatArray:
        """r (n,), with σ' as the modes have it."""
        return self.data.y - a @ (self.slope * p) if self.feedback else self.data.y

    def set(self, j: int, k: int, mode: int) -> None:
        """Give one pair its mode; ``refresh`` the neuron when all its pairs are set."""
        self.mode[j, k] = mode
        self.slope[j, k] = (self.data.leak, 1.0, 0.0)[mode]

    def refresh(self, j: int) -> None:
        """Work out again how the sliding pairs of neuron j answer."""
        sliding = np.flatnonzero(self.mode[j] == SLIDE)
        self.count[j] = len(sliding)
        if not len(sliding):
            return
        gram = self.data.gram
        self.index[j, : len(sliding)] = sliding
        try:
            answer = np.linalg.solve(gram[np.ix_(sliding, sliding)], gram[sliding] * self.slope[j])
        except np.linalg.LinAlgError:
            raise SimulationFailed(
                f"neuron {j} slides along the inputs {sliding.tolist()}, which are linearly dependent: "
                "how it slides is then not unique"
            ) from None
        self.reply[j, : len(sliding)] = -answer

    def settle(self, j: int, k: int, residual: FloatArray) -> None:
        """Pair (j, k) has reached 0: give it, and the pairs of neuron j that slide, the modes of the solution after.

        A pair that activation pushes up (a_j r_k > 0) goes through. Pairs that activation pushes down solve, all
        together, a convex problem with exactly one solution (see ``box``): p_jl' > 0 only with s = 1, p_jl' < 0 only
        with s = leak, p_jl' = 0 with any s between. [D]
        """
        group = np.flatnonzero(self.mode[j] == SLIDE)
        if self.sign[j] * residual[k] < 0:
            group = np.append(group, k)
        else:
            self.set(j, k, OFF if self.mode[j, k] == ON else ON)
        for chosen, mode in zip(group, self._chosen(j, group, residual), strict=True):
            self.set(j, int(chosen), int(mode))
        self.refresh(j)

    def _chosen(self, j: int, group: IntArray, residual: FloatArray) -> IntArray:
        gram, others = self.data.gram, self.slope[j] * residual
        others[group] = 0.0
        full, least = residual[group], self.data.leak * residual[group]
        low, high = np.minimum(full, least), np.maximum(full, least)
        side = box_minimum(gram[np.ix_(group, group)], gram[group] @ others, low, high)
        at_full = np.where(full > least, side > 0, side < 0)
        return np.where(side == 0, SLIDE, np.where(at_full, ON, OFF))

    def leave(self, j: int, k: int, mode: int) -> None:
        """Pair (j, k) stops sliding, at s = leak to OFF or at s = 1 to ON; nothing jumps, so the others go on."""
        self.set(j, k, mode)
        self.refresh(j)

    def turn(self, j: int) -> None:
        """a_j changes its sign: what attracted repels now, and sliding pairs leave to the inactive side. [D]"""
        self.sign[j] = -self.sign[j]
        for k in np.flatnonzero(self.mode[j] == SLIDE):
            self.set(j, int(k), OFF)
        self.refresh(j)
