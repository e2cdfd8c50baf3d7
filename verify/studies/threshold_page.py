"""The page of X.threshold: a table of medians, the fitted slopes, and the figure."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from verify.errors import InvalidArgument
from verify.report.figures import STYLE, figure_bytes, new_figure
from verify.report.formats import number, to_markdown
from verify.report.provenance import Provenance
from verify.report.write import write_atomically
from verify.studies.regression import Fit, fit
from verify.studies.tables import write_page
from verify.studies.threshold import GROUPS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NAME = "threshold"
COLOURS = ("#2a7f9e", "#e9a23b", "#d1495b", "#6b7280", "#7a5195", "#3f8f5b", "#111827")

HEAD = """# The threshold λ*

λ* = e^(−Λ*) is the largest λ from which on a group of claims holds on a problem. Labels are 2 on half of the inputs
and −1 on the others, directions Gaussian with a neuron in each key set, ε is 0.9 of the largest. Λ* is found by
bisection on verdicts in float64, and above it four more places are looked at; a claim left unresolved does not
count as held.

Divide all labels by C, all directions by √C, and the flow is the same in other units of time; but the gaps at which
the paper's phases end, such as λ^(ε/29), are in fixed units. With ‖y₋‖ < 1, as for labels 1 and −½ up to n = 7,
phase 3 ends as it begins until λ^(ε/29) < ‖y₋‖, and this alone sets Λ*, whatever n and m. Labels 2 and −1 have ‖y₋‖
≥ 1 throughout.

| group | claims |
| --- | --- |
"""
SLOPES = """## Slopes

Least squares of ln λ* = −Λ* over all problems, ln λ* = constant − b·n − p·ln m, with 95 % intervals. The paper says
λ* ~ e^(−Θ(n))/√m, which is b > 0 and p = 0.5.
"""
FINDING = """## What it says of the paper's remark

- **e^(−Θ(n))** comes from ε: what the lemmas need is that κ = εΛ exceeds some number, and for these labels 1/ε
  grows linearly with n. The slopes of κ* = εΛ* beside those of Λ* show what is left when that is taken out.
- **1/√m** is what `P1.sign`, the only step in which the paper's bounds contain m, is sure to need: 4mc²λ² at most a
  label. The sums behind it have m terms of either sign. For random signs they are of size √m λ², so that p = ¼.
- In phases 2 and 3, λ* is of the order that the remark says; the interval of p is wide, because each problem has its
  own neurons.
- In phase 1 and in convergence m enters otherwise. Among more key neurons the last one dies later; and among more
  neurons of θ* there are smaller ones, which the bound of `L5.PL` cannot count on in a large ball. In Λ* = κ*/ε this
  gives exponents p far above ½; they are slopes over this range of m, and nothing says that they stay.
"""
RATIO = """The explicit sufficient value, `verify.regime`, is the last column but one; the ratio is what it gives away.
The claim that fails first is the one that does not hold just below Λ*.

- Ratios of exactly 2 in phase 1 come from the formula. Where `L7.dead.corrected` or its twin fails first, Λ* is
  where t₊₁ = κ/‖D₊‖ or t₋₁ = κ/‖D₋‖ meets the last death of a key neuron, and `deaths_in_time` asks for twice that
  time. The factor 2, meant for the distance of the residual from y, is all that it gives away. The ratio is larger
  where `aligned_in_time` asks for more.
- Ratios in the thousands in phases 2 and 3 are those of `phase_three`: the tilt λ^(ε/14) that the paper allows in
  phase 3 costs up to λ^(ε/28), which is below the gap λ^(ε/29) only for 812 times the logarithm of a constant.
  Tilts are λ^(2ε).
- Convergence is decided by `L5.PL` in a ball of radius λ^(ε/160), and there by what can be proved: just below Λ* no
  smaller ratio is found either, but the bound that holds in the whole ball no longer suffices, and the claim is
  unresolved. With few neurons a key set holds one, and then Λ* depends on the labels alone.
