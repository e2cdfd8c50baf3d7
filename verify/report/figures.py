"""The figure of margins per claim, from the rows of `check` alone; matplotlib is imported only when it is drawn."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from verify.errors import InvalidArgument
from verify.notation import FloatArray
from verify.report.formats import count, number
from verify.report.tables import judged, summarise

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = {"HOLDS": "#2a7f9e", "FAILS": "#d1495b", "UNRESOLVED": "#e9a23b"}
MARKERS = {"HOLDS": "o", "FAILS": "X", "UNRESOLVED": "D"}
WORDS = {"HOLDS": "holds", "FAILS": "fails", "UNRESOLVED": "unresolved"}
GREY, INK, DPI = "#6b7280", "#111827", 150
PANELS = {
    "nats": ("Power bounds", "margin = ln(bound) − ln(quantity)   [nats]"),
    "relative": ("Times and finite quantities", "margin = (bound − quantity) / bound   [relative]"),
}
LINEAR, MOST = {"nats": 0.1, "relative": 1e-3}, {"nats": 1e4, "relative": 1e2}
"""Sizes of margins below which an axis is linear, and beyond which it ends."""
FEW_LINES, LINE = 24, 0.27
"""So many claims fit one above the other; height of a line in inches."""
STYLE: dict[Any, Any] = {
    "font.size": 10, "axes.spines.top": False, "axes.spines.right": False, "axes.spines.left": False,
    "axes.titlelocation": "left", "axes.titleweight": "bold", "axes.titlesize": 10.5, "ytick.major.size": 0,
}  # fmt: skip


def new_figure(width: float, height: float) -> Figure:
    """An empty figure in the house style, drawn without a display. Width and height in inches."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def figure_bytes(figure: Figure, suffix: str = ".png") -> bytes:
    """The figure as a file of the kind its suffix says: .png, .svg or .pdf. Raises InvalidArgument for others."""
    if suffix not in (".png", ".svg", ".pdf"):
        raise InvalidArgument(f"figures are written as .png, .svg or .pdf, not {suffix!r}")
    buffer = BytesIO()
    figure.savefig(buffer, format=suffix[1:], dpi=DPI, facecolor="white")
    return buffer.getvalue()


def margins_figure(rows: pd.DataFrame) -> Figure:
    """Every margin of every claim: one line a claim, one point a problem coloured by verdict, right of zero is held.

    `rows` are results of `check`, concatenated. Margins in nats and relative ones have a panel each, one above the
    other while they are few; a claim measured on both scales has a line in both, with the cases, the median and the
    smallest margin of each. Margins beyond the axis are arrows at its edge; beside each line stand the counts of
    verdicts and the smallest margin. A claim that was never tested is named and says so.
    """
    import matplotlib as mpl

    rows = judged(rows)
    tables = {scale: _claims_on(rows, scale) for scale in PANELS}
    shown = {scale: table for scale, table in tables.items() if len(table)} or {"nats": tables["nats"]}
    with mpl.rc_context(STYLE):
        figure, axes = _panels([len(table) for table in shown.values()])
        for ax, (scale, table) in zip(axes, shown.items(), strict=True):
            _draw_panel(ax, rows, table, scale)
        _title(figure, rows)
        _legend(figure)
    return figure


def _claims_on(rows: pd.DataFrame, scale: str) -> pd.DataFrame:
    """The summary of the cases of one panel; claims without any case on a scale stand in the first panel."""
    tested = (rows["verdict"] != "VACUOUS") & rows["scale"].isin(list(PANELS))
    homeless = ~rows["claim"].isin(rows.loc[tested, "claim"]) & (scale == "nats")
    order = dict.fromkeys(rows["claim"], "")
    return summarise(rows[(tested & (rows["scale"] == scale)) | homeless], order)


def _panels(lengths: list[int]) -> tuple[Figure, list[Axes]]:
    """One panel above the other while there are few lines, side by side when there are many."""
    if sum(lengths) <= FEW_LINES:
        heights = [max(length, 1) + 1.8 for length in lengths]
        figure = new_figure(9.5, 1.1 + LINE * sum(heights))
        return figure, list(figure.subplots(len(lengths), 1, height_ratios=heights, squeeze=False)[:, 0])
    figure = new_figure(7.0 * len(lengths), 2.0 + LINE * max(lengths))
    figure.get_layout_engine().set(wspace=0.04)  # type: ignore[union-attr, call-arg]
    return figure, list(figure.subplots(1, len(lengths), squeeze=False)[0])


def _draw_panel(ax: Axes, rows: pd.DataFrame, table: pd.DataFrame, scale: str) -> None:
    own = rows["claim"].isin(table["claim"]) & (rows["scale"].map(str) == scale)
    tested = rows[own & (rows["verdict"] != "VACUOUS") & rows["margin"].notna()]
    edges = _set_scale(ax, tested["margin"].to_numpy(float), scale)
    for height, claim in enumerate(table["claim"]):
        _draw_claim(ax, tested[tested["claim"] == claim], height, edges)
    _label_claims(ax, table)
    title, unit = PANELS[scale]
    ax.set_title(title)
    ax.set_xlabel(unit)


