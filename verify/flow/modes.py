"""Decay of a converged residual: r' = −K r/n with a constant matrix, a sum of modes in units of their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from verify.flow.arithmetic import Arithmetic, Array, to_float
from verify.notation import BoolArray, FloatArray

WEAK = 0.01
"""Largest coupling between axis and off-axis coordinates, relative to their gap, that is taken out by iteration."""

MOST_ROUNDS = 10_000
"""Rounds of that iteration; each gains at least the factor WEAK²."""


Basis = tuple[Array, Array]
"""Eigenvalues and eigenvectors (columns)."""


@dataclass(frozen=True)
class Decay:
    """The linear map e^(−Kτ/n) = Σ_q v_q e^(−rate_q τ) u_qᵀ.

    ``rates`` (b,); ``vectors`` (b, b): v_q as columns; ``duals`` (b, b): u_q as rows; ``log_unit`` (b,): logarithms
    of the units of the coordinates.
    """

    rates: Array
    vectors: Array
    duals: Array
    log_unit: FloatArray
    arithmetic: Arithmetic

    def content(self, entries: Array) -> Array:
        """(…, b, b): what each mode (last axis) gives each coordinate, starting from ``entries`` (…, b)."""
        return self.vectors * (entries @ self.duals.T)[..., None, :]


@dataclass(frozen=True)
class Modes:
    """r_i(τ) = e^(log_unit_i) Σ_q content_iq e^(−rate_q τ).

    ``rates`` (b,); ``content`` (b, b): what each mode gives each coordinate; ``log_unit`` (b,).
    """

    rates: Array
    content: Array
    log_unit: FloatArray
    arithmetic: Arithmetic

    def at(self, tau: Any) -> tuple[Array, Array]:
        """Entries (…, b) after the times ``tau`` (…) and the logarithms of their units."""
        entries, unit = gathered(*self.parts(tau), self.arithmetic)
        return entries, unit + self.log_unit

    def parts(self, tau: Any) -> tuple[Array, Array]:
        """What is to be gathered at the times ``tau`` (…): parts (…, b, b) and exponents (…, 1, b)."""
        exponents = -self.rates * np.asarray(tau)[..., None, None]
        return self.content + 0 * exponents, exponents

    def time_below(self, log_size: float) -> float:
        """When every mode has fallen below e^log_size in every coordinate."""
        sizes = (self.arithmetic.magnitude(self.content) + self.log_unit[:, None]).max(axis=0, initial=-np.inf)
        rates = to_float(self.rates)
        waits = [(s - log_size) / v for s, v in zip(sizes, rates, strict=True) if s > log_size and v > 0]
        return max(waits, default=0.0)


def gathered(parts: Array, exponents: Array, arithmetic: Arithmetic) -> tuple[Array, Array]:
    """Σ parts·e^exponents over the last axis, and the logarithms of the units in which these sums are given."""
    if arithmetic.wide:
        total = (parts * arithmetic.exp(exponents)).sum(axis=-1)
        return total, 0 * total
    sizes = arithmetic.magnitude(parts) + exponents
    top = sizes.max(axis=-1, initial=-np.inf)
    top = np.where(np.isfinite(top), top, 0.0)
    return (np.sign(parts) * np.exp(sizes - top[..., None])).sum(axis=-1), top


def modes_of(decay: Decay, entries: Array) -> Modes:
    """The modes that start from ``entries`` (b,)."""
    return Modes(decay.rates, decay.content(entries), decay.log_unit, decay.arithmetic)


def decay_of(kernel: Array, off_axis: BoolArray, log_unit: float, n: int, arithmetic: Arithmetic) -> Decay:
    """The decay under the tangent matrix ``kernel`` (b, b), off-axis coordinates in units of e^log_unit.

    Where axis and off-axis coordinates are weakly coupled (always, if that unit is tiny) the invariant subspaces next
    to both kinds are found first: rounding of one never enters the other.
    """
    units = np.where(off_axis, log_unit, 0.0)
    split = None
    if off_axis.any() and not off_axis.all():
        split = _split(kernel, off_axis, arithmetic.exp(arithmetic.number(2 * log_unit)), arithmetic)
    if split is None:
        values, vectors = arithmetic.eigh((kernel + kernel.T) / 2)
        split = values, vectors, vectors.T
    values, vectors, duals = split
    return Decay(values / n, vectors, duals, units, arithmetic)


def _split(kernel: Array, off: BoolArray, square: Any, arithmetic: Arithmetic) -> tuple[Array, Array, Array] | None:
    """Rates, vectors and duals by invariant subspaces; None where the coupling is too strong. ``square``: unit².

    The subspace {(u, Xu)} next to the axis coordinates satisfies the Riccati equation DX − XA + C − XCᵀX = 0, with A
    and D the diagonal blocks and C the coupling; {(−Xᵀu, u)} is its complement. [Golub & Van Loan, section 8.1]
    """
    along, across = np.flatnonzero(~off), np.flatnonzero(off)
    axes, sides = along[:, None], across[:, None]
    a, d, c = kernel[axes, along], kernel[sides, across], kernel[sides, along]
    (alpha, first), (beta, second) = arithmetic.eigh(a), arithmetic.eigh(d)
    x = _riccati((alpha, first), (beta, second), c, square, arithmetic)
    if x is None:
        return None
    if square != 0:
        cross = square * (c.T @ x)
        alpha, first = _basis(a + cross + cross.T + square * (x.T @ d @ x), square * (x.T @ x), arithmetic)
        cross = square * (x @ c.T)
        beta, second = _basis(d - cross - cross.T + square * (x @ a @ x.T), square * (x @ x.T), arithmetic)
    near, far = slice(len(alpha)), slice(len(alpha), None)
    vectors, duals = kernel * 0, kernel * 0
    vectors[along, near], vectors[across, near] = first, x @ first
    vectors[along, far], vectors[across, far] = -square * (x.T @ second), second
    duals[near, along], duals[near, across] = first.T, square * (first.T @ x.T)
    duals[far, along], duals[far, across] = -(second.T @ x), second.T
    return np.concatenate([alpha, beta]), vectors, duals


def _riccati(near: Basis, far: Basis, c: Array, square: Any, arithmetic: Arithmetic) -> Array | None:
    """X by fixed-point iteration in the eigenbases of the diagonal blocks, or None when it would not contract."""
    (alpha, v), (beta, w) = near, far
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


def _basis(inner: Array, gram: Array, arithmetic: Arithmetic) -> tuple[Array, Array]:
    """Rates, and L⁻ᵀU (columns), of a subspace with metric I + ``gram`` in which the matrix is ``inner``.

    I + gram = LLᵀ, and the symmetric matrix L⁻¹ inner L⁻ᵀ = U diag(rates) Uᵀ.
    """
    inverse = _inverse_cholesky(gram, arithmetic)
    symmetric = inverse @ inner @ inverse.T
    rates, u = arithmetic.eigh((symmetric + symmetric.T) / 2)
    return rates, inverse.T @ u


def _inverse_cholesky(gram: Array, arithmetic: Arithmetic) -> Array:
    """L⁻¹ for LLᵀ = I + gram, by rows."""
    inverse = arithmetic.array(np.eye(len(gram)))
    for i in range(len(gram)):
        row = inverse[i].copy()
        for k in range(i):
            row = row - (inverse[k] @ gram[:, i] + inverse[k, i]) * inverse[k]
        inverse[i] = row / arithmetic.sqrt(row @ row + row @ gram @ row)
    return inverse
