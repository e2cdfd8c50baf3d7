"""The page of X.threshold: a table of medians, the fitted slopes, and the figure."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from verify.dataset import Dataset
from verify.errors import InvalidArgument
from verify.initialisation import Initialisation
from verify.problem import Problem
from verify.regime import deaths_in_time
from verify.report.figures import STYLE, figure_bytes, new_figure
from verify.report.formats import number, to_markdown
from verify.report.provenance import Provenance
from verify.report.write import write_atomically
from verify.search.threshold import ABSOLUTE, LOWEST
from verify.studies.regression import Fit, fit
from verify.studies.tables import write_page
from verify.studies.threshold import GROUPS, LABELS, ONE_SIGN, OUTPUTS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NAME, NOTHING = "threshold", "nothing"
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
EACH = """The exponent p again, from the problems of each n alone:
"""
DECIDING = """## What decides λ*

The claim that does not hold just below Λ*, and on how many problems; the first table has them size by size. No Λ below
{lowest:g} is looked at: problems on which all claims hold down to there have no Λ*, and are left out of the slopes.
"""
FINDING = """## What it says of the paper's remark

- **e^(−Θ(n))** comes from ε: what the lemmas need is that κ = εΛ exceeds some number, and for these labels 1/ε
  grows linearly with n. The slopes of κ* = εΛ* beside those of Λ* show what is left when that is taken out.
- **1/√m** is what the paper's bound 4mc²λ² ≤ min|y| in `P1.sign` asks for, the only step that contains m. What decides
  there are the outputs at time 0, λ²Σ_j s_j‖g_j‖⟨g_j, x_k⟩⁺: the Λ at which the largest of them is its label is off Λ*
  {start}
  For fair signs the sum is of size √m, hence **p = ¼**, at every n: the bound takes all signs to be equal. In the group
  "outputs, one sign" they are, but for the one neuron of S₋₁ that Assumption 3 needs, and there p = ½.
- In **phases 2 and 3** few neurons are late (`L3.time`, `L4.time`: the more key neurons, the sooner outputs grow), and
  many are in the way (`L4.close.corrected`): at t₃ neurons outside the key sets have grown to λ^(1−ρ), where ρ is their
  rate over ‖D₊‖, and all m of them count towards the distance to θ*, without a sign: mλ^(2(1−ρ)) is at most a number.
  This would be p = ½/(1 − ρ), more than ½, and more so for large n, where one label less makes little difference to a
  rate; the first of the two pulls the other way, and each problem has its own neurons, so that intervals are wide.
- In **phase 1** key neurons that start far from their target die last, and among more of them there is one that starts
  farther. But key neurons stay off −y by an angle that the labels set, so that for given labels all deaths have come
  after a time that does not depend on m: for n = 2 Λ* stays below {ceiling:.4g}. The exponents are slopes over this
  range of m, and fall to 0 beyond it.
- In **convergence** more neurons of θ* mean smaller ones, which the bound of `L5.PL` cannot count on in a large ball.
  In Λ* = κ*/ε this gives exponents p far above ½, which no claim of the paper excludes: its λ* is sufficient, and what
  is decided here is whether a bound can be proved.
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
    finding = FINDING.format(start=_start(rows), ceiling=ceiling())
    parts = [HEAD + groups, RATIO, SLOPES, to_markdown(slopes(rows)), EACH, to_markdown(by_inputs(rows)), picture]
    parts += [DECIDING.format(lowest=LOWEST), to_markdown(deciding(rows)), finding]
    paths = write_page(folder, NAME, parts, medians(rows), rows, provenance)
    return [*paths, write_atomically(folder / f"{NAME}.png", figure_bytes(figure(rows)))]


