"""What neurons that wait for other labels do to a fitted residual: they push it while they grow.

On a plateau the residual of the fitted labels obeys r' = −K r/n − g', where g are the outputs there of the neurons
that a standing residual elsewhere moves. Such a neuron's coordinates on fitted labels stand still and its output weight
is a sum of two exponentials, so that g, and with it r, has a closed form. [D, from section 2.3]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from verify.flow.arithmetic import Arithmetic, Array
from verify.flow.ledger import Ledger
from verify.flow.modes import Decay, Modes, gathered
from verify.notation import BoolArray


@dataclass(frozen=True)
class Forcing:
    """g(t) = Σ_f entries_f e^(log_size_f + rate_f (t − begin_f)), each term f from begin_f to end_f.

    ``entries`` (F, b) along the axes, in the units of the decay; ``log_size``, ``rate``, ``begin``, ``end`` (F,).
    """

    entries: Array
    log_size: Array
    rate: Array
    begin: Array
    end: Array

    def response(self, decay: Decay, t: Any) -> tuple[Array, Array]:
        """Parts (…, b, F·b) and exponents (…, 1, F·b), whose gathered sum is the residual due to g at times t (…).

        A term adds −rate entries ∫ e^(−K(t−s)/n) e^(rate (s − begin)) ds, from begin to the earlier of t and end.
        """
        t = np.asarray(t)[..., None]
        until = np.where(t < self.end, t, self.end)
        length = np.where(until > self.begin, until - self.begin, 0 * until)
        mean, exponent = _integral(decay.rates, self.rate, length, decay.arithmetic)
        exponent = exponent - decay.rates * (t - until)[..., None] + self.log_size[:, None]
        content = np.moveaxis(decay.content(-self.rate[:, None] * self.entries), 0, 1)
        parts = content * (mean * length[..., None])[..., None, :, :]
        shape = (*parts.shape[:-2], -1)
        return parts.reshape(shape), exponent.reshape((*exponent.shape[:-2], 1, -1))


@dataclass(frozen=True)
class FittedResidual:
    """The residual of the fitted labels from the time ``begin`` on: its own decay, and the response to a forcing."""

    begin: Any
    decay: Decay
    modes: Modes
    forcing: Forcing | None

    def at(self, t: Any) -> tuple[Array, Array]:
        """Entries (…, b) along the axes at the times ``t`` (…) and the logarithms of their units."""
        parts, exponents = self.modes.parts(t - self.begin)
        if self.forcing is not None:
            more, at_rates = self.forcing.response(self.decay, t)
            parts, exponents = np.concatenate([parts, more], axis=-1), np.concatenate([exponents, at_rates], axis=-1)
        entries, unit = gathered(parts, exponents, self.decay.arithmetic)
        return entries, unit + self.decay.log_unit


def _integral(decay: Array, growth: Array, length: Array, arithmetic: Arithmetic) -> tuple[Array, Array]:
    """∫ e^(−decay (length − s) + growth s) ds over [0, length], over the length: factor and exponent, (…, F, b)."""
    z = (decay + growth[:, None]) * length[..., None]
    size = np.where(z == 0, 0 * z + 1, abs(z))
    factor = np.where(z == 0, 0 * z + 1, -arithmetic.expm1(-size) / size)
    return factor, growth[:, None] * length[..., None] + np.where(z < 0, -z, 0 * z)


def forcing_of(ledger: Ledger, fitted: BoolArray, log_unit: Array) -> Forcing | None:
    """The terms of all neurons that move and are active on a fitted label; None when there are none.

    ``log_unit`` (b,): units of the fitted coordinates.
    """
    component, rows, arithmetic = ledger.by_row, ledger.rows, ledger.component.arithmetic
    moving = np.asarray(rows.rate > 0, dtype=bool) & component.active[:, fitted].any(axis=1)
    if not moving.any():
        return None
    there = (rows.off != 0).any(axis=1)
    shrink = arithmetic.exp(np.where(there, rows.log_off - rows.log_scale, 0 * rows.log_scale))
    still = component.along_axes(rows.off * shrink[:, None])[:, fitted]
    still, log_size = _in_units(still, 2 * (rows.log_scale - component.minus_log_lambda), log_unit, arithmetic)
    columns = []
    for part, sign in ((rows.plus, 1), (rows.minus, -1)):
        entries = (component.signs * part / 2)[:, None] * still
        columns.append([x[moving] for x in (entries, log_size, sign * rows.rate, rows.start, ledger.end)])
    return Forcing(*(np.concatenate(column) for column in zip(*columns, strict=True)))


def _in_units(still: Array, log_mass: Array, log_unit: Array, arithmetic: Arithmetic) -> tuple[Array, Array]:
    """Coordinates (k, b) times e^log_mass (k,), in units of e^log_unit (b,): numbers of order one, and their sizes."""
    logs = np.where(still != 0, log_mass[:, None] - log_unit, -np.inf)
    top = logs.max(axis=1, initial=-np.inf)
    top = np.where(top > -np.inf, top, 0 * log_mass)
    return still * arithmetic.exp(np.where(still != 0, logs - top[:, None], 0 * still)), top
