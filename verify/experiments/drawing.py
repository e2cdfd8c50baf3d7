"""Figures of experiments in the house style."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from subprocess import CalledProcessError
from tempfile import TemporaryDirectory
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

GREY = "#b6bcc6"
DPI, MOVING_DPI, COLOURS = 100, 66, 64
LAST = 2000
"""Milliseconds for which an animation stays at its last frame."""


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
    draw_points(ax, network.w, network.a)
    size = ax.get_xlim()[1]
    for target in targets:
        ray = target / np.linalg.norm(target) * 2 * size
        ax.plot([0, ray[0]], [0, ray[1]], color=GREY, linewidth=0.9, zorder=1)


def draw_points(ax: Axes, points: FloatArray, signs: FloatArray) -> None:
    """Points (m, 2) about the origin in colours of their signs, and in a corner the power of ten that is the unit."""
    power = int(np.floor(np.log10(np.abs(points).max())))
    scaled = points / 10.0**power
    size = 1.15 * float(np.abs(scaled).max())
    for sign, colour in ((1, PLUS), (-1, MINUS)):
        own = scaled[np.sign(signs) == sign]
        ax.scatter(own[:, 0], own[:, 1], color=colour, s=9, linewidths=0, zorder=3)
    ax.set_xlim(-size, size)
    ax.set_ylim(-size, size)
    ax.tick_params(labelsize=7)
    ax.text(0.98, 0.02, f"unit $10^{{{power}}}$", transform=ax.transAxes, fontsize=7, ha="right", va="bottom")


def draw_stages(
    data: Regression,
    stages: Mapping[str, Network],
    span: tuple[float, float],
    heights: tuple[float, float],
    targets: Iterable[FloatArray] = (),
) -> Figure:
    """A column for each network, by title: its function above, its hidden weights below."""
    figure, axes = panels(2, len(stages), 2.7)
    rays = list(targets)
    for i, (title, network) in enumerate(stages.items()):
        draw_function(axes[i], data, network, span, title)
        axes[i].set_ylim(*heights)
        draw_neurons(axes[len(stages) + i], network, rays)
    axes[len(stages)].set_ylabel("bias of $w_j$")
    axes[len(stages)].set_xlabel("weight of $w_j$")
    return figure


def draw_losses(ax: Axes, curves: Sequence[tuple[FloatArray, FloatArray]], unit: str, levels: Sequence[float]) -> None:
    """Loss against time for every seed, with the levels of saddles."""
    for times, losses in curves:
        ax.plot(times, losses, color=PLUS, linewidth=0.9, alpha=0.6)
    for level in levels:
        ax.axhline(level, color=GREY, linestyle=(0, (4, 3)), linewidth=0.9, zorder=1)
    ax.set_xlabel(unit)
    ax.set_title("loss", fontsize=9, loc="left")
    ax.locator_params(axis="x", nbins=5)
    ax.set_ylim(bottom=0)


def draw_powers(ax: Axes, x: FloatArray, values: FloatArray, label: str, colour: str = PLUS) -> None:
    """One thin line a seed (seeds, len(x)) on logarithmic axes, and their median."""
    ax.loglog(x, values.T, color=colour, linewidth=0.7, alpha=0.35)
    ax.loglog(x, np.median(values, axis=0), color=colour, marker="o", markersize=3.5, linewidth=1.6, label=label)


def draw_order(ax: Axes, steps: FloatArray, distances: FloatArray, title: str) -> None:
    """Distances (seeds, steps) against steps on logarithmic axes, and a line of slope 1."""
    draw_powers(ax, steps, distances, "")
    middle = np.median(distances, axis=0)
    ax.loglog(steps, middle[0] * steps / steps[0], color=GREY, linestyle="--", linewidth=0.9, zorder=1)
    ax.annotate("dashed: slope 1", (0.98, 0.04), xycoords="axes fraction", ha="right", fontsize=7)
    ax.minorticks_off()
    ax.set_xticks(steps, [f"{step:g}" for step in steps])
    ax.set_yticks(middle, [f"{distance:.1e}" for distance in middle])
    ax.set_xlabel("step")
    ax.set_title(title, fontsize=9, loc="left")


def powers_figure(x: FloatArray, curves: Mapping[str, FloatArray], unit: str, title: str) -> Figure:
    """One panel of ``draw_powers`` for each of one or two quantities, with a legend where there are two."""
    figure, (ax,) = panels(1, 1, 4.5, 2.8)
    for (label, values), colour in zip(curves.items(), (PLUS, MINUS), strict=False):
        draw_powers(ax, x, values, label, colour)
    if len(curves) > 1:
        ax.legend(frameon=False, fontsize=8)
    ax.set_xlabel(unit)
    ax.set_title(title, fontsize=9, loc="left")
    return figure


def png(figure: Figure) -> bytes:
    """The figure as a small PNG: few colours are enough for lines and dots."""
    from PIL import Image

    raw, small = BytesIO(), BytesIO()
    figure.savefig(raw, format="png", dpi=DPI, facecolor="white")
    Image.open(raw).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE).save(small, format="png", optimize=True)
    return small.getvalue()


def animations(name: str, frames: list[Figure], milliseconds: int = 120) -> dict[str, bytes]:
    """Figures of equal size as NAME.gif, and where ffmpeg is present as NAME.mp4 too, by file name."""
    found = {f"{name}.gif": gif(frames, milliseconds)}
    if video := mp4(frames, milliseconds):
        found[f"{name}.mp4"] = video
    return found


def gif(frames: Iterable[Figure], milliseconds: int) -> bytes:
    """An animation which repeats; the last frame stays longer."""
    from PIL import Image

    images = []
    for figure in frames:
        raw = BytesIO()
        figure.savefig(raw, format="png", dpi=MOVING_DPI, facecolor="white")
        images.append(Image.open(raw).convert("RGB").quantize(COLOURS // 2, dither=Image.Dither.NONE))
    out = BytesIO()
    durations = [milliseconds] * (len(images) - 1) + [LAST]
    images[0].save(
        out, format="gif", save_all=True, append_images=images[1:], duration=durations, loop=0, optimize=True
    )
    return out.getvalue()


def mp4(frames: list[Figure], milliseconds: int) -> bytes:
    """The same as a video by matplotlib's writer; empty where there is no ffmpeg, or it cannot write one."""
    from matplotlib.animation import FFMpegWriter

    if not FFMpegWriter.isAvailable():
        return b""
    # Even sizes and this pixel format are what browsers play.
    options = ["-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p"]
    writer = FFMpegWriter(fps=1000 // milliseconds, codec="h264", extra_args=options)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "video.mp4"
        try:
            with writer.saving(frames[0], str(path), dpi=MOVING_DPI):
                for figure in [*frames, *frames[-1:] * (LAST // milliseconds)]:
                    writer.fig = figure
                    writer.grab_frame(facecolor="white")
        except (OSError, CalledProcessError):
            return b""
        return path.read_bytes()
