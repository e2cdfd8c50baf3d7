"""How λ* falls with the numbers of inputs and neurons; a small twin of `verify threshold`, for the verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from verify.check import select
from verify.claim import slack_margin
from verify.experiments.drawing import panels
from verify.experiments.result import Finding, Measured, Progress, Remark, Result
from verify.notation import FloatArray
from verify.report.trajectory_figure import MINUS, PLUS
from verify.search.threshold import threshold
from verify.studies.regression import Fit, fit
from verify.studies.threshold import Study

if TYPE_CHECKING:
    from matplotlib.figure import Figure

THRESHOLD = Remark(
    "X.threshold",
    "Section 3.1",
    "T/D",
    "λ* scales as e^{−Θ(n)}/√m: its exponent in m is −½ (to 0.1), where m enters (the signs of residuals in phase 1)",
)
CLAIMS = (THRESHOLD,)
INPUTS, WIDTHS = (2, 3, 4, 6), (4, 16, 64)
NEAR = 0.1


def run(seeds: int, progress: Progress) -> Result:
    """Λ* of P1.sign for each size, over so many seeds."""
    study, claims = Study(INPUTS, WIDTHS, seeds, 0), select(["P1.sign"])
    found = np.empty((seeds, len(INPUTS), len(WIDTHS)))
    for seed, i, k in np.ndindex(found.shape):
        n, m = INPUTS[i], WIDTHS[k]
        progress(f"threshold, n = {n}, m = {m}, seed {seed + 1} of {seeds}")
        problem = study.problem(n, m, seed)
        found[seed, i, k] = threshold(problem, claims, digits=None, step=4.0, beyond=4).minus_log_lambda
    slopes = _slopes(found)
    rows = (
        *(Measured(f"Λ* = −ln λ* for n = {n}, m = {m}", "", list(found[:, i, k]), 3)
          for i, n in enumerate(INPUTS) for k, m in enumerate(WIDTHS) if n in INPUTS[::3] and m in WIDTHS[::2]),
        Measured("b in ln λ* = constant − b n − p ln m", "above 0", [slopes.values[1]], 3),
        Measured("p", "0.5", [slopes.values[2]], 3),
    )  # fmt: skip
    setting = (
        "x_k = e_k, labels 1 on half of the inputs and −½ on the others, Gaussian directions with a neuron in each key "
        f"set, n = {', '.join(map(str, INPUTS))}, m = {', '.join(map(str, WIDTHS))}"
    )
    figures = {"threshold": _figure(found)}
    return Result("threshold", "The threshold λ*", setting, seeds, rows, (_finding(slopes, seeds),), figures)


def _slopes(found: FloatArray) -> Fit:
    n, m = np.meshgrid(INPUTS, WIDTHS, indexing="ij")
    columns = {name: np.tile(values.ravel(), len(found)) for name, values in (("n", n), ("ln m", np.log(m)))}
    return fit(columns, found.ravel())


def _finding(slopes: Fit, seeds: int) -> Finding:
    """The error bar is the half width of the 95 % interval of p."""
    p, half = float(slopes.values[2]), float(slopes.half_widths[2])
    return Finding(
        THRESHOLD,
        slack_margin(NEAR - abs(p - 0.5), half, "absolute", note="0.1 − |p − ½|; bar: 95 % interval"),
        f"Fitted over {seeds} problems of each size, λ* falls like e^(−bn) m^(−p) with b = {slopes.text('n')} and p = "
        f"{slopes.text('ln m')}. The proof needs λ ≤ e^(−Θ(n))/√m, which is enough; the largest λ that does shrinks "
        "more slowly in the width, since only a few of the m neurons are aligned with a label and make its output. "
        "`verify threshold` has the other claims of the proof, whose λ* does not depend on m in this way either.",
        "threshold",
    )


def _figure(found: FloatArray) -> Figure:
    figure, (ax,) = panels(1, 1, 4.5, 2.8)
    for i, n in enumerate(INPUTS):
        ax.semilogx(WIDTHS, found[:, i].mean(axis=0), color=PLUS, alpha=0.4 + 0.2 * i, marker="o",
                    markersize=3.5, label=f"n = {n}")  # fmt: skip
    ax.semilogx(WIDTHS, found.mean() + 0.5 * np.log(np.divide(WIDTHS, WIDTHS[1])), color=MINUS, linestyle="--",
                label="slope ½")  # fmt: skip
    ax.set_xticks(WIDTHS, [str(m) for m in WIDTHS])
    ax.minorticks_off()
    ax.set_xlabel("m")
    ax.legend(frameon=False, fontsize=8)
    ax.set_title("mean Λ* of the signs of residuals in phase 1", fontsize=9, loc="left")
    return figure
