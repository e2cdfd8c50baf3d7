"""`verify simulate FILE.json`: one trajectory, in numbers and as a figure."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from verify.cli.options import AsJson, File
from verify.cli.terminal import complain, console, print_json, records, working

if TYPE_CHECKING:
    import pandas as pd

    from verify.flow.trajectory import Trajectory
    from verify.problem import Problem

Until = Annotated[
    float | None, typer.Option("--until", metavar="T", help="Last time; without it, until every component is at rest.")
]
Digits = Annotated[
    int | None, typer.Option("--digits", metavar="N", help="Decimal digits, 20 to 2000; machine floats without it.")
]
Plot = Annotated[
    Path | None,
    typer.Option("--plot", metavar="OUT.png", help="Draw loss, norms and alignment against time (.png, .svg or .pdf)."),
]


def run(file: File, until: Until = None, digits: Digits = None, plot: Plot = None, as_json: AsJson = False) -> None:
    """Simulate the gradient flow of one problem; print where it ends, its loss, deactivations and error estimate."""
    from verify.flow.simulate import simulate
    from verify.problem import Problem

    problem = Problem.from_json(file)
    with working(f"simulating {file}"):
        trajectory = simulate(problem, until=until, digits=digits)
    summary = summary_of(trajectory)
    if as_json:
        print_json(summary | {"deactivations": records(spelled(trajectory))})
    else:
        print_summary(problem, summary)
    if plot is not None:
        with working(f"drawing {plot}"):
            draw(problem, trajectory, until, plot)
        complain(f"figure written to {plot}")


def spelled(trajectory: Trajectory) -> pd.DataFrame:
    """The deactivations, their times as decimal strings where they have more digits than a float."""
    events = trajectory.deactivations
    if not trajectory.arithmetic.wide:
        return events
    import mpmath

    return events.assign(t=[mpmath.nstr(t, trajectory.arithmetic.digits, strip_zeros=False) for t in events["t"]])


def summary_of(trajectory: Trajectory) -> dict[str, Any]:
    """Key of the problem, end time, loss and its logarithm there, number of deactivations, digits, error estimate."""
    end = trajectory.at(trajectory.t_end)
    return {
        "problem": trajectory.problem.key,
        "t_end": float(trajectory.t_end),
        "loss": float(end.loss),
        "log_loss": float(end.log_loss),
        "deactivations": len(trajectory.deactivations),
        "digits": trajectory.arithmetic.digits,
        "error": float(trajectory.error),
        "log_error": float(trajectory.arithmetic.magnitude(trajectory.error)),
    }


def print_summary(problem: Problem, summary: dict[str, Any]) -> None:
    """The summary of a trajectory, one line a number."""
    n, m, d = problem.dataset.n, problem.initialisation.m, problem.dataset.d
    loss = f"10^{summary['log_loss'] / math.log(10):.4g}" if math.isfinite(summary["log_loss"]) else "0"
    lines = {
        "problem": f"{problem.key}   n = {n}, d = {d}, m = {m}, Λ = {problem.initialisation.minus_log_lambda:g}, "
        f"ε = {problem.epsilon:.4g}, κ = {problem.kappa:.4g}",
        "t_end": f"{summary['t_end']:.10g}",
        "loss at t_end": f"{summary['loss']:.6g}" if summary["loss"] > 1e-300 else loss,
        "deactivations": str(summary["deactivations"]),
        "error estimate": f"10^{summary['log_error'] / math.log(10):.1f}   "
        "(ln‖w_j‖ and directions absolute, residuals relative)",
    }
    for name, text in lines.items():
        console().print(f"[bold]{name:<15}[/]{text}")


def draw(problem: Problem, trajectory: Trajectory, until: float | None, path: Path) -> None:
    """Write the figure of a trajectory; phases are those of the orientation with ‖D₊‖ > ‖D₋‖."""
    from verify.cli.curves import curves_of
    from verify.flow.simulate import simulate
    from verify.report.figures import figure_bytes
    from verify.report.trajectory_figure import trajectory_figure
    from verify.report.write import write_atomically

    oriented = problem.oriented()
    shown = trajectory if oriented is problem else simulate(oriented, until=until)
    title = f"Gradient flow from λ = exp(−{problem.initialisation.minus_log_lambda:g}), κ = {problem.kappa:.3g}"
    figure = trajectory_figure(curves_of(shown, until), title + ("" if oriented is problem else ", signs flipped"))
    write_atomically(path, figure_bytes(figure, path.suffix))
