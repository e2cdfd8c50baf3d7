"""The Polyak-Łojasiewicz ratio near a minimal-norm interpolator: exact to any distance, and its minimum over a ball."""

from __future__ import annotations

from dataclasses import dataclass, fields
from itertools import pairwise

import numpy as np

from verify.dataset import Dataset
from verify.notation import BoolArray, FloatArray

DRAWS = 64
DESCENTS = 8
STEPS = 60

NEAR = 1e-3
"""A ratio this near, relatively, to what no network of the ball can be below is not worth a further step down."""

TINY = np.finfo(np.float64).tiny


@dataclass(frozen=True)
class Place:
    """One or many of the networks θ(v): ``v``, ``p`` (…, m, n); ``a`` (…, m): |a|; ``active`` (…, m, n), 1 or 0;
    ``residual`` (…, n): r/ρ.
    """

    v: FloatArray
    p: FloatArray
    a: FloatArray
    active: FloatArray
    residual: FloatArray

    def __getitem__(self, keep: BoolArray) -> Place:
        """Some of many."""
        return Place(*(getattr(self, field.name)[keep] for field in fields(self)))

    def where(self, which: BoolArray, other: Place) -> Place:
        """Those of ``other`` where ``which``, these elsewhere."""
        pairs = [(getattr(other, field.name), getattr(self, field.name)) for field in fields(self)]
        return Place(*(np.where(which.reshape(-1, *[1] * (new.ndim - 1)), new, old) for new, old in pairs))


