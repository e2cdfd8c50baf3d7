"""The Polyak-Łojasiewicz ratio near a minimal-norm interpolator: exact to any distance, and its minimum over a ball."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from verify.dataset import Dataset
from verify.notation import BoolArray, FloatArray

DRAWS = 64
DESCENTS = 8
STEPS = 60
TINY = np.finfo(np.float64).tiny


@dataclass(frozen=True)
class LocalNetworks:
    """Balanced networks p = p* + ρ v around an interpolator, with coordinates p_jk = ⟨w_j, x_k⟩. [D]

    - ``centre`` (m, n): p*. ``sizes`` (m,): |a*_j| = ‖p*_j‖. ``signs`` (m,). ``n``: labels.
    - ``active`` (m, n): whether p*_jk > 0.

    Displacements v (m, n) are of order one and ρ is the radius: the residual is evaluated as ρ times a number of
    order one, without ever subtracting outputs from labels, so that ρ = 10⁻³⁰⁰ is as good as ρ = 1. Displacements
    orthogonal to all inputs only enlarge |a_j| and with it the ratio, so they are left out.
    """

    centre: FloatArray
    sizes: FloatArray
    signs: FloatArray
    n: int

    @staticmethod
    def around(data: Dataset, signs: FloatArray, sizes: FloatArray) -> LocalNetworks:
        """Networks around the closed-form interpolator with the given sizes (m,)."""
        centre = np.zeros((len(signs), data.n))
        for side, mask, norm in ((1, data.positive, data.norm_plus), (-1, data.negative, data.norm_minus)):
            if norm > 0:
                unit = np.where(mask, np.abs(data.y), 0.0) / (data.n * norm)
                centre[signs == side] = np.outer(sizes[signs == side], unit)
        return LocalNetworks(centre, sizes, signs, data.n)

    def _parts(self, v: FloatArray, radius: float) -> tuple[FloatArray, FloatArray, BoolArray, FloatArray]:
        """p, |a|, the active pairs, and r/ρ."""
        p = self.centre + radius * v
        a = np.linalg.norm(p, axis=1)
        was = self.centre > 0
        active = np.where(was, p > 0, v > 0)
        growth = self._growth(v, a, radius)
        lost = np.where(was & ~active, self.centre / max(radius, TINY), 0.0) * self.sizes[:, None]
        gained = a[:, None] * np.where(active, v, 0.0) + growth[:, None] * np.where(was & active, self.centre, 0.0)
        return p, a, active, -(self.signs[:, None] * (gained - lost)).sum(axis=0)

    def _growth(self, v: FloatArray, a: FloatArray, radius: float) -> FloatArray:
        """(m,): (a − a*)/ρ, from a² − a*² = ρ(2⟨p*, v⟩ + ρ|v|²)."""
        together = a + self.sizes
        change = 2 * (self.centre * v).sum(axis=1) + radius * (v * v).sum(axis=1)
        from_zero = np.linalg.norm(v, axis=1)
        return np.asarray(np.where(together > TINY, change / np.maximum(together, TINY), from_zero))

    def distance(self, v: FloatArray, radius: float) -> float:
        """‖θ − θ*‖/ρ over hidden and output weights."""
        growth = self._growth(v, np.linalg.norm(self.centre + radius * v, axis=1), radius)
        return float(np.sqrt((v * v).sum() + (growth * growth).sum()))

    def ratio(self, v: FloatArray, radius: float) -> float:
        """‖∇L‖²/L at θ(v); infinite where the loss vanishes."""
        p, a, active, r = self._parts(v, radius)
        square = float(r @ r)
        if square == 0:
            return np.inf
        hidden = a[:, None] * np.where(active, r, 0.0)
        outer = (np.where(active, p, 0.0) * r).sum(axis=1)
        return 2 * float((hidden * hidden).sum() + outer @ outer) / (self.n * square)

    def gradient(self, v: FloatArray, radius: float) -> FloatArray:
        """(m, n): slope of the ratio in v within the present activation pattern, where the loss is not zero."""
        p, a, active, r = self._parts(v, radius)
        square = float(r @ r)
        positive, sided = np.where(active, p, 0.0), np.where(active, r, 0.0)
        outer = positive @ r
        hidden = (sided * sided).sum(axis=1)
        numerator = float((a * a) @ hidden + outer @ outer)
        kernel = ((a * a)[:, None] * sided).sum(axis=0) + outer @ positive
        pull = 2 * (kernel - numerator / square * r) / square
        through_p = 2 * (p * hidden[:, None] + outer[:, None] * sided) / square
        unit = p / np.where(a > 0, a, 1.0)[:, None]
        outputs = a[:, None] * np.where(active, pull, 0.0) + unit * (positive @ pull)[:, None]
        return np.asarray(2 / self.n * (radius * through_p - self.signs[:, None] * outputs))


def project(local: LocalNetworks, v: FloatArray, radius: float) -> FloatArray:
    """The displacement shortened, if need be, until θ(v) lies in the ball of the given radius."""
    distance = local.distance(v, radius)
    while distance > 1:
        v = v * (0.999999 / distance)
        distance = local.distance(v, radius)
    return v


def smallest_ratio(local: LocalNetworks, radius: float, rng: np.random.Generator) -> float:
    """The smallest ratio found over balanced θ in the ball: projected descent from the best of many starts.

    Starts are random, and for each sign the displacements that put the residual on the slowest mode: towards labels
    e ⟂ ŷ of that sign, v_j = −s_j a_j e. In a small ball these reach the infimum 2‖D‖.
    """
    draws = [rng.normal(size=local.centre.shape) for _ in range(DRAWS)]
    slow = [project(local, v / np.linalg.norm(v), radius) for v in _slow_modes(local)]
    starts = sorted((project(local, v, radius) for v in draws), key=lambda v: local.ratio(v, radius))
    return min(_descend(local, v, radius) for v in slow + starts[:DESCENTS])


def _slow_modes(local: LocalNetworks) -> list[FloatArray]:
    out = []
    for sign in (1.0, -1.0):
        side = local.signs == sign
        target = local.centre[side].sum(axis=0)
        labels = np.flatnonzero(target > 0)
        for first, second in pairwise(labels):
            across = np.zeros_like(target)
            across[first], across[second] = target[second], -target[first]
            out.append(np.outer(np.where(side, -local.signs * local.sizes, 0.0), across))
    return out


def _descend(local: LocalNetworks, v: FloatArray, radius: float) -> float:
    best, length = local.ratio(v, radius), 0.3
    for _ in range(STEPS):
        slope = local.gradient(v, radius)
        size = float(np.linalg.norm(slope))
        if size == 0 or length < 1e-4:
            break
        trial = project(local, v - length * slope / size, radius)
        value = local.ratio(trial, radius)
        if value < best:
            v, best, length = trial, value, 1.3 * length
        else:
            length /= 2
    return best
