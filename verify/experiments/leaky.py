"""Leaky ReLU on orthonormal data: the flow's limit against the minimal norm, which is known in closed form."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from verify.errors import InvalidArgument
from verify.experiments.drawing import panels
from verify.experiments.orthogonal import WIDTH, excess, settled, unit_start
from verify.experiments.regression import Regression
from verify.experiments.result import Finding, Measured, Progress, Remark, Result, worst_margin
from verify.notation import FloatArray
from verify.report.trajectory_figure import INK, MINUS, PLUS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LEAKY = Remark(
    "X.leaky",
    "Conclusion",
    "T/D",
    "with leaky ReLU the limit for λ → 0 need not be minimal-norm: a gap stays",
)
CLAIMS = (LEAKY,)

LABELS = np.array([1.0, 0.7, -0.8])
LEAKS = np.array([0.0, 0.1, 0.3, 0.5])
SCALES = np.array([1e-3, 1e-6, 1e-9, 1e-12])
COLOURS = INK, PLUS, "#e9a23b", MINUS
RTOL, REST = 1e-10, 1e-18


def minimal_half_norm(y: FloatArray, leak: float) -> float:
    """min ½‖θ‖² over interpolators of orthonormal data with leaky ReLU, leak² < ‖y₋‖/‖y₊‖ < 1/leak². [D]

    Duality in F₁: the minimum is max Σ α_k y_k over α with Σ_k α_k σ(w_k) between −1 and 1 on the unit sphere. With
    P = ‖α₊‖ and N = ‖α₋‖ the suprema are sqrt(P² + leak² N²) and sqrt(leak² P² + N²); both are 1 at the maximum of
    P‖y₊‖ + N‖y₋‖, which is at P = N = 1/sqrt(1 + leak²) when y lies between the normals of the two ellipses there.
    Raises InvalidArgument for other labels.

    >>> minimal_half_norm(np.array([3.0, 4.0, -2.0]), 0.0)
    7.0
    """
    plus, minus = float(np.linalg.norm(y[y > 0])), float(np.linalg.norm(y[y < 0]))
    if not leak**2 * plus <= minus or not leak**2 * minus <= plus:
        raise InvalidArgument(f"‖y₋‖/‖y₊‖ = {minus / plus} must lie between leak² and 1/leak², leak = {leak}")
    return (plus + minus) / math.sqrt(1 + leak**2)


def run(seeds: int, progress: Progress) -> Result:
    """Four leaks at three scales, over so many seeds."""
    gaps = np.empty((seeds, len(LEAKS), len(SCALES)))
    for seed in range(seeds):
        progress(f"leaky, seed {seed + 1} of {seeds}")
        for i, leak in enumerate(LEAKS):
            data = Regression(np.eye(3), LABELS, float(leak))
            least = minimal_half_norm(LABELS, float(leak))
            for k, scale in enumerate(SCALES):
                end = settled(data, unit_start(seed, data), float(scale), RTOL, REST).end
                gaps[seed, i, k] = excess(end, least)
    rows = tuple(
        Measured(f"excess of ‖θ‖² over the minimum, leak {leak:g}, λ = {scale:g}",
                 "0" if leak == 0 else "need not be 0", list(gaps[:, i, k]), 3)
        for i, leak in enumerate(LEAKS) for k, scale in ((0, SCALES[0]), (3, SCALES[3]))
    )  # fmt: skip
    figures = {"leaky": _figure(gaps)}
    setting = f"x_k = e_k, y = 1, 0.7, −0.8, m = {WIDTH}, leak 0, 0.1, 0.3, 0.5, λ = 10⁻³, 10⁻⁶, 10⁻⁹, 10⁻¹²"
    return Result("leaky", "Leaky ReLU", setting, seeds, rows, (_finding(gaps),), figures)


def _finding(gaps: FloatArray) -> Finding:
    """With leak 0.3 at the smallest λ; the error bar is what is left of the dependence on λ, and the integrator's."""
    last, change = gaps[:, 2, 3], np.abs(gaps[:, 2, 3] - gaps[:, 2, 2])
    means = ", ".join(f"{gaps[:, i, 3].mean():.3f} (leak {leak:g})" for i, leak in enumerate(LEAKS))
    return Finding(
        LEAKY,
        worst_margin(last, change + 1e-8, "relative", "relative excess for leak 0.3; bar: its change from λ = 10⁻⁹"),
        f"The excess over the minimum (‖y₊‖ + ‖y₋‖)/√(1 + leak²), known by duality, is on average {means} at λ = "
        f"10⁻¹², and grows as λ falls (leak 0.3: {', '.join(f'{g:.3f}' for g in gaps[:, 2].mean(axis=0))}). Without a "
        "leak it goes to 0. Neurons that grow first, for the positive labels, answer to the negative ones too and, "
        "given time, fit both through the leak: the smaller λ, the less is left for the negative neurons to do.",
        "leaky",
    )  # fmt: skip


def _figure(gaps: FloatArray) -> Figure:
    figure, (ax,) = panels(1, 1, 4.5, 2.8)
    for i, leak in enumerate(LEAKS):
        ax.loglog(SCALES, np.abs(gaps[:, i]).mean(axis=0), marker="o", markersize=3, color=COLOURS[i],
                  label=f"leak {leak:g}")  # fmt: skip
    ax.legend(frameon=False, fontsize=8)
    ax.set_xlabel("λ")
    ax.set_title("excess of ‖θ‖² over the minimum", fontsize=9, loc="left")
    return figure