@dataclass(frozen=True)
class LocalNetworks:
    """Balanced networks p = p* + ρ v around an interpolator, with coordinates p_jk = ⟨w_j, x_k⟩. [D]

    - ``centre`` (m, n): p*. ``sizes`` (m,): |a*_j| = ‖p*_j‖. ``signs`` (m,). ``n``: labels.
    - ``active`` (m, n): whether p*_jk > 0.

    Displacements v (…, m, n), one or many, are of order one and ρ is the radius: the residual is evaluated as ρ times a
    number of order one, without ever subtracting outputs from labels, so that ρ = 10⁻³⁰⁰ is as good as ρ = 1.
    Displacements orthogonal to all inputs only enlarge |a_j| and with it the ratio, so they are left out.
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

    def at(self, v: FloatArray, radius: float) -> Place:
        """θ(v), the residual without cancellation."""
        p = self.centre + radius * v
        a = _norms(p)
        was = self.centre > 0
        active = np.where(was, p > 0, v > 0).astype(np.float64)
        growth = self._growth((self.centre * v).sum(axis=-1), (v * v).sum(axis=-1), a, radius)
        whole = np.where(was & (active == 0), self.centre, 0.0)
        lost = whole / max(radius, TINY) * self.sizes[:, None]
        gained = active * (a[..., None] * v + growth[..., None] * self.centre)
        return Place(v, p, a, active, np.asarray(-(self.signs[:, None] * (gained - lost)).sum(axis=-2)))

    def _growth(self, along: FloatArray, square: FloatArray, a: FloatArray, radius: float) -> FloatArray:
        """(…, m): (a − a*)/ρ, from a² − a*² = ρ(2⟨p*, v⟩ + ρ|v|²), ``along`` = ⟨p*, v⟩, ``square`` = |v|²."""
        together = a + self.sizes
        change = 2 * along + radius * square
        return np.asarray(np.where(together > TINY, change / np.maximum(together, TINY), np.sqrt(square)))

    def distance(self, v: FloatArray, radius: float) -> FloatArray:
        """(…): ‖θ − θ*‖/ρ over hidden and output weights."""
        return self.distance_of((self.centre * v).sum(axis=-1), (v * v).sum(axis=-1), radius)

    def distance_of(self, along: FloatArray, square: FloatArray, radius: float) -> FloatArray:
        """As :meth:`distance`, from ⟨p*, v⟩ and |v|² (…, m)."""
        a = np.sqrt(np.maximum(self.sizes**2 + radius * (2 * along + radius * square), 0.0))
        growth = self._growth(along, square, a, radius)
        return np.asarray(np.sqrt((square + growth * growth).sum(axis=-1)))

    def ratio(self, v: FloatArray, radius: float) -> FloatArray:
        """(…): ‖∇L‖²/L at θ(v); infinite where the loss vanishes."""
        return self.ratio_at(self.at(v, radius))

    def ratio_at(self, place: Place) -> FloatArray:
        """As :meth:`ratio`."""
        a, r = place.a, place.residual
        square = (r * r).sum(axis=-1)
        hidden = (a * a * (place.active @ (r * r)[..., None])[..., 0]).sum(axis=-1)
        outer = ((place.active * place.p) @ r[..., None])[..., 0]
        speed = hidden + (outer * outer).sum(axis=-1)
        return np.where(square == 0, np.inf, 2 * speed / (self.n * np.where(square == 0, 1.0, square)))[()]

    def gradient(self, v: FloatArray, radius: float) -> FloatArray:
        """(…, m, n): slope of the ratio in v within the present activation pattern, where the loss is not zero."""
        return self.gradient_at(self.at(v, radius), radius)

    def gradient_at(self, place: Place, radius: float) -> FloatArray:
        """As :meth:`gradient`."""
        p, a, active, r = place.p, place.a, place.active, place.residual
        square = (r * r).sum(axis=-1)[..., None]
        positive, sided = active * p, active * r[..., None, :]
        outer = (positive @ r[..., None])[..., 0]
        hidden = (sided * sided).sum(axis=-1)
        numerator = ((a * a * hidden).sum(axis=-1) + (outer * outer).sum(axis=-1))[..., None]
        kernel = ((a * a)[..., None] * sided).sum(axis=-2) + (outer[..., None, :] @ positive)[..., 0, :]
        pull = 2 * (kernel - numerator / square * r) / square
        through_p = 2 * (p * hidden[..., None] + outer[..., None] * sided) / square[..., None]
        unit = p / np.where(a > 0, a, 1.0)[..., None]
        outputs = a[..., None] * active * pull[..., None, :] + unit * (positive @ pull[..., None])
        return np.asarray(2 / self.n * (radius * through_p - self.signs[:, None] * outputs))


def _norms(rows: FloatArray) -> FloatArray:
    return np.asarray(np.sqrt((rows * rows).sum(axis=-1)))


def project(local: LocalNetworks, v: FloatArray, radius: float) -> FloatArray:
    """The displacements (…, m, n) shortened, if need be, until θ(v) lies in the ball of the given radius."""
    along, square = (local.centre * v).sum(axis=-1), (v * v).sum(axis=-1)
    factor = np.ones((*v.shape[:-2], 1))
    while True:
        distance = local.distance_of(factor * along, factor * factor * square, radius)[..., None]
        if not (distance > 1).any():
            return v if (factor == 1).all() else v * factor[..., None]
        factor = factor * np.where(distance > 1, 0.999999 / np.maximum(distance, 1.0), 1.0)


def smallest_ratio(local: LocalNetworks, radius: float, rng: np.random.Generator) -> float:
    """The smallest ratio found over balanced θ in the ball, by :func:`lowest`."""
    return lowest(local, radius, rng)[0]


def lowest(local: LocalNetworks, radius: float, rng: np.random.Generator) -> tuple[float, FloatArray]:
    """The smallest ratio found over balanced θ in the ball, and the displacement (m, n) that has it.

    By projected descent from the best of many starts: random ones, and for each sign the displacements that put the
    residual on the slowest mode: towards labels e ⟂ ŷ of that sign, v_j = −s_j a_j e. In a small ball these reach the
    infimum 2‖D‖. Down from one that is ``NEAR`` to :func:`provable_ratio` there is nothing left to find.
    """
    draws = project(local, rng.normal(size=(DRAWS, *local.centre.shape)), radius)
    best = np.argsort(local.ratio(draws, radius), kind="stable")[:DESCENTS]
    slow = [project(local, v / np.linalg.norm(v), radius) for v in _slow_modes(local)]
    ratios, found = _descend(local, np.array([*slow, *draws[best]]), radius)
    least = int(ratios.argmin())
    return float(ratios[least]), found[least]


def provable_ratio(local: LocalNetworks, radius: float) -> float:
    """(2/n) min_k (‖a* on J_k‖ − ρ)₊², J_k the neurons that no displacement of length ρ can switch off at label k. [D]

    No balanced θ within ρ of θ* has a smaller ratio: ‖∇L‖² ≥ Σ_j a_j²‖D_j‖² = Σ_k (r_k/n)² Σ_{j active at k} a_j², and
    the vector of all a_j moves by at most ρ.
    """
    kept = np.sqrt((np.where(local.centre > radius, local.sizes[:, None], 0.0) ** 2).sum(axis=0))
    return 2 / local.n * float(np.maximum(kept - radius, 0.0).min()) ** 2


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


def _descend(local: LocalNetworks, v: FloatArray, radius: float) -> tuple[FloatArray, FloatArray]:
    """The smallest ratio on each of the ways down from the starts (S, m, n), and where: (S,) and (S, m, n)."""
    place = local.at(v, radius)
    best, length = local.ratio_at(place), np.full(len(v), 0.3)
    least, found = best.copy(), v.copy()
    rows = np.arange(len(v))
    floor = (1 + NEAR) * provable_ratio(local, radius)
    for _ in range(STEPS):
        if least.min() <= floor:
            break
        slope = local.gradient_at(place, radius)
        size = np.sqrt((slope * slope).sum(axis=(-1, -2)))
        going = (size > 0) & (length >= 1e-4)
        place, rows, best = place[going], rows[going], best[going]
        length, slope, size = length[going], slope[going], size[going]
        if not len(rows):
            break
        trial = local.at(project(local, place.v - (length / size)[:, None, None] * slope, radius), radius)
        value = local.ratio_at(trial)
        better = value < best
        place, best = place.where(better, trial), np.where(better, value, best)
        least[rows], found[rows] = best, place.v
        length = length * np.where(better, 1.3, 0.5)
    return least, found
