"""The figure of the benchmarks: time against Λ and against m, all programs on the same axes."""

from pathlib import Path

from matplotlib.figure import Figure

from tests.benchmarks.table import Run

AXES = {"Λ": "Λ = −ln λ   (n = 5, m = 60)", "m": "neurons m   (n = 5, Λ = 230)", "n": "labels n   (m = 1000, Λ = 230)"}


def curves(runs: list[Run], axis: str) -> dict[str, list[tuple[float, float]]]:
    """Points (x, seconds) of each program along one axis, in order of x."""
    found: dict[str, list[tuple[float, float]]] = {}
    for run in runs:
        if run.place is not None and run.place[0] == axis:
            name = "verify, to rest" if "=" in run.name else run.name
            found.setdefault(name, []).append((run.place[1], run.seconds))
    return {name: sorted(points) for name, points in found.items()}


def draw(runs: list[Run], path: Path) -> None:
    """Write the figure as PNG; an axis with no runs is left out."""
    axes = [axis for axis in AXES if curves(runs, axis)]
    if not axes:
        return
    figure = Figure(figsize=(4.2 * len(axes), 4.0), layout="constrained")
    for axis, panel in zip(axes, figure.subplots(1, len(axes), squeeze=False, sharey=True)[0], strict=True):
        names = sorted(curves(runs, axis).items(), key=lambda item: not item[0].startswith("verify"))
        for name, points in names:
            ours = {"verify": "black", "verify, to rest": "gray"}
            style = {"color": ours[name], "linewidth": 2.0, "zorder": 3} if name in ours else {"linewidth": 1.0}
            panel.loglog(*zip(*points, strict=True), marker="o", markersize=4, label=name, **style)
        panel.set_xlabel(AXES[axis])
        panel.grid(alpha=0.3)
        panel.legend(fontsize=7)
    figure.axes[0].set_ylabel("processor seconds a trajectory")
    figure.savefig(path, dpi=130)
