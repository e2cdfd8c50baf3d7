"""Appendix A.1: five points on the line, not orthogonal, from a small start."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from verify.experiments.descent import descend
from verify.experiments.drawing import draw_losses, draw_order, draw_stages, panels
from verify.experiments.flow import general_flow
from verify.experiments.followed import Followed
from verify.experiments.line import f1_norm, kinks
from verify.experiments.regression import Regression
from verify.experiments.result import Finding, Measured, Progress, Remark, Result, exponents, span, worst_margin
from verify.experiments.saddles import slowest
from verify.experiments.starts import gaussian_start
from verify.network import Network
from verify.notation import FloatArray, IntArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NONORTHOGONAL = Remark(
    "X.nonorthogonal",
    "Appendix A.1",
    "T",
    "neurons turn while they grow (angle above 0), an intermediate saddle is met, and the loss goes to 0",
)
CLAIMS = (NONORTHOGONAL,)

DATA = Regression.on_a_line(np.array([-1.5, -1.0, 0.0, 0.25, 2.0]), np.array([0.7, -0.3, -0.3, 0.4, 0.2]))
WIDTH, SCALE, STEP, LONGEST, REST, SPAN = 60, 1e-4, 1e-3, 5000.0, 1e-8, (-2.5, 3.0)
TIME = 2 * STEP
SHARES, COMPARED = np.array([1.0, 0.5, 0.25, 0.125, 0.0625]), 5
"""Of the step, at which descent is compared with the flow on so many of the seeds."""
GROWN, NEAR = 0.05, 0.5
"""A neuron has grown when its norm is above this share of the largest; directions within this angle are one group."""


@dataclass(frozen=True, eq=False)
class Run(Followed):
    """One seed: the flow until the loss has fallen by ``REST``, and its stages."""

    @cached_property
    def left(self) -> float:
        """Time at which the first saddle is left: the loss is 1 % lower."""
        return self.below(0.99)

    @cached_property
    def saddle(self) -> tuple[float, float, float]:
        """Time, loss and depth of the saddle between 60 % and 25 % of the loss at the start."""
        start = self.curve[1][0]
        return slowest(*self.curve, 0.6 * start, 0.25 * start)

    @cached_property
    def turned(self) -> dict[int, float]:
        """Of each group of neurons grown at the saddle, the mean angle turned since the first saddle was left."""
        before, after = self.network(self.left), self.network(self.saddle[0])
        members, groups = grown_groups(after)
        cosine = (before.w * after.w).sum(axis=1) / np.linalg.norm(before.w, axis=1) / np.linalg.norm(after.w, axis=1)
        angles = np.arccos(np.clip(cosine, -1, 1))[members]
        return {int(g): float(angles[groups == g].mean()) for g in np.unique(groups)}


def grown_groups(network: Network) -> tuple[IntArray, IntArray]:
    """Which neurons have grown, and to which group of common sign and direction each of them belongs."""
    norms = np.linalg.norm(network.w, axis=1)
    members = np.flatnonzero(norms > GROWN * norms.max())
    angles = np.arctan2(network.w[members, 1], network.w[members, 0])
    keys = angles + 10 * (network.a[members] < 0)
    order = np.argsort(keys)
    groups = np.empty(len(members), dtype=np.int64)
    groups[order] = np.cumsum(np.append(0, np.diff(keys[order]) > NEAR))
    return members, groups


def one(seed: int, rtol: float = 1e-9) -> Run:
    """The flow from one start."""
    start = gaussian_start(np.random.default_rng(seed), WIDTH, 2, SCALE / math.sqrt(WIDTH))
    return Run(general_flow(DATA, start, LONGEST, rtol=rtol, rest=REST))


def run(seeds: int, progress: Progress) -> Result:
    """Appendix A.1 with the small initialisation, over so many seeds."""
    runs = []
    for seed in range(seeds):
        progress(f"appendix-a1, seed {seed + 1} of {seeds}")
        runs.append(one(seed))
    progress("appendix-a1, smaller steps and figures")
    distances = np.array([[_distance(run, TIME * share) for share in SHARES] for run in runs[:COMPARED]])
    figures = {"appendix-a1": _figure(runs[0]), "appendix-a1-loss": _loss_figure(runs, distances)}
    setting = (
        "n = 5, x = (−1.5, 1), (−1, 1), (0, 1), (0.25, 1), (2, 1), y = 0.7, −0.3, −0.3, 0.4, 0.2, m = 60, "
        "λ = 10⁻⁴/√m, step 10⁻³ on (1/n) Σ r²"
    )
    rows, title = _rows(runs, exponents(SHARES, distances)), "Appendix A.1: five points on a line"
    return Result("appendix-a1", title, setting, seeds, rows, (_finding(runs),), figures)


def _distance(run: Run, step: float) -> float:
    """Distance of descent to the flow, of the final norm: root mean square up to the time after the second saddle.

    The mean, since descent steps to and fro over ⟨w_j, x_k⟩ = 0 where the flow slides, and single times are noisy.
    """
    times = np.linspace(0, 1.2 * run.saddle[0], 100)
    indices = np.round(times / step).astype(int)
    record = descend(DATA, run.path.start, step, int(indices[-1]), keep=indices.tolist())
    return math.sqrt(float(np.mean(run.distances(record, indices.tolist()) ** 2)))


def _rows(runs: list[Run], orders: FloatArray) -> tuple[Measured, ...]:
    ends = [run.end for run in runs]
    slides = [(run.path.events["after"] == "slide").sum() for run in runs]
    back = [((run.path.events["before"] == "off").sum()) for run in runs]
    return (
        Measured("first saddle left (loss 1 % lower), iteration", "", [run.left / TIME for run in runs], 5),
        Measured("groups of neurons grown at the saddle between", "2", [len(run.turned) for run in runs]),
        Measured("largest mean angle turned by a group while growing, rad", "they turn",
                 [max(run.turned.values()) for run in runs], 3),
        Measured("loss at the intermediate saddle", "one exists", [run.saddle[1] for run in runs], 4),
        Measured("iteration where the loss stands most still there", "", [run.saddle[0] / TIME for run in runs], 5),
        Measured("rate of the loss there, of the fastest around", "nearly 0", [run.saddle[2] for run in runs], 2),
        Measured("loss at the end, of its start", "0", [run.curve[1][-1] / run.curve[1][0] for run in runs], 2),
        Measured("kinks of the final function", "few", [len(kinks(net, *SPAN)) for net in ends]),
        Measured("Σ|a_j|‖w_j‖ at the end", "", [f1_norm(net) for net in ends], 5),
        Measured("pairs that come to slide along ⟨w_j, x_k⟩ = 0", "", slides),
        Measured("pairs that switch on again", "", back),
        Measured(f"order in the step of descent's distance to the flow ({COMPARED} seeds)", "", orders.tolist(), 3),
    )  # fmt: skip


def _finding(runs: list[Run]) -> Finding:
    """The error bar is the difference to a flow with a hundredth of the tolerance, on the worst seed."""
    turns = np.array([max(run.turned.values()) for run in runs])
    worst = int(turns.argmin())
    error = abs(max(one(worst, 1e-11).turned.values()) - turns[worst])
    groups, counts = [len(run.turned) for run in runs], [len(kinks(run.end, *SPAN)) for run in runs]
    return Finding(
        NONORTHOGONAL,
        worst_margin(turns, error, "relative", "the angle in rad"),
        f"{span(groups)} groups have grown when the loss stands most still (the paper shows two), and one of them has "
        f"turned by {turns.mean():.2f} ± {turns.std(ddof=1):.2f} rad since it left the first saddle. The loss then "
        f"stands at {np.mean([r.saddle[1] for r in runs]):.4f} and falls {np.max([r.saddle[2] for r in runs]):.0e} "
        f"times as fast as at its fastest; it ends at 0 with {span(counts)} kinks. Pairs slide along ⟨w_j, x_k⟩ = 0 "
        "and switch on again, which orthogonal data forbid.",
        "appendix-a1",
    )  # fmt: skip


def _figure(run: Run) -> Figure:
    times = {
        "start": 0.0,
        "first saddle left": run.left,
        "growing": (run.left + run.saddle[0]) / 2,
        "second saddle": run.saddle[0],
        "end": run.path.t_end,
    }
    stages = {f"{t / TIME:.0f}: {word}": run.network(t) for word, t in times.items()}
    return draw_stages(DATA, stages, SPAN, (-1.7, 1.3))


def _loss_figure(runs: list[Run], distances: FloatArray) -> Figure:
    figure, (loss, order) = panels(1, 2, 4.4, 3.0)
    draw_losses(loss, [(run.curve[0] / TIME, run.curve[1]) for run in runs], "iteration", (runs[0].saddle[1],))
    loss.set_xlim(0, 4 * runs[0].saddle[0] / TIME)
    draw_order(order, STEP * SHARES, distances, "distance of descent to the flow (rms), of ‖θ‖")
    return figure
