"""Output weights drawn as Gaussians instead of balanced."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from verify.experiments.drawing import powers_figure
from verify.experiments.orthogonal import LABELS, WIDTH, excess, minimal_half_norm, settled, unit_start
from verify.experiments.regression import Regression
from verify.experiments.result import Finding, Measured, Progress, Remark, Result, exponents, smallest_exponent, span
from verify.notation import FloatArray

if TYPE_CHECKING:
    pass

UNBALANCED = Remark(
    "X.unbalanced",
    "Section 3.2",
    "T",
    "with a Gaussian a⁰ of scale λ the limit is minimal-norm as λ → 0: the excess of ‖θ‖² falls as a power of λ",
)
CLAIMS = (UNBALANCED,)

DATA = Regression(np.eye(3), LABELS)
SCALES = np.array([1e-2, 1e-3, 1e-4, 1e-5])


def run(seeds: int, progress: Progress) -> Result:
    """Gaussian a⁰ and balanced a⁰ from the same directions, at four scales, over so many seeds."""
    gaps, turned = np.empty((2, seeds, len(SCALES))), []
    least = minimal_half_norm(DATA)
    for seed in range(seeds):
        progress(f"unbalanced, seed {seed + 1} of {seeds}")
        for kind, balanced in enumerate((True, False)):
            start = unit_start(seed, DATA, balanced)
            for i, scale in enumerate(SCALES):
                end = settled(DATA, start, float(scale)).end
                gaps[kind, seed, i] = abs(excess(end, least))
        turned.append(int((np.sign(end.a) != np.sign(start.a)).sum()))
    orders = exponents(SCALES, gaps[0]), exponents(SCALES, gaps[1])
    rows = (
        Measured("excess of ‖θ‖² at λ = 10⁻², balanced", "", list(gaps[0, :, 0]), 2),
        Measured("excess of ‖θ‖² at λ = 10⁻², Gaussian a⁰", "similar", list(gaps[1, :, 0]), 2),
        Measured("excess at λ = 10⁻⁵, balanced", "", list(gaps[0, :, -1]), 2),
        Measured("excess at λ = 10⁻⁵, Gaussian a⁰", "similar", list(gaps[1, :, -1]), 2),
        Measured("exponent of the excess in λ, balanced", "above 0", list(orders[0]), 3),
        Measured("exponent of the excess in λ, Gaussian a⁰", "above 0", list(orders[1]), 3),
        Measured(f"neurons of {WIDTH} whose output weight changes sign", "", turned),
    )
    finding = _finding(gaps, orders, turned)
    curves = {"balanced": gaps[0], "Gaussian a⁰": gaps[1]}
    figures = {"unbalanced": powers_figure(SCALES, curves, "λ", "excess of ‖θ‖² over the minimum")}
    setting = f"x_k = e_k, y = 1, 0.7, −0.6, m = {WIDTH}, a⁰ ~ N(0, λ²) against |a⁰| = ‖w⁰‖, λ = 10⁻² … 10⁻⁵"
    return Result("unbalanced", "Unbalanced starts", setting, seeds, rows, (finding,), figures)


def _finding(gaps: FloatArray, orders: tuple[FloatArray, FloatArray], turned: list[int]) -> Finding:
    return Finding(
        UNBALANCED,
        smallest_exponent(SCALES, gaps[1]),
        f"The excess falls like λ^{orders[1].mean():.2f} (balanced: λ^{orders[0].mean():.2f}), to "
        f"{gaps[1, :, -1].max():.0e} at λ = 10⁻⁵ (balanced: {gaps[0, :, -1].max():.0e}). One thing differs: where "
        f"|a⁰| < ‖w⁰‖ output weights can pass 0, and {span(turned)} of {WIDTH} do, so that S₊₁ and S₋₁ are not what "
        "the signs at the start say (Lemma 1 asks for |a⁰| ≥ ‖w⁰‖) and must be read off later.",
        "unbalanced",
    )  # fmt: skip
