"""Decay of a converged residual: r' = −K r/n with a constant matrix, a sum of modes in units of their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from verify.flow.arithmetic import Arithmetic, Array
from verify.flow.boost import to_float
from verify.notation import BoolArray, FloatArray

WEAK = 1e-8
"""Coupling between axis and off-axis coordinates, relative to their gap, whose square is below rounding."""


@dataclass(frozen=True)
class Modes:
    """r_i(τ) = e^(log_unit_i) Σ_k content_ik e^(−rate_k τ).

    ``rates`` (b,); ``content`` (b, b): what each mode gives each coordinate; ``log_unit`` (b,).
    """

    rates: Array
    content: Array
    log_unit: FloatArray
    arithmetic: Arithmetic

    def at(self, tau: Any) -> tuple[Array, Array]:
        """Entries (…, b) after the times ``tau`` (…) and the logarithms of their units."""
        fall = self.rates * np.asarray(tau)[..., None]
        sizes = self.arithmetic.magnitude(self.content) - to_float(fall)[..., None, :]
        top = sizes.max(axis=-1)
        top = np.where(np.isfinite(top), top, 0.0)
        entries = (np.sign(to_float(self.content)) * self.arithmetic.exp(sizes - top[..., None])).sum(axis=-1)
        return entries, top + self.log_unit

    def time_below(self, log_size: float) -> float:
        """When every mode has fallen below e^log_size in every coordinate."""
        sizes = (self.arithmetic.magnitude(self.content) + self.log_unit[:, None]).max(axis=0, initial=-np.inf)
        rates = to_float(self.rates)
        waits = [(s - log_size) / v for s, v in zip(sizes, rates, strict=True) if s > log_size and v > 0]
        return max(waits, default=0.0)


def decay_modes(
    kernel: Array, entries: Array, off_axis: BoolArray, log_unit: float, n: int, arithmetic: Arithmetic
) -> Modes:
    """The modes of the tangent matrix ``kernel`` (b, b) with initial ``entries`` (b,).

    Off-axis coordinates are in units of e^log_unit. Where they are weakly coupled to the others (always, if that unit
    is tiny) both are diagonalised on their own and joined to first order: rounding of one never enters the other.
    """
    units = np.where(off_axis, log_unit, 0.0)
    if not off_axis.any() or off_axis.all():
        values, vectors = arithmetic.eigh(kernel)
        return Modes(values / n, vectors * (vectors.T @ entries), units, arithmetic)
    split = _split(kernel, off_axis, arithmetic)
    if split is None:
        values, vectors = arithmetic.eigh((kernel + kernel.T) / 2)
        return Modes(values / n, vectors * (vectors.T @ entries), units, arithmetic)
    values, vectors = split
    return Modes(values / n, vectors * _amplitudes(vectors, entries, off_axis), units, arithmetic)


def _split(kernel: Array, off: BoolArray, arithmetic: Arithmetic) -> tuple[Array, Array] | None:
    """Rates and vectors of axis and off-axis blocks, coupled to first order; None where that is not good enough."""
    on = ~off
    alpha, v = arithmetic.eigh(kernel[np.ix_(on, on)])
    beta, w = arithmetic.eigh(kernel[np.ix_(off, off)])
    gap = alpha[None, :] - beta[:, None]
    down = w.T @ kernel[np.ix_(off, on)] @ v
    up = (w.T @ kernel[np.ix_(on, off)].T @ v).T
    tiny = to_float(abs(kernel).max()) * 1e-300
    if not (to_float(abs(up * down.T)) <= WEAK**2 * to_float(gap * gap).T + tiny).all() or (to_float(gap) == 0).any():
        return None
    vectors = kernel * 0
    vectors[np.ix_(on, np.arange(len(alpha)))] = v
    vectors[np.ix_(off, np.arange(len(alpha)))] = w @ (down / gap)
    vectors[np.ix_(off, len(alpha) + np.arange(len(beta)))] = w
    vectors[np.ix_(on, len(alpha) + np.arange(len(beta)))] = -v @ (up / gap.T)
    return np.concatenate([alpha, beta]), vectors


def _amplitudes(vectors: Array, entries: Array, off: BoolArray) -> Array:
    """Coefficients of the vectors in ``entries``, from the blocks' orthogonality, first order in the coupling."""
    on = ~off
    count = int(on.sum())
    v, w = vectors[np.ix_(on, np.arange(count))], vectors[np.ix_(off, np.arange(count, len(off)))]
    first = v.T @ entries[on]
    second = w.T @ (entries[off] - vectors[np.ix_(off, np.arange(count))] @ first)
    first = first - v.T @ vectors[np.ix_(on, np.arange(count, len(off)))] @ second
    return np.concatenate([first, second])
