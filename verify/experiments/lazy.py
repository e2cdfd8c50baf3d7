"""Appendix A.1 from a large start: neurons hardly move, and the limit is the kernel interpolator."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from verify.experiments.appendix_a1 import DATA, SPAN, WIDTH
from verify.experiments.drawing import draw_function, draw_neurons, draw_powers, panels
from verify.experiments.flow import general_flow
from verify.experiments.line import kernel_interpolator, lifted
from verify.experiments.regression import Regression
from verify.experiments.result import Finding, Measured, Progress, Result, exponents, worst_margin
from verify.experiments.starts import gaussian_start
from verify.network import Network
from verify.notation import FloatArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SCALES = np.array([10.0, 30.0, 100.0])
"""λ√m: the paper's, and larger ones to see the limit."""
LONGEST, REST = 5e3, 1e-12
GRID = np.linspace(*SPAN, 400)


def trained(data: Regression, seed: int, scale: float, balanced: bool = True) -> tuple[Network, Network]:
    """The start with λ = scale/√m, and the limit of the flow from it."""
    start = gaussian_start(np.random.default_rng(seed), WIDTH, data.d, scale / math.sqrt(WIDTH), balanced=balanced)
    path = general_flow(data, start, LONGEST / scale**2, rest=REST)
    return start, path.at(path.t_end).parameters()


def movement(start: Network, end: Network) -> float:
    """‖W − W⁰‖/‖W⁰‖ (Frobenius)."""
    return float(np.linalg.norm(end.w - start.w) / np.linalg.norm(start.w))


def kernel_distance(data: Regression, start: Network, end: Network) -> float:
    """Largest difference on the interval between the limit and the kernel interpolator, over the latter's largest."""
    exact = kernel_interpolator(data, start, lifted(GRID))
    return float(np.abs(data.outputs(end, lifted(GRID)) - exact).max() / np.abs(exact).max())


def run(seeds: int, progress: Progress) -> Result:
    """Appendix A.1 with λ = 10/√m over so many seeds, and beyond."""
    moved, apart, loose = (np.empty((seeds, len(SCALES))) for _ in range(3))
    for seed in range(seeds):
        progress(f"appendix-a1-lazy, seed {seed + 1} of {seeds}")
        for i, scale in enumerate(SCALES):
            pair = trained(DATA, seed, scale)
            moved[seed, i], apart[seed, i] = movement(*pair), kernel_distance(DATA, *pair)
            loose[seed, i] = kernel_distance(DATA, *trained(DATA, seed, scale, balanced=False)) if i == 0 else np.nan
    orders = exponents(SCALES, apart), exponents(SCALES, moved)
    rows = (
        Measured("‖W − W⁰‖/‖W⁰‖ at λ = 10/√m", "hardly move", list(moved[:, 0]), 3),
        Measured("the same at 100/√m", "", list(moved[:, 2]), 3),
        Measured("distance to the kernel interpolator at 10/√m", "approximately it", list(apart[:, 0]), 3),
        Measured("the same for an unbalanced start", "similar", list(loose[:, 0]), 3),
        Measured("the same at 100/√m", "", list(apart[:, 2]), 3),
        Measured("exponent of the distance in λ", "", list(orders[0]), 3),
        Measured("exponent of the movement in λ", "", list(orders[1]), 3),
    )
    setting = "the data of Appendix A.1, m = 60, λ = 10/√m; the flow until the loss has fallen by 10¹²"
    figures = {"appendix-a1-lazy": _figure(moved, apart)}
    finding = _finding(moved, apart, orders)
    return Result("appendix-a1-lazy", "Appendix A.1: a large start", setting, seeds, rows, (finding,), figures)


def _finding(moved: FloatArray, apart: FloatArray, orders: tuple[FloatArray, FloatArray]) -> Finding:
    spread = float(orders[0].std(ddof=1)) if len(orders[0]) > 1 else np.nan
    return Finding(
        "X.lazy", "Appendix A.1", "T/D",
        "from a large start the limit is the kernel interpolator: the distance falls as a power of λ (exponent below 0)",
        worst_margin(-orders[0], spread, "relative", "the exponent; its error bar is the spread over seeds"),
        f"At λ = 10/√m weights move by {moved[:, 0].mean():.1%} and the function ends {apart[:, 0].mean():.1%} (at most "
        f"{apart[:, 0].max():.1%}) away from the kernel interpolator, computed exactly; ten times larger, by "
        f"{moved[:, 2].mean():.2%} and {apart[:, 2].mean():.2%}. Both fall as powers of λ, {orders[1].mean():.2f} and "
        f"{orders[0].mean():.2f}: the limit is exact, the paper's scale is near it.",
        "appendix-a1-lazy",
    )  # fmt: skip


def _figure(moved: FloatArray, apart: FloatArray) -> Figure:
    figure, (function, before, after, powers) = panels(1, 4)
    start, end = trained(DATA, 0, SCALES[0])
    draw_function(function, DATA, end, SPAN, "limit, and kernel interpolator (dashed)")
    function.plot(GRID, kernel_interpolator(DATA, start, lifted(GRID)), color="#d1495b", linestyle="--", linewidth=1.2)
    draw_neurons(before, start)
    before.set_title("weights at the start", fontsize=9, loc="left")
    draw_neurons(after, end)
    after.set_title("weights at the end", fontsize=9, loc="left")
    draw_powers(powers, SCALES, apart, "distance to kernel")
    draw_powers(powers, SCALES, moved, "movement", "#d1495b")
    powers.set_xlabel("λ√m")
    powers.legend(frameon=False, fontsize=8)
    return figure
