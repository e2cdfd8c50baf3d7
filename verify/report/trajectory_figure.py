"""The figure of one trajectory: loss, norms and alignments against time, with the phases marked; plain arrays in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from verify.errors import InvalidArgument
from verify.notation import BoolArray, FloatArray
from verify.report.figures import new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PLUS, MINUS, OTHER, INK = "#2a7f9e", "#d1495b", "#b6bcc6", "#1f2937"
STYLE: dict[Any, Any] = {
    "font.size": 10, "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "grid.color": "#e5e7eb",
    "grid.linewidth": 0.7, "axes.axisbelow": True, "axes.titlelocation": "left", "mathtext.fontset": "dejavusans",
}  # fmt: skip
DECADES_OF_LOSS = 12.0
SYMBOLS = {"t_plus1": "$t_{+1}$", "t1": "$t_1$", "t_u": "$t_u$", "t2": "$t_2$", "t3": "$t_3$"}


@dataclass(frozen=True)
class Curves:
    """What the figure shows, sampled at `times` (T,).

    `log_loss` (T,) is ln L, `log_norms` (T, m) is ln‖w_j‖, `plus` and `minus` (m,) mask S₊₁ and S₋₁; `log_tilt_plus`
    (T, |S₊₁|) and `log_tilt_minus` (T, |S₋₁|) are ln(1 − cos) of the angles to D₊ and −D₋; `phases` maps t_plus1, t1,
    t_u, t2, t3 to times, None or infinite where there is none.
    Raises InvalidArgument when a length differs from that of `times` or from m.
    """

    times: FloatArray
    log_loss: FloatArray
    log_norms: FloatArray
    plus: BoolArray
    minus: BoolArray
    log_tilt_plus: FloatArray
    log_tilt_minus: FloatArray
    phases: Mapping[str, float | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("log_loss", "log_norms", "log_tilt_plus", "log_tilt_minus"):
            found = len(getattr(self, name))
            if found != len(self.times):
                raise InvalidArgument(f"{name}: {found} rows for {len(self.times)} times; give one row a time")
        for name, width in (("plus", len(self.plus)), ("minus", len(self.minus))):
            if width != self.log_norms.shape[1]:
                raise InvalidArgument(
                    f"{name}: length {width} for {self.log_norms.shape[1]} neurons; give one entry a neuron"
                )


def trajectory_figure(curves: Curves, title: str = "Gradient flow") -> Figure:
    """Three panels over one time axis: loss, ln‖w_j‖ by key set, 1 − cos of the angles of S₊₁ to D₊ and of S₋₁ to −D₋.

    Loss and 1 − cos are drawn from their logarithms, so that values below the smallest float are seen too; on a plain
    axis the cosine would be a line at 1 from the first instants on.
    """
    import matplotlib as mpl

    with mpl.rc_context(STYLE):
        figure = new_figure(9.0, 8.0)
        loss, norms, tilts = figure.subplots(3, 1, sharex=True, height_ratios=[1.0, 1.25, 1.0])
        _draw_loss(loss, curves)
        _draw_norms(norms, curves)
        _draw_tilts(tilts, curves)
        for ax in (loss, norms, tilts):
            _draw_phases(ax, curves)
        _name_phases(loss, curves)
        tilts.set_xlabel("time t")
        tilts.set_xlim(curves.times[0], curves.times[-1])
        figure.suptitle(title, x=0.01, ha="left", fontsize=14, weight="bold")
        _legend(figure, curves)
        figure.align_ylabels()
    return figure


def _draw_loss(ax: Axes, curves: Curves) -> None:
    decades = _decades(curves.log_loss)
    ax.plot(curves.times, decades, color=INK, linewidth=1.8)
    highest = float(np.nanmax(decades)) if np.isfinite(decades).any() else 0.0
    ax.set_ylim(max(ax.get_ylim()[0], highest - DECADES_OF_LOSS), highest + 0.7)
    _label_decades(ax, "loss L")


def _decades(logs: FloatArray) -> FloatArray:
    """Powers of ten from natural logarithms; what is exactly zero is left out."""
    return np.asarray(np.where(np.isfinite(logs), logs, np.nan) / np.log(10.0))


def _label_decades(ax: Axes, name: str) -> None:
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    ax.yaxis.set_major_locator(MaxNLocator(nbins=6, integer=True))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda decade, _: f"$10^{{{decade:.0f}}}$"))
    ax.set_ylabel(name)


def _draw_norms(ax: Axes, curves: Curves) -> None:
    other = ~(curves.plus | curves.minus)
    for mask, colour, width, level in (
        (other, OTHER, 0.9, 2),
        (curves.minus, MINUS, 1.5, 3),
        (curves.plus, PLUS, 1.5, 4),
    ):
        if mask.any():
            ax.plot(curves.times, curves.log_norms[:, mask], color=colour, linewidth=width, zorder=level)
    ax.set_ylabel("ln‖$w_j$‖   [nats]")


def _draw_tilts(ax: Axes, curves: Curves) -> None:
    for logs, colour, level in ((curves.log_tilt_minus, MINUS, 3), (curves.log_tilt_plus, PLUS, 4)):
        if logs.shape[1]:
            ax.plot(curves.times, _decades(logs), color=colour, linewidth=1.3, zorder=level)
    _label_decades(ax, "misalignment 1 − cos∠")


def _known(curves: Curves) -> list[tuple[str, float]]:
    within = {
        name: t for name, t in curves.phases.items() if t is not None and curves.times[0] <= t <= curves.times[-1]
    }
    return sorted(within.items(), key=lambda phase: phase[1])


def _draw_phases(ax: Axes, curves: Curves) -> None:
    for _, t in _known(curves):
        ax.axvline(t, color=INK, linewidth=0.9, linestyle=(0, (4, 3)), alpha=0.65, zorder=1)


def _name_phases(ax: Axes, curves: Curves) -> None:
    """Names above the top panel; times too close to be named apart share one label."""
    width = curves.times[-1] - curves.times[0]
    groups: list[tuple[float, list[str]]] = []
    for name, t in _known(curves):
        symbol = SYMBOLS.get(name, name)
        if groups and t - groups[-1][0] < 0.035 * width:
            groups[-1][1].append(symbol)
        else:
            groups.append((t, [symbol]))
    for t, symbols in groups:
        ax.text(t, 1.03, ", ".join(symbols), transform=ax.get_xaxis_transform(), ha="center", va="bottom", color=INK)


def _legend(figure: Figure, curves: Curves) -> None:
    from matplotlib.lines import Line2D

    counts = (
        (PLUS, "$S_{+1}$, target $D_+$", curves.plus.sum()),
        (MINUS, "$S_{-1}$, target $-D_-$", curves.minus.sum()),
        (OTHER, "other neurons", (~(curves.plus | curves.minus)).sum()),
    )
    handles = [
        Line2D([], [], color=colour, linewidth=2, label=f"{name} ({count})") for colour, name, count in counts if count
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles), frameon=False)
