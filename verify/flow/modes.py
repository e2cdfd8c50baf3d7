"""Decay of a converged residual: r' = −K r/n with a constant matrix, a sum of modes in units of their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from verify.flow.arithmetic import Arithmetic, Array
from verify.flow.boost import to_float
from verify.notation import BoolArray, FloatArray

WEAK = 0.01
"""Largest coupling between axis and off-axis coordinates, relative to their gap, that is taken out by iteration."""

MOST_ROUNDS = 10_000
"""Rounds of that iteration; each gains at least the factor WEAK²."""


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
        if self.arithmetic.wide:
            return self.arithmetic.exp(-fall) @ self.content.T, self.log_unit + 0 * fall
        sizes = self.arithmetic.magnitude(self.content) - fall[..., None, :]
        top = sizes.max(axis=-1)
        top = np.where(np.isfinite(top), top, 0.0)
        entries = (np.sign(self.content) * self.arithmetic.exp(sizes - top[..., None])).sum(axis=-1)
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
    is tiny) the invariant subspaces next to both kinds are found first: rounding of one never enters the other.
    """
    units = np.where(off_axis, log_unit, 0.0)
    split = None
    if off_axis.any() and not off_axis.all():
        split = _split(kernel, entries, off_axis, arithmetic.exp(arithmetic.number(2 * log_unit)), arithmetic)
    if split is None:
        values, vectors = arithmetic.eigh((kernel + kernel.T) / 2)
        return Modes(values / n, vectors * (vectors.T @ entries), units, arithmetic)
    return Modes(split[0] / n, split[1], units, arithmetic)


def _split(
    kernel: Array, entries: Array, off: BoolArray, square: Any, arithmetic: Arithmetic
) -> tuple[Array, Array] | None:
    """Rates and content by invariant subspaces; None where the coupling is too strong. ``square``: the unit squared.

    The subspace {(u, Xu)} next to the axis coordinates satisfies the Riccati equation DX − XA + C − XCᵀX = 0, with A
    and D the diagonal blocks and C the coupling; {(−Xᵀu, u)} is its complement. [Golub & Van Loan, section 8.1]
    """
    on = ~off
    a, d, c = kernel[np.ix_(on, on)], kernel[np.ix_(off, off)], kernel[np.ix_(off, on)]
    x = _riccati(a, d, c, square, arithmetic)
    if x is None:
        return None
    b = len(entries)
    content = np.empty((b, b), dtype=kernel.dtype)
    cross = square * (c.T @ x)
    inner = a + cross + cross.T + square * (x.T @ d @ x)
    start = entries[on] + square * (x.T @ entries[off])
    alpha, first = _modes_of(inner, x.T @ x * square, start, arithmetic)
    cross = square * (x @ c.T)
    inner = d - cross - cross.T + square * (x @ a @ x.T)
    beta, second = _modes_of(inner, x @ x.T * square, entries[off] - x @ entries[on], arithmetic)
    count = len(alpha)
    content[np.ix_(on, np.arange(count))] = first
    content[np.ix_(off, np.arange(count))] = x @ first
    content[np.ix_(on, np.arange(count, b))] = -square * (x.T @ second)
    content[np.ix_(off, np.arange(count, b))] = second
    return np.concatenate([alpha, beta]), content


def _riccati(a: Array, d: Array, c: Array, square: Any, arithmetic: Arithmetic) -> Array | None:
    """X by fixed-point iteration in the eigenbases of the diagonal blocks, or None when it would not contract."""
    alpha, v = arithmetic.eigh(a)
    beta, w = arithmetic.eigh(d)
    gap = alpha[None, :] - beta[:, None]
    coupling = w.T @ c @ v
    if (gap == 0).any() or not (square * (coupling / gap) ** 2 <= WEAK**2 / len(c)).all():
        return None
    x = coupling / gap
    if square == 0 or not (x != 0).any():
        return w @ x @ v.T
    for _ in range(MOST_ROUNDS):
        following = (coupling - square * (x @ coupling.T @ x)) / gap
        if (abs(following - x) <= arithmetic.epsilon * abs(x).max()).all():
            return w @ following @ v.T
        x = following
    return None


def _modes_of(inner: Array, gram: Array, start: Array, arithmetic: Arithmetic) -> tuple[Array, Array]:
    """Rates and content of a subspace with metric I + ``gram`` in which the matrix is ``inner``.

    With I + gram = LLᵀ the symmetric matrix L⁻¹ inner L⁻ᵀ = UσUᵀ; a start s (metric applied) has the content
    L⁻ᵀU diag(UᵀL⁻¹s).
    """
    inverse = _inverse_cholesky(gram, arithmetic)
    symmetric = inverse @ inner @ inverse.T
    rates, u = arithmetic.eigh((symmetric + symmetric.T) / 2)
    return rates, (inverse.T @ u) * (u.T @ (inverse @ start))


def _inverse_cholesky(gram: Array, arithmetic: Arithmetic) -> Array:
    """L⁻¹ for LLᵀ = I + gram, by rows."""
    size = len(gram)
    inverse = arithmetic.array(np.eye(size))
    for i in range(size):
        row = inverse[i].copy()
        for k in range(i):
            row = row - (inverse[k] @ gram[:, i] + inverse[k, i]) * inverse[k]
        norm = row @ row + row @ gram @ row
        inverse[i] = row / arithmetic.sqrt(norm)
    return inverse