def _set_scale(ax: Axes, margins: FloatArray, scale: str) -> tuple[float, float]:
    """A symmetric-log axis around zero; returns its ends, beyond which margins become arrows."""
    linear, most = LINEAR[scale], MOST[scale]
    low = max(_decade(-margins[margins < 0].min(initial=-linear)), linear)
    high = max(_decade(margins[margins > 0].max(initial=linear)), 10 * linear)
    ends = -min(low, most), min(high, most)
    ax.set_xscale("symlog", linthresh=linear, linscale=1.0)
    ax.set_xlim(*ends)
    step = -(-round(np.log10(-ends[0] * ends[1] / linear**2)) // 6)
    ticks = [*(-_powers(linear, -ends[0], step)), 0.0, *_powers(linear, ends[1], step)]
    ax.set_xticks(ticks, [_power_text(tick) for tick in ticks])
    ax.set_xticks([], minor=True)
    ax.axvspan(ends[0], 0.0, color=COLOURS["FAILS"], alpha=0.07, linewidth=0, zorder=0)
    ax.axvline(0.0, color=INK, linewidth=1.2, zorder=2)
    ax.grid(axis="x", color="#e5e7eb", linewidth=0.7, zorder=0)
    return ends


def _decade(size: float) -> float:
    """The power of ten from `size` on upwards; infinity stays."""
    return float(10.0 ** np.ceil(np.log10(size))) if np.isfinite(size) else np.inf


def _powers(low: float, high: float, step: int) -> FloatArray:
    """Every `step`-th power of ten from `high` down to `low`, which is left out when it would crowd zero."""
    first, last = round(np.log10(low)), round(np.log10(high))
    return 10.0 ** np.arange(last, first - (step == 1), -step).astype(float)


def _power_text(tick: float) -> str:
    power = round(np.log10(abs(tick))) if tick else 0
    plain = f"{tick:g}" if -3 <= power <= 3 else f"$10^{{{power}}}$" if tick > 0 else f"$-10^{{{power}}}$"
    return plain.replace("-", "−") if "$" not in plain else plain


def _draw_claim(ax: Axes, cases: pd.DataFrame, height: int, edges: tuple[float, float]) -> None:
    margins, verdicts = cases["margin"].to_numpy(float), cases["verdict"].to_numpy()
    spread = 0.24 if len(cases) > 1 else 0.0
    lines = height + np.random.default_rng(height).uniform(-spread, spread, len(cases))
    inside = (edges[0] <= margins) & (margins <= edges[1])
    for verdict in ("HOLDS", "UNRESOLVED", "FAILS"):
        points, alpha = inside & (verdicts == verdict), 0.55 if verdict == "HOLDS" else 0.95
        style: dict[str, Any] = {"color": COLOURS[verdict], "linewidths": 0, "zorder": 4, "clip_on": False}
        ax.scatter(margins[points], lines[points], s=16, marker=MARKERS[verdict], alpha=alpha, **style)
        for edge, marker, beyond in ((edges[0], "<", margins < edges[0]), (edges[1], ">", margins > edges[1])):
            if (beyond & (verdicts == verdict)).any():
                ax.scatter(edge, height, s=38, marker=marker, **style)
    if len(margins):
        middle = float(np.clip(np.median(margins), *edges))
        ax.plot([middle, middle], [height - 0.36, height + 0.36], color=INK, linewidth=1.6, zorder=5, clip_on=False)


def _label_claims(ax: Axes, table: pd.DataFrame) -> None:
    """Claim names at the left, counts and smallest margin at the right, outside the axes where they cover no point."""
    ax.set_ylim(max(len(table), 1) - 0.5, -0.5)
    ax.set_yticks(range(len(table)), list(table["claim"]), family="monospace")
    for verdict, (offset, sign) in {"HOLDS": (30, "●"), "FAILS": (56, "✖"), "UNRESOLVED": (82, "◆")}.items():
        _beside(ax, -0.85, sign, offset, COLOURS[verdict])
    _beside(ax, -0.85, "smallest", 142, GREY)
    for height, claim in enumerate(table.itertuples()):
        _write_counts(ax, height, claim)
        if height % 2:
            ax.axhspan(height - 0.5, height + 0.5, color="#f9fafb", zorder=-1)


def _write_counts(ax: Axes, height: int, claim: Any) -> None:
    if claim.untested:
        _beside(ax, height, f"vacuous in all {claim.cases}", 142, COLOURS["FAILS"])
        return
    counts = {"HOLDS": (30, claim.held), "FAILS": (56, claim.failed), "UNRESOLVED": (82, claim.unresolved)}
    for verdict, (offset, cases) in counts.items():
        _beside(ax, height, str(cases) if cases else "", offset, COLOURS[verdict])
    spec = ".2e" if 1e4 <= abs(claim.margin) < np.inf else ".3g"
    _beside(ax, height, number(claim.margin, spec).replace("-", "−") or "unknown", 142, GREY)


def _beside(ax: Axes, height: float, text: str, offset: float, colour: str) -> None:
    """Text that ends `offset` points to the right of the axes."""
    style: dict[str, Any] = {"xycoords": ax.get_yaxis_transform(), "textcoords": "offset points", "color": colour}
    ax.annotate(text, (1.0, height), (offset, 0), ha="right", va="center", fontsize=9, annotation_clip=False, **style)


def _title(figure: Figure, rows: pd.DataFrame) -> None:
    problems, claims = rows["problem"].nunique(), rows["claim"].nunique()
    title = f"Margins of {count(claims, 'claim')} on {count(problems, 'problem')}"
    figure.suptitle(title, x=0.01, ha="left", fontsize=14, weight="bold")


def _legend(figure: Figure) -> None:
    """Below the panels, where it covers nothing."""
    from matplotlib.lines import Line2D

    kinds: list[dict[str, Any]] = [
        {"color": COLOURS[verdict], "marker": MARKERS[verdict], "label": word} for verdict, word in WORDS.items()
    ]
    kinds.append({"color": INK, "marker": "|", "markersize": 11, "markeredgewidth": 1.6, "label": "median"})
    kinds.append({"color": GREY, "marker": ">", "label": "beyond the axis, or infinite"})
    handles = [Line2D([], [], linestyle="", **kind) for kind in kinds]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles), frameon=False, handletextpad=0.3)
