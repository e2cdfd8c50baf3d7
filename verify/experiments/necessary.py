"""Without Assumption 3: the loss may still go to 0, but not to a minimal norm."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from verify.dataset import Dataset
from verify.experiments.drawing import panels
from verify.experiments.result import Finding, Measured, Progress, Remark, Result, span, worst_margin
from verify.flow.simulate import simulate
from verify.initialisation import Initialisation
from verify.limits import minimal_norm_squared
from verify.notation import FloatArray
from verify.problem import Problem
from verify.report.trajectory_figure import MINUS, PLUS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NECESSARY = Remark(
    "X.necessary",
    "Section 3.1, after Theorem 1",
    "T",
    "without Assumption 3 the loss still goes to 0, but ‖θ^∞‖² stays above the minimum",
)
CLAIMS = (NECESSARY,)

LABELS, WIDTH = (1.0, 0.8, -0.5), 8
SCALES = np.array([20.0, 200.0, 2000.0])
"""Λ = −ln λ."""
SEPARATE = (1.0 + 0.8 + 0.5) / (math.hypot(1.0, 0.8) + 0.5) - 1
"""Relative excess of ‖θ‖² when every label is fitted by neurons of its own. [D]"""


def start_without(rng: np.random.Generator, scale: float, fittable: bool) -> Problem:
    """A Gaussian start with S₊₁ empty and S₋₁ not; ``fittable``: each positive label has a positive neuron on it.

    For each positive neuron the first two coordinates are drawn again until they are not both ≥ 0.
    """
    data = Dataset.standard(LABELS)
    while True:
        g, signs = rng.normal(size=(WIDTH, 3)), rng.choice([-1.0, 1.0], WIDTH)
        problem = Problem(data, Initialisation(g, signs, scale))
        reached = (g[signs > 0, :2] > 0).any(axis=0).all()
        if not problem.key_plus.any() and problem.key_minus.any() and reached == fittable:
            return problem


def outcome(problem: Problem) -> tuple[float, float, float]:
    """Relative excess of ‖θ^∞‖² over the minimum, its error bar, and the loss at the end over that of y."""
    trajectory = simulate(problem)
    end = trajectory.at(trajectory.t_end)
    squares = 2 * float(np.exp(2 * end.log_norms).sum())
    loss = float(end.loss) * 2 * problem.dataset.n / float(problem.dataset.y @ problem.dataset.y)
    least = minimal_norm_squared(problem.dataset)
    return squares / least - 1, 2 * float(trajectory.error) * squares / least, loss


def run(seeds: int, progress: Progress) -> Result:
    """Starts without S₊₁ at three scales, over so many seeds."""
    gaps, errors, losses, stuck = (np.empty((seeds, len(SCALES))) for _ in range(4))
    for seed in range(seeds):
        progress(f"necessary, seed {seed + 1} of {seeds}")
        for i, scale in enumerate(SCALES):
            problem = start_without(np.random.default_rng(seed), scale, fittable=True)
            gaps[seed, i], errors[seed, i], losses[seed, i] = outcome(problem)
            other = start_without(np.random.default_rng(seed), scale, fittable=False)
            stuck[seed, i] = outcome(other)[2]
    rows = (
        Measured("excess of ‖θ‖² over the minimum at Λ = 20", "", list(gaps[:, 0]), 4),
        Measured("the same at Λ = 2000", "positive", list(gaps[:, 2]), 4),
        Measured(f"excess for one group a label: {SEPARATE:.4f}; largest distance from it at Λ = 2000", "",
                 [float(np.abs(gaps[:, 2] - SEPARATE).max())], 2),
        Measured("final loss, of that of h = 0", "0", [float(losses.max())], 2),
        Measured("the same where no neuron reaches some label", "", list(stuck[:, 2]), 3),
    )  # fmt: skip
    finding = Finding(
        NECESSARY,
        worst_margin(gaps[:, 2], errors[:, 2], "relative", "relative excess at Λ = 2000"),
        f"With S₊₁ empty, and a positive neuron on each positive label, the loss falls to {losses.max():.0e} of its "
        f"start and ‖θ‖² exceeds the minimum by {span(np.round(gaps[:, 2], 4))} (relatively), at Λ = 20 as at 2000: "
        f"labels are fitted by neurons of their own, which costs Σ|y_k| instead of ‖y₊‖₂ ({SEPARATE:.4f}). That the "
        "loss goes to 0 needs a condition: where some label has no active neuron of its sign, it stays at "
        f"{stuck.min():.2f} to {stuck.max():.2f} of its start for ever.",
        "necessary",
    )  # fmt: skip
    figures = {"necessary": _figure(gaps)}
    setting = "x_k = e_k, y = 1, 0.8, −0.5, m = 8, Gaussian starts with S₊₁ empty, Λ = 20, 200, 2000"
    return Result("necessary", "Without Assumption 3", setting, seeds, rows, (finding,), figures)


def _figure(gaps: FloatArray) -> Figure:
    figure, (ax,) = panels(1, 1, 4.5, 2.8)
    ax.semilogx(SCALES, gaps.T, color=PLUS, marker="o", markersize=3, linewidth=0.8, alpha=0.5)
    ax.axhline(SEPARATE, color=MINUS, linestyle="--", linewidth=1)
    ax.set_ylim(0, 1.3 * SEPARATE)
    ax.set_xlabel("Λ = −ln λ")
    ax.set_title("excess of ‖θ‖² over the minimum (dashed: Σ|y_k|)", fontsize=9, loc="left")
    return figure
