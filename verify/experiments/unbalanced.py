"""Output weights drawn as Gaussians instead of balanced."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from verify.claim import slack_margin
from verify.experiments.drawing import draw_powers, panels
from verify.experiments.flow import general_flow
from verify.experiments.orthogonal import LABELS, WIDTH, excess, falling, minimal_half_norm, scaled, unit_start
from verify.experiments.regression import Regression
from verify.experiments.result import Finding, Measured, Progress, Remark, Result, exponents, slope_error, span
from verify.notation import FloatArray
from verify.report.trajectory_figure import MINUS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

UNBALANCED = Remark(
    "X.unbalanced",
    "Section 3.2",
    "T",
    "with a Gaussian a⁰ of scale λ the limit is minimal-norm as λ → 0: the excess of ‖θ‖² falls as a power of λ",
)
CLAIMS = (UNBALANCED,)

DATA = Regression(np.eye(3), LABELS)
SCALES = np.array([1e-2, 1e-3, 1e-4, 1e-5])
RTOL, REST = 1e-11, 1e-20


def run(seeds: int, progress: Progress) -> Result:
    """Gaussian a⁰ and balanced a⁰ from the same directions, at four scales, over so many seeds."""
    gaps, turned = np.empty((2, seeds, len(SCALES))), []
    least = minimal_half_norm(DATA)
    for seed in range(seeds):
        progress(f"unbalanced, seed {seed + 1} of {seeds}")
        for kind, balanced in enumerate((True, False)):
            start = unit_start(seed, DATA, balanced)
            for i, scale in enumerate(SCALES):
                path = general_flow(DATA, scaled(start, scale), falling(SCALES), rtol=RTOL, rest=REST)
                end = path.at(path.t_end).parameters()
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
    setting = f"x_k = e_k, y = 1, 0.7, −0.6, m = {WIDTH}, a⁰ ~ N(0, λ²) against |a⁰| = ‖w⁰‖, λ = 10⁻² … 10⁻⁵"
    return Result("unbalanced", "Unbalanced starts", setting, seeds, rows, (finding,), {"unbalanced": _figure(gaps)})


def _finding(gaps: FloatArray, orders: tuple[FloatArray, FloatArray], turned: list[int]) -> Finding:
    worst = int(orders[1].argmin())
    spread = slope_error(SCALES, gaps[1, worst])
    return Finding(
        UNBALANCED,
        slack_margin(float(orders[1][worst]), spread, "relative", note=f"the smallest exponent, at seed {worst}"),
        f"The excess falls like λ^{orders[1].mean():.2f} (balanced: λ^{orders[0].mean():.2f}), to "
        f"{gaps[1, :, -1].max():.0e} at λ = 10⁻⁵ (balanced: {gaps[0, :, -1].max():.0e}). One thing differs: where "
        f"|a⁰| < ‖w⁰‖ output weights can pass 0, and {span(turned)} of {WIDTH} do, so that S₊₁ and S₋₁ are not what "
        "the signs at the start say (Lemma 1 asks for |a⁰| ≥ ‖w⁰‖) and must be read off later.",
        "unbalanced",
    )  # fmt: skip


def _figure(gaps: FloatArray) -> Figure:
    figure, (ax,) = panels(1, 1, 4.5, 2.8)
    draw_powers(ax, SCALES, gaps[0], "balanced")
    draw_powers(ax, SCALES, gaps[1], "Gaussian a⁰", MINUS)
    ax.set_xlabel("λ")
    ax.legend(frameon=False, fontsize=8)
    ax.set_title("excess of ‖θ‖² over the minimum", fontsize=9, loc="left")
    return figure
