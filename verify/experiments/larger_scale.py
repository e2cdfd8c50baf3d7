"""Larger λ: whether the saddle in the middle disappears before the small norm does."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from verify.claim import relative_margin
from verify.experiments.drawing import panels
from verify.experiments.flow import general_flow
from verify.experiments.followed import Followed
from verify.experiments.orthogonal import excess
from verify.experiments.result import Finding, Measured, Progress, Remark, Result
from verify.experiments.saddles import slowest
from verify.experiments.starts import gaussian_start
from verify.experiments.two_points import DATA, MINIMAL, WIDTH
from verify.notation import FloatArray
from verify.report.trajectory_figure import MINUS, PLUS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LARGER_SCALE = Remark(
    "X.larger-λ",
    "Section 3.2",
    "T/D",
    "at the smallest λ without an intermediate saddle the norm is within 10 % of the minimum",
)
CLAIMS = (LARGER_SCALE,)

SCALES = np.array([1e-4, 1e-2, 0.1, 0.3, 1.0])
"""λ√m."""
NEAR, STILL = 0.1, 0.1
"""A norm within this share of the minimum is near it; a saddle shows where the loss slows to this share. [D]"""


def stillness(run: Followed) -> float:
    """How deep the loss slows between 80 % and 20 % of its start: 0 at a saddle, 1 where it never does."""
    times, losses = run.curve
    return slowest(times, losses, 0.8 * losses[0], 0.2 * losses[0])[2]


def followed(seed: int, scale: float, rtol: float = 1e-9) -> Followed:
    """The flow with λ = scale/√m until it rests."""
    start = gaussian_start(np.random.default_rng(seed), WIDTH, 2, scale / math.sqrt(WIDTH))
    return Followed(general_flow(DATA, start, 300.0, rtol=rtol, rest=1e-16))


def run(seeds: int, progress: Progress) -> Result:
    """The data of Section 5 with λ√m from 10⁻⁴ to 1, over so many seeds."""
    gaps, still = np.empty((2, seeds, len(SCALES)))
    for seed in range(seeds):
        progress(f"larger-scale, seed {seed + 1} of {seeds}")
        for i, scale in enumerate(SCALES):
            run = followed(seed, float(scale))
            gaps[seed, i], still[seed, i] = excess(run.end, MINIMAL), stillness(run)
    rows = tuple(
        row
        for i, scale in enumerate(SCALES)
        for row in (
            Measured(f"λ = {scale:g}/√m: excess of ‖θ‖² over the minimum", "small", list(gaps[:, i]), 2),
            Measured(f"λ = {scale:g}/√m: slowest rate of the loss, of the fastest", "", list(still[:, i]), 2),
        )
    )
    setting = "the data of Section 5, m = 60, λ√m = 10⁻⁴ … 1; the flow until the loss has fallen by 10¹⁶"
    figures = {"larger-scale": _figure(gaps, still)}
    return Result("larger-scale", "Larger λ", setting, seeds, rows, (_finding(gaps, still),), figures)


def _finding(gaps: FloatArray, still: FloatArray) -> Finding:
    """At the smallest scale without a saddle on any seed: is the norm still near the minimum?"""
    without = [i for i in range(len(SCALES)) if (still[:, i] > STILL).all()]
    first = without[0] if without else len(SCALES) - 1
    worst = int(gaps[:, first].argmax())
    note = f"largest excess at λ = {SCALES[first]:g}/√m, at seed {worst}" + (
        "" if without else "; a saddle still shows"
    )
    tight = followed(worst, float(SCALES[first]), rtol=1e-11)
    error = abs(excess(tight.end, MINIMAL) - gaps[worst, first])
    return Finding(
        LARGER_SCALE,
        relative_margin(float(gaps[worst, first]), NEAR, error, note=note),
        f"From λ = {SCALES[first]:g}/√m on no seed shows a saddle: the loss never slows below {STILL:.0%} of its "
        f"fastest rate (at 10⁻⁴/√m: {still[:, 0].mean():.1e} of it). There ‖θ‖² exceeds the minimum by "
        f"{gaps[:, first].mean():.1%} (at most {gaps[:, first].max():.1%}), at 1/√m by {gaps[:, -1].mean():.0%}, at "
        f"10⁻²/√m by {gaps[:, 1].mean():.2%}. The saddle fades before the small norm does, over about one decade of "
        "λ; there is no sharp end to either.",
        "larger-scale",
    )  # fmt: skip


def _figure(gaps: FloatArray, still: FloatArray) -> Figure:
    figure, axes = panels(1, 2, 4.0, 2.8)
    titles = "excess of ‖θ‖² over the minimum", "slowest rate of the loss, of the fastest"
    for ax, values, level, colour, title in zip(
        axes, (np.abs(gaps), np.maximum(still, 1e-12)), (NEAR, STILL), (PLUS, MINUS), titles, strict=True
    ):
        ax.loglog(SCALES, values.T, color=colour, marker="o", markersize=3, linewidth=0.7, alpha=0.5)
        ax.axhline(level, color="#b6bcc6", linestyle="--", linewidth=0.9)
        ax.set_xlabel("λ√m")
        ax.set_title(title, fontsize=9, loc="left")
    return figure
