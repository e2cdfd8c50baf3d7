"""Appendix A.1 from a large start: neurons hardly move, and the limit is the kernel interpolator."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from verify.claim import slack_margin
from verify.experiments.appendix_a1 import DATA, SPAN, WIDTH
from verify.experiments.drawing import draw_function, draw_neurons, draw_powers, panels
from verify.experiments.flow import general_flow
from verify.experiments.line import kernel_interpolator, lifted
from verify.experiments.regression import Regression
from verify.experiments.result import Finding, Measured, Progress, Remark, Result, exponents
from verify.experiments.starts import gaussian_start
from verify.network import Network
from verify.notation import FloatArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LAZY = Remark(
    "X.lazy",
    "Appendix A.1",
    "T/D",
    "at λ = 10/√m the limit comes near the kernel interpolator as m grows (the exponent of the distance is below 0)",
)
CLAIMS = (LAZY,)

WIDTHS = np.array([60, 240, 960])
"""The paper's, and larger ones to see the limit."""
SCALE, LONGEST, REST = 10.0, 50.0, 1e-10
GRID = np.linspace(*SPAN, 400)


def trained(
    data: Regression, seed: int, m: int = WIDTH, scale: float = SCALE, balanced: bool = True
) -> tuple[Network, Network]:
    """The start with λ = scale/√m, and the limit of the flow from it."""
    start = gaussian_start(np.random.default_rng(seed), m, data.d, scale / math.sqrt(m), balanced=balanced)
    path = general_flow(data, start, LONGEST * (SCALE / scale) ** 2, rest=REST)
    return start, path.at(path.t_end).parameters()


def movement(start: Network, end: Network) -> float:
    """‖W − W⁰‖/‖W⁰‖ (Frobenius)."""
    return float(np.linalg.norm(end.w - start.w) / np.linalg.norm(start.w))


def kernel_distance(data: Regression, start: Network, end: Network) -> float:
    """Largest difference on the interval between the limit and the kernel interpolator, over the latter's largest."""
    exact = kernel_interpolator(data, start, lifted(GRID))
    return float(np.abs(data.outputs(end, lifted(GRID)) - exact).max() / np.abs(exact).max())


def run(seeds: int, progress: Progress) -> Result:
    """Appendix A.1 with λ = 10/√m over so many seeds, and for wider networks."""
    moved, apart = np.empty((2, seeds, len(WIDTHS)))
    loose, large = np.empty((2, seeds))
    for seed in range(seeds):
        progress(f"appendix-a1-lazy, seed {seed + 1} of {seeds}")
        for i, m in enumerate(WIDTHS):
            pair = trained(DATA, seed, int(m))
            moved[seed, i], apart[seed, i] = movement(*pair), kernel_distance(DATA, *pair)
        loose[seed] = kernel_distance(DATA, *trained(DATA, seed, balanced=False))
        large[seed] = kernel_distance(DATA, *trained(DATA, seed, scale=10 * SCALE))
    orders = exponents(WIDTHS, apart), exponents(WIDTHS, moved)
    rows = (
        Measured("‖W − W⁰‖/‖W⁰‖ at m = 60", "hardly move", list(moved[:, 0]), 3),
        Measured("the same at m = 960", "", list(moved[:, 2]), 3),
        Measured("distance to the kernel interpolator, m = 60", "approximately it", list(apart[:, 0]), 3),
        Measured("the same for an unbalanced start", "similar", list(loose), 3),
        Measured("the same for λ = 100/√m", "", list(large), 3),
        Measured("distance to the kernel interpolator, m = 960", "", list(apart[:, 2]), 3),
        Measured("exponent of the distance in m", "", list(orders[0]), 3),
        Measured("exponent of the movement in m", "", list(orders[1]), 3),
    )
    setting = "the data of Appendix A.1, m = 60 and wider, λ = 10/√m; the flow until the loss has fallen by 10¹⁰"
    figures = {"appendix-a1-lazy": _figure(moved, apart)}
    finding = _finding(moved, apart, large, orders)
    return Result("appendix-a1-lazy", "Appendix A.1: a large start", setting, seeds, rows, (finding,), figures)


def _finding(moved: FloatArray, apart: FloatArray, large: FloatArray, orders: tuple[FloatArray, FloatArray]) -> Finding:
    """The exponent of the mean distance over seeds; single seeds are noisy, as h⁰ is."""
    error = float(orders[0].std(ddof=1) / math.sqrt(len(orders[0]))) if len(orders[0]) > 1 else np.nan
    margin = slack_margin(-float(orders[0].mean()), 2 * error, "relative", note="minus the exponent; 2 standard errors")
    return Finding(
        LAZY,
        margin,
        f"At the paper's m = 60 weights move by {moved[:, 0].mean():.0%}, and the function ends "
        f"{np.median(apart[:, 0]):.0%} (median; {apart[:, 0].min():.0%} to {apart[:, 0].max():.0%}) of its size away "
        f"from the kernel interpolator: “approximately” is generous. A larger λ does not help ({np.median(large):.0%} "
        "at 100/√m): θ → cθ, y → c²y is a symmetry, so that at large λ only the output at the start, of size λ²√m, "
        f"remains to be unlearned. Width helps: at m = 960 the two numbers are {moved[:, 2].mean():.1%} and "
        f"{np.median(apart[:, 2]):.0%}, with exponents {orders[1].mean():.2f} and {orders[0].mean():.2f} in m.",
        "appendix-a1-lazy",
    )  # fmt: skip


def _figure(moved: FloatArray, apart: FloatArray) -> Figure:
    figure, (function, before, after, powers) = panels(1, 4)
    start, end = trained(DATA, 0)
    draw_function(function, DATA, end, SPAN, "limit, and kernel interpolator (dashed)")
    function.plot(GRID, kernel_interpolator(DATA, start, lifted(GRID)), color="#d1495b", linestyle="--", linewidth=1.2)
    draw_neurons(before, start)
    before.set_title("weights at the start", fontsize=9, loc="left")
    draw_neurons(after, end)
    after.set_title("weights at the end", fontsize=9, loc="left")
    draw_powers(powers, WIDTHS, apart, "distance to kernel")
    draw_powers(powers, WIDTHS, moved, "movement", "#d1495b")
    powers.set_xlabel("m")
    powers.legend(frameon=False, fontsize=8)
    return figure
