"""Figures of experiments in the house style."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from io import BytesIO
from typing import TYPE_CHECKING

import numpy as np

from verify.experiments.line import lifted
from verify.experiments.regression import Regression
from verify.network import Network
from verify.notation import FloatArray
from verify.report.figures import new_figure
from verify.report.trajectory_figure import INK, MINUS, PLUS, STYLE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DPI, COLOURS = 100, 64


def panels(rows: int, columns: int, width: float = 3.1, height: float = 2.7) -> tuple[Figure, list[Axes]]:
    """A figure of so many panels, in reading order."""
    import matplotlib as mpl

    with mpl.rc_context(STYLE):
        figure = new_figure(width * columns, height * rows)
        axes = figure.subplots(rows, columns, squeeze=False)
    return figure, list(axes.flat)


def draw_function(ax: Axes, data: Regression, network: Network, span: tuple[float, float], title: str) -> None:
    """The network function on the line, and the data."""
    x = np.linspace(*span, 400)
    ax.plot(x, data.outputs(network, lifted(x)), color=INK, linewidth=1.4)
    ax.scatter(data.x[:, 0], data.y, color="#e9a23b", s=28, zorder=4)
    ax.set_title(title, fontsize=9, loc="left")


def draw_neurons(ax: Axes, network: Network, targets: Iterable[FloatArray] = ()) -> None:
    """The hidden weights in the plane, coloured by the sign of their output weight, and directions as rays."""
    size = 1.15 * float(np.abs(network.w).max())
    for target in targets:
        ray = target / np.linalg.norm(target) * 2 * size
        ax.plot([0, ray[0]], [0, ray[1]], color="#b6bcc6", linewidth=0.9, zorder=1)
    for sign, colour in ((1, PLUS), (-1, MINUS)):
        own = network.w[np.sign(network.a) == sign]
        ax.scatter(own[:, 0], own[:, 1], color=colour, s=9, linewidths=0, zorder=3)
    ax.set_xlim(-size, size)
    ax.set_ylim(-size, size)
    ax.ticklabel_format(style="sci", scilimits=(-2, 2))
    ax.tick_params(labelsize=7)


def draw_losses(ax: Axes, curves: Sequence[tuple[FloatArray, FloatArray]], unit: str, levels: Sequence[float]) -> None:
    """Loss against time for every seed, with the levels of saddles."""
    for times, losses in curves:
        ax.plot(times, losses, color=PLUS, linewidth=0.9, alpha=0.6)
    for level in levels:
        ax.axhline(level, color="#b6bcc6", linestyle=(0, (4, 3)), linewidth=0.9, zorder=1)
    ax.set_xlabel(unit)
    ax.set_title("loss", fontsize=9, loc="left")
    ax.set_ylim(bottom=0)


def draw_powers(ax: Axes, x: FloatArray, values: FloatArray, label: str, colour: str = PLUS) -> None:
    """One thin line a seed (seeds, len(x)) on logarithmic axes, and their median."""
    ax.loglog(x, values.T, color=colour, linewidth=0.7, alpha=0.35)
    ax.loglog(x, np.median(values, axis=0), color=colour, marker="o", markersize=3.5, linewidth=1.6, label=label)


def png(figure: Figure) -> bytes:
    """The figure as a small PNG: few colours are enough for lines and dots."""
    from PIL import Image

    raw, small = BytesIO(), BytesIO()
    figure.savefig(raw, format="png", dpi=DPI, facecolor="white")
    Image.open(raw).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE).save(small, format="png", optimize=True)
    return small.getvalue()


def gif(frames: Iterable[Figure], milliseconds: int = 120) -> bytes:
    """An animation of figures of equal size, which repeats; the last frame stays longer."""
    from PIL import Image

    images = []
    for figure in frames:
        raw = BytesIO()
        figure.savefig(raw, format="png", dpi=DPI * 2 // 3, facecolor="white")
        images.append(Image.open(raw).convert("RGB").quantize(COLOURS // 2, dither=Image.Dither.NONE))
    out = BytesIO()
    durations = [milliseconds] * (len(images) - 1) + [2000]
    images[0].save(
        out, format="gif", save_all=True, append_images=images[1:], duration=durations, loop=0, optimize=True
    )
    return out.getvalue()
