"""Orthogonal inputs that are not of norm 1."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from verify.experiments.drawing import powers_figure
from verify.experiments.followed import Followed
from verify.experiments.orthogonal import LABELS, WIDTH, excess, minimal_half_norm, settled, unit_start
from verify.experiments.regression import Regression
from verify.experiments.result import Finding, Measured, Progress, Remark, Result, exponents, smallest_exponent
from verify.notation import FloatArray

if TYPE_CHECKING:
    pass

NORMS = Remark(
    "X.norms",
    "Section 2, after Assumption 1; Section 5",
    "T/D",
    "for orthogonal inputs of any norm the limit is minimal-norm; neurons need not be along D₊ at t₂",
)
CLAIMS = (NORMS,)

LENGTHS = np.array([1.0, 1.6, 1.5])
DATA = Regression(np.diag(LENGTHS), LABELS)
TARGET = np.where(DATA.y > 0, DATA.y * LENGTHS, 0.0)
"""D₊ up to a factor: Σ y_k x_k over y_k > 0."""
FITTED = np.where(DATA.y > 0, DATA.y / LENGTHS, 0.0)
"""The direction that one neuron needs to fit the positive labels."""
SCALES = np.array([1e-2, 1e-4, 1e-6, 1e-8])


def angle(u: FloatArray, v: FloatArray) -> float:
    """Angle between two vectors, in rad.

    >>> round(angle(np.array([1.0, 0.0]), np.array([2.0, 2.0])), 6)
    0.785398
    """
    u, v = u / np.linalg.norm(u), v / np.linalg.norm(v)
    return float(2 * np.arctan2(np.linalg.norm(u - v), np.linalg.norm(u + v)))


def angles_of(run: Followed) -> tuple[float, float]:
    """Angle of the neuron of S₊₁ to D₊ when the first saddle is left, and when the second is left."""
    positive, negative = (float(DATA.y[mask] @ DATA.y[mask]) for mask in (DATA.y > 0, DATA.y < 0))
    first, second = run.below(0.99), run.below(0.99 * negative / (positive + negative))
    return angle(run.network(first).w[0], TARGET), angle(run.network(second).w[0], TARGET)


def run(seeds: int, progress: Progress) -> Result:
    """Lengths 1, 1.6, 1.5 at four scales, over so many seeds."""
    gaps, early, late = np.empty((seeds, len(SCALES))), [], []
    for seed in range(seeds):
        progress(f"norms, seed {seed + 1} of {seeds}")
        for i, scale in enumerate(SCALES):
            run = settled(DATA, unit_start(seed, DATA), float(scale))
            gaps[seed, i] = abs(excess(run.end, minimal_half_norm(DATA)))
        first, second = angles_of(run)
        early.append(first)
        late.append(second)
    orders, needed = exponents(SCALES, gaps), angle(FITTED, TARGET)
    rows = (
        Measured("excess of ‖θ‖² over the minimum at λ = 10⁻²", "", list(gaps[:, 0]), 2),
        Measured("the same at λ = 10⁻⁸", "to 0", list(gaps[:, -1]), 2),
        Measured("its exponent in λ", "above 0", list(orders), 3),
        Measured("angle of S₊₁ to D₊ as the first saddle is left, λ = 10⁻⁸", "0", early, 2),
        Measured(f"angle of S₊₁ to D₊ as the second is left (that of the fit: {needed:.4f})", "", late, 5),
    )
    finding = Finding(
        NORMS,
        smallest_exponent(SCALES, gaps),
        f"The excess over ‖(y/ρ)₊‖ + ‖(y/ρ)₋‖, ρ_k = ‖x_k‖, falls like λ^{orders.mean():.2f}, to "
        f"{gaps[:, -1].max():.0e}. Neurons of S₊₁ leave the first saddle within {max(early):.3f} rad of D₊ and the "
        f"second {np.mean(late):.3f} rad away from it: they turn while growing, by the {needed:.3f} rad between Σ y_k "
        "x_k and Σ y_k x_k/ρ_k². The theorem survives, Lemma 3's alignment does not.",
        "norms",
    )  # fmt: skip
    setting = f"x_k = ρ_k e_k, ρ = 1, 1.6, 1.5, y = 1, 0.7, −0.6, m = {WIDTH}, λ = 10⁻², 10⁻⁴, 10⁻⁶, 10⁻⁸"
    title = "excess of ‖θ‖² over the minimum, norms 1, 1.6, 1.5"
    figures = {"norms": powers_figure(SCALES, {"excess": gaps}, "λ", title)}
    return Result("norms", "Inputs of unequal norms", setting, seeds, rows, (finding,), figures)
