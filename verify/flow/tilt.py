"""What outputs off the target do to neurons aligned with it while these fit it.

Neurons that know only some of the labels, and what is left off the target of those that know them all, have outputs d
across it. They are negligible beside the labels, but all there is across; and the residual across, d − uι, tilts every
aligned neuron by the same angle ι, which obeys ι' = (d − ‖y‖ι)/n. On the clock of the fit d is a sum of exponentials,
powers of the share w = u/‖y‖ that is fitted, and each of them has an answer in closed form. [D]
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from verify.flow.arithmetic import Arithmetic, Array
from verify.flow.ledger import Ledger
from verify.flow.polynomial import powers_of


@dataclass(frozen=True)
class Tilt:
    """The answer to d = Σ_c entries_c w^(c/2), from the share ``begin`` on, where there is none yet.

    With y = ‖y‖ι and v = 1 − w the equation is 2wv dy/dw = d − y. A term w^(c/2) has a solution w^(c/2) P(w), and
    another w^(c/2) Q(v), which are hypergeometric series of radius 1: the first is taken up to w = 1/2, the second
    beyond. They differ by a multiple of (v/w)^(1/2), the solution without d.

    ``exponents`` (C,): c > −1; ``entries`` (C, l): amplitudes at w = 1, l coordinates across.
    """

    exponents: Array
    entries: Array
    begin: Any
    arithmetic: Arithmetic

    def at(self, w: Any, v: Any) -> tuple[Array, Array]:
        """y and the residual d − wy, both (…, l), at the shares ``w``, ``v`` = 1 − w (…)."""
        w, v = np.asarray(w)[..., None], np.asarray(v)[..., None]
        late = np.asarray(w > 0.5, dtype=bool)
        powers = powers_of(np.where(late, v, w)[..., 0], self._size)
        first, second, third = (powers @ series for series in self._series)
        sizes = self._sizes(w)
        free, root = np.where(late, *self._free[::-1]), self.arithmetic.sqrt(w * v)
        tilt = (sizes * np.where(late, second, first)) @ self.entries + free * root / w
        return tilt, (sizes * np.where(late, v * third, 1 - w * first)) @ self.entries - free * root

    @cached_property
    def _size(self) -> int:
        """Terms of a series at an argument of at most 1/2."""
        return self.arithmetic.bits + 8

    @cached_property
    def _series(self) -> tuple[Array, Array, Array]:
        """(N, C): the coefficients of P, of Q, and of (1 − wQ)/v, in which nothing cancels."""
        c, k = self.exponents, np.arange(1, self._size)[:, None]
        p = np.multiply.accumulate(np.vstack([1 / (1 + c), (2 * k - 2 + c) / (2 * k + 1 + c)]))
        q = np.multiply.accumulate(np.vstack([1 + 0 * c, (2 * k - 2 + c) / (2 * k - 1)]))
        s = q * (1 - c) / (2 * np.arange(self._size)[:, None] + 1)
        return p, q, s

    @cached_property
    def _free(self) -> tuple[Array, Array]:
        """(l,): the multiples of (v/w)^(1/2) up to w = 1/2, where y begins at 0, and beyond."""
        w, half = self.begin, self.arithmetic.number(0.5)
        p, q, _ = self._series
        start = (self._sizes(w) * (powers_of(w, self._size) @ p)) @ self.entries
        early = -start * self.arithmetic.sqrt(w / (1 - w))
        return early, early + (self._sizes(half) * (powers_of(half, self._size) @ (p - q))) @ self.entries

    def _sizes(self, w: Any) -> Array:
        """(…, C): w^(c/2)."""
        return self.arithmetic.exp(self.exponents * self.arithmetic.log(w) / 2)


def tilt_of(ledger: Ledger, mass: Array, begin: Any, tolerance: Any) -> tuple[Tilt, Any] | None:
    """The tilt of the neurons in a ledger without deactivations, and the logarithm of the unit of its entries.

    A neuron's output across is e^``mass`` (k,) times (plus e^x + minus e^−x)/2 times its part across, with x its
    rapidity; what falls is left out. None where that counts. ``begin``: the share that is fitted now.
    """
    component, rows, arithmetic = ledger.component, ledger.rows, ledger.component.arithmetic
    full, across = component.active.all(axis=1), component.frame.off_axis
    growth = np.where(full, 1 + 0 * rows.rate, rows.rate / rows.rate[full][0])
    still, along = (component.along_axes(part)[:, across] for part in (rows.off, rows.direction))
    there = (rows.off != 0).any(axis=1)
    size = np.concatenate([mass + np.where(there, rows.log_off - rows.log_scale, 0 * mass), mass])
    exponent = np.concatenate([growth, 2 * growth])
    rising, falling = (
        np.concatenate([still * part[:, None] / 2, along * (part * part)[:, None] / 4])
        for part in (rows.plus, rows.minus)
    )
    size = size - exponent * arithmetic.log(begin) / 2
    unit = _unit(rising, size, arithmetic)
    heard = (rising != 0).any(axis=1)
    scale = arithmetic.exp(np.where(heard, size - unit, 0 * size))[:, None]
    exponents = np.unique(exponent)
    tilt = Tilt(exponents, -((exponent == exponents[:, None]) @ (rising * scale)), begin, arithmetic)
    left_out = (abs(falling) * scale * arithmetic.exp(exponent * arithmetic.log(begin) / 2)[:, None]).sum()
    kept = abs(tilt.at(begin, 1 - begin)[1]).max()
    return (tilt, unit) if left_out <= tolerance * kept else None


def _unit(entries: Array, size: Array, arithmetic: Arithmetic) -> Any:
    """A logarithm that ``entries`` (N, l) times e^``size`` (N,) can be measured in, without under- or overflow."""
    if arithmetic.wide:
        return arithmetic.number(0)
    top = (size + arithmetic.magnitude(entries).max(axis=1)).max(initial=-np.inf)
    return top if top > -np.inf else 0.0
