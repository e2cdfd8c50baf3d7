"""How likely Assumption 3 is, and how wide a network must be for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

from verify.claim import slack_margin
from verify.experiments.drawing import panels
from verify.experiments.result import Finding, Measured, Progress, Remark, Result
from verify.notation import FloatArray
from verify.report.trajectory_figure import INK, PLUS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WIDTH = Remark(
    "X.width",
    "Section 3.1",
    "T/D",
    "P(Assumption 3) is 1 − (1 − p)^m − (1 − q)^m + (1 − p − q)^m, p = 2^−(n₊+1), q = 2^−(n₋+1); the width is "
    "exponential",
)
CLAIMS = (WIDTH,)

SIZES, WIDTHS, DRAWS = (1, 2, 4, 6), (1, 4, 16, 64, 256), 400
CONFIDENCE = 1 - 1e-4
"""Of all intervals together."""


def probability(n_plus: int, n_minus: int, m: int) -> float:
    """P(S₊₁ and S₋₁ both non-empty) for Gaussian directions and fair signs, in closed form. [D]

    A neuron is in S₊₁ with p = 2^−(n₊+1), in S₋₁ with q = 2^−(n₋+1), never in both:
    1 − (1 − p)^m − (1 − q)^m + (1 − p − q)^m.

    >>> probability(1, 1, 2)
    0.125
    """
    p, q = 2.0 ** -(n_plus + 1), 2.0 ** -(n_minus + 1)
    return float(1 - (1 - p) ** m - (1 - q) ** m + (1 - p - q) ** m)


def width_needed(n_plus: int, n_minus: int, confidence: float = 0.95) -> int:
    """The least m with ``probability`` of at least ``confidence``.

    >>> width_needed(1, 1), width_needed(5, 5)
    (13, 234)
    """
    low, high = 1, 2
    while probability(n_plus, n_minus, high) < confidence:
        high *= 2
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if probability(n_plus, n_minus, middle) >= confidence else (middle + 1, high)
    return low


def share(rng: np.random.Generator, n_plus: int, n_minus: int, m: int, draws: int) -> int:
    """In how many of so many Gaussian starts both key sets are non-empty."""
    p = rng.normal(size=(draws, m, n_plus + n_minus)) >= 0
    signs = rng.choice([-1, 1], (draws, m))
    plus = (p[..., :n_plus].all(axis=-1) & (signs > 0)).any(axis=1)
    minus = (p[..., n_plus:].all(axis=-1) & (signs < 0)).any(axis=1)
    return int((plus & minus).sum())


def run(seeds: int, progress: Progress) -> Result:
    """Draws against the closed form: 400 starts a seed for each size and width."""
    progress("width")
    rng, total = np.random.default_rng(0), DRAWS * seeds
    cases = [(n, m) for n in SIZES for m in WIDTHS]
    found = np.array([sum(share(rng, n, n, m, DRAWS) for _ in range(seeds)) for n, m in cases])
    exact = np.array([probability(n, n, m) for n, m in cases])
    tails = 2 * np.minimum(stats.binom.cdf(found, total, exact), stats.binom.sf(found - 1, total, exact))
    surprise = float(tails.min() * len(cases))
    needed = np.array([width_needed(n, n) for n in range(1, 21)])
    growth = np.diff(np.log2(needed))
    rows = (
        Measured("largest difference of shares and closed form", "0", [float(np.abs(found / total - exact).max())], 2),
        Measured("smallest p-value, times the number of cases", "", [surprise], 2),
        Measured("width for 95 %, n₊ = n₋ = 10", "exponential in n", [needed[9]], 6),
        Measured("its doublings per label of each sign, n₊ = 10 … 20", "", list(growth[9:]), 4),
    )
    finding = Finding(
        WIDTH,
        slack_margin(float(np.log(surprise / (1 - CONFIDENCE))), 0.0, "nats", note="ln of the p-value over 10⁻⁴"),
        f"Over {total} draws for each of {len(cases)} pairs (n, m) no share differs from the closed form by more than "
        f"chance ({np.abs(found / total - exact).max():.3f} at most). The width that makes Assumption 3 hold with "
        f"probability 0.95 doubles with every label of each sign, {needed[9]} for ten of each: it is exponential in "
        "max(n₊, n₋), not in n as a whole.",
        "width",
    )  # fmt: skip
    figures = {"width": _figure(cases, found / total)}
    return Result("width", "The width for Assumption 3", "Gaussian directions, fair signs, n₊ = n₋", seeds, rows,
                  (finding,), figures)  # fmt: skip


def _figure(cases: list[tuple[int, int]], shares: FloatArray) -> Figure:
    figure, (ax,) = panels(1, 1, 4.5, 2.8)
    m = np.geomspace(1, 1000, 80)
    for n in SIZES:
        p = 2.0 ** -(n + 1)
        ax.semilogx(m, 1 - 2 * (1 - p) ** m + (1 - 2 * p) ** m, color=INK, linewidth=0.9)
        own = [i for i, case in enumerate(cases) if case[0] == n]
        ax.scatter([cases[i][1] for i in own], shares[own], color=PLUS, s=16, zorder=4)
        ax.annotate(str(n), (width_needed(n, n, 0.5), 0.5), xytext=(5, -4), textcoords="offset points", fontsize=8)
    ax.set_xlabel("width m")
    ax.set_title("share of starts with Assumption 3; numbers: n₊ = n₋", fontsize=9, loc="left")
    return figure