def medians(rows: pd.DataFrame) -> pd.DataFrame:
    """One line for each group and size: median Λ*, its range, the claim that fails first, the sufficient value."""
    lines = []
    for (group, n, m), some in rows.groupby(["group", "n", "m"], sort=False):
        values = some["threshold"].dropna()
        ratio = (some["sufficient"] / some["threshold"]).median()
        first = some["claim"].value_counts()
        lines.append(
            {
                "group": group,
                "n": n,
                "m": m,
                "problems": len(some),
                "median Λ*": number(values.median()),
                "range": f"{number(values.min(), '.3g')} to {number(values.max(), '.3g')}" if len(values) > 1 else "",
                "κ* = εΛ*": number((some["epsilon"] * some["threshold"]).median()),
                "fails first": ", ".join(f"{claim or NOTHING} {count}" for claim, count in first.items()),
                "sufficient Λ": number(some["sufficient"].median()),
                "ratio": number(ratio, ".3g"),
            }
        )
    return pd.DataFrame(lines).sort_values(["group", "m", "n"], key=_in_order, kind="stable")


def _in_order(column: pd.Series) -> pd.Series:
    order = {group: i for i, group in enumerate(GROUPS)}
    return column.map(order) if column.name == "group" else column


def _bracketed(rows: pd.DataFrame) -> pd.DataFrame:
    """Those with a Λ* that has a failure below it."""
    return rows[rows["threshold"].notna() & (rows["failing"] > 0)]


def slopes(rows: pd.DataFrame) -> pd.DataFrame:
    """One line a group: b, p and how much of the variance they explain; the same for κ* = εΛ* beside it."""
    lines = []
    for group in GROUPS:
        some = _bracketed(rows[rows["group"] == group])
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


def by_inputs(rows: pd.DataFrame) -> pd.DataFrame:
    """One line a group: the exponent p of the problems of each n."""
    lines = []
    for group, some in _bracketed(rows).groupby("group", sort=False):
        lines.append({"group": group} | {f"n = {n}": _exponent(own) for n, own in some.groupby("n")})
    return pd.DataFrame(lines).sort_values("group", key=_in_order, kind="stable").fillna("")


def deciding(rows: pd.DataFrame) -> pd.DataFrame:
    """One line for each group and claim that fails first: where, and how often."""
    lines = []
    for (group, claim), some in rows[rows["threshold"].notna()].groupby(["group", "claim"]):
        line = {"group": group, "claim that fails first": claim or NOTHING, "problems": len(some)}
        line |= {name: f"{some[name].min()} to {some[name].max()}" for name in ("n", "m")}
        lines.append(line)
    return pd.DataFrame(lines).sort_values("group", key=_in_order, kind="stable")


def _exponent(some: pd.DataFrame) -> str:
    """p over problems of one n; nothing where there are too few."""
    try:
        return fit({"ln m": np.log(some["m"].to_numpy(float))}, some["threshold"].to_numpy(float)).text("ln m")
    except InvalidArgument:
        return ""


def _start(rows: pd.DataFrame) -> str:
    """How far Λ* is from where the outputs at time 0 are as large as a label."""
    some = _bracketed(rows[rows["group"].isin([OUTPUTS, ONE_SIGN]) & rows["start"].notna()])
    off = (some["threshold"] - some["start"]).abs()
    median, most = off.median(), off.quantile(0.95)
    return (
        f"by {number(median, '.2g')} at the median, and by {number(most, '.2g')} or less on 19 problems of 20; "
        f"Λ* is known to {ABSOLUTE:g}."
    )


def ceiling() -> float:
    """An upper bound of the Λ* of phase 1 for n = 2 and any m: the last death of neurons as far off as key sets allow.

    Its neurons point along the label of the other sign, where a key neuron has its largest angle with its target.
    """
    far = Initialisation([[1e-12, 1.0], [1.0, 1e-12]], [1, -1], 1000.0)
    return deaths_in_time(Problem(Dataset.standard(LABELS), far)) / 2


def figure(rows: pd.DataFrame) -> Figure:
    """Λ* over n, a panel a group, a colour a width, each problem a point, with the fitted lines."""
    import matplotlib as mpl

    with mpl.rc_context(STYLE | {"axes.spines.left": True}):
        shown = new_figure(18.0, 4.2)
        axes = shown.subplots(1, len(GROUPS))
        for ax, group in zip(axes, GROUPS, strict=True):
            _panel(ax, _bracketed(rows[rows["group"] == group]), group)
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