"""


def write(rows: pd.DataFrame, folder: Path, provenance: Provenance) -> list[Path]:
    """Write threshold.md, .csv and .png. Raises ReportNotWritten."""
    groups = "".join(f"| {group} | {claims.replace(',', ', ')} |\n" for group, claims in GROUPS.items())
    picture = f"![Λ* over n and m]({NAME}.png)\n"
    parts = [HEAD + groups, RATIO, SLOPES, to_markdown(slopes(rows)), picture, FINDING]
    paths = write_page(folder, NAME, parts, medians(rows), rows, provenance)
    return [*paths, write_atomically(folder / f"{NAME}.png", figure_bytes(figure(rows)))]


def medians(rows: pd.DataFrame) -> pd.DataFrame:
    """One line for each group and size: median Λ*, its range, the claim that fails first, the sufficient value."""
    lines = []
    for (group, n, m), some in rows.groupby(["group", "n", "m"], sort=False):
        values = some["threshold"].dropna()
        ratio = (some["sufficient"] / some["threshold"]).median()
        usual = some["claim"].mode()
        lines.append(
            {
                "group": group,
                "n": n,
                "m": m,
                "problems": len(some),
                "median Λ*": number(values.median()),
                "range": f"{number(values.min(), '.3g')} to {number(values.max(), '.3g')}" if len(values) > 1 else "",
                "κ* = εΛ*": number((some["epsilon"] * some["threshold"]).median()),
                "claim that fails first": usual.iloc[0] if len(usual) else "",
                "sufficient Λ": number(some["sufficient"].median()),
                "ratio": number(ratio, ".3g"),
            }
        )
    return pd.DataFrame(lines).sort_values(["group", "m", "n"], key=_in_order, kind="stable")


def _in_order(column: pd.Series) -> pd.Series:
    order = {group: i for i, group in enumerate(GROUPS)}
    return column.map(order) if column.name == "group" else column


def slopes(rows: pd.DataFrame) -> pd.DataFrame:
    """One line a group: b, p and how much of the variance they explain; the same for κ* = εΛ* beside it."""
    lines = []
    for group in GROUPS:
        some = rows[(rows["group"] == group) & rows["threshold"].notna()]
        line = {"group": group, "problems": str(len(some))}
        try:
            found, scaled = _fit(some, some["threshold"]), _fit(some, some["epsilon"] * some["threshold"])
        except InvalidArgument as error:
            lines.append(line | {"b": str(error)})
            continue
        line |= {"b": found.text("n"), "p": found.text("ln m"), "R²": f"{found.explained:.2f}"}
        lines.append(line | {"b of κ*": scaled.text("n"), "p of κ*": scaled.text("ln m")})
    return pd.DataFrame(lines).fillna("")


def _fit(some: pd.DataFrame, values: pd.Series) -> Fit:
    columns = {"n": some["n"].to_numpy(float), "ln m": np.log(some["m"].to_numpy(float))}
    return fit(columns, values.to_numpy(float))


def figure(rows: pd.DataFrame) -> Figure:
    """Λ* over n, a panel a group, a colour a width, each problem a point, with the fitted lines."""
    import matplotlib as mpl

    with mpl.rc_context(STYLE | {"axes.spines.left": True}):
        shown = new_figure(15.0, 4.2)
        axes = shown.subplots(1, len(GROUPS))
        for ax, group in zip(axes, GROUPS, strict=True):
            _panel(ax, rows[(rows["group"] == group) & rows["threshold"].notna()], group)
        axes[0].set_ylabel("Λ* = −ln λ*")
        axes[-1].legend(title="m", frameon=False)
    return shown


def _panel(ax: Axes, some: pd.DataFrame, group: str) -> None:
    ax.set_title(group)
    ax.set_xlabel("n")
    sizes = sorted(some["m"].unique())
    try:
        found = _fit(some, some["threshold"])
    except InvalidArgument:
        found = None
    for colour, m in zip(COLOURS, sizes, strict=False):
        own = some[some["m"] == m]
        ax.scatter(own["n"], own["threshold"], s=18, color=colour, alpha=0.7, linewidths=0, label=str(m))
        if found is not None:
            n = np.array([some["n"].min(), some["n"].max()])
            ax.plot(n, found.values[0] + found.values[1] * n + found.values[2] * np.log(m), color=colour, linewidth=1)
    ax.set_ylim(bottom=0)
