"""`verify report`: problems drawn by Hypothesis, checked one by one, and the margins on disk."""

from __future__ import annotations

import shlex
from collections.abc import Generator, Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from verify.cli.options import AsJson, Claims, Digits, Jobs, claims_of, digits_of
from verify.cli.study import report_campaign
from verify.cli.terminal import (
    INTERRUPTED,
    UNRESOLVED,
    complain,
    console,
    exit_code,
    print_json,
    records,
    summary_table,
    verdict_code,
    working,
)
from verify.errors import InvalidArgument, SimulationFailed

if TYPE_CHECKING:
    import pandas as pd

    from verify.claim import Claim
    from verify.problem import Problem

Folder = Annotated[
    Path | None,
    typer.Argument(metavar="[DIR]", help="Folder of a campaign; without it problems are drawn here and now."),
]
Count = Annotated[int, typer.Option("--problems", metavar="N", min=1, help="How many problems to draw.")]
Seed = Annotated[int, typer.Option("--seed", metavar="S", min=0, help="Decides the problems drawn.")]
Out = Annotated[
    Path | None,
    typer.Option("--out", metavar="OUT", help="Folder of the report: reports/latest, or DIR/report of a campaign."),
]
Kappa = Annotated[
    tuple[float, float] | None,
    typer.Option(
        "--kappa",
        metavar="LOW HIGH",
        help="Range of κ = εΛ, so that λ^ε = exp(−κ); without it each problem is set where the lemmas should hold.",
    ),
]

LATEST = Path("reports/latest")
DRAWING = ("problems", "seed", "kappa", "claims", "digits")


def run(
    context: typer.Context,
    folder: Folder = None,
    problems: Count = 40,
    seed: Seed = 0,
    out: Out = None,
    kappa: Kappa = None,
    claims: Claims = None,
    digits: Digits = "auto",
    jobs: Jobs = None,
    as_json: AsJson = False,
) -> None:
    """Write the margins of a campaign as tables and an HTML page, or draw problems here and report on them."""
    if folder is not None:
        _refuse_drawing(context)
        raise typer.Exit(verdict_code(report_campaign(folder, out, jobs, as_json)))
    out = out or LATEST
    precision, command = digits_of(digits), _command(problems, seed, out, kappa, claims, digits)
    with working("drawing problems"):
        chosen = claims_of(claims)
        drawn = draw(problems, seed, kappa)
    from verify.campaign.many import check_all
    from verify.catalogue import Selection
    from verify.cli.workers import default_jobs

    stream = check_all(drawn, Selection.parse(claims), precision, jobs or default_jobs(problems))
    tables, stopped = collect(stream, problems)
    if not tables and stopped is not None:
        raise stopped
    rows = write(tables, drawn, chosen, out, seed, command, as_json)
    if stopped is not None:
        complain(f"{stopped or 'interrupted'} after {len(tables)} of {problems} problems; these are in the report")
        raise typer.Exit(INTERRUPTED if isinstance(stopped, KeyboardInterrupt) else max(exit_code(rows), UNRESOLVED))
    raise typer.Exit(exit_code(rows))


def _refuse_drawing(context: typer.Context) -> None:
    """The options that draw problems mean nothing for a campaign, which has them."""
    given = [name for name in DRAWING if str(context.get_parameter_source(name)).endswith("COMMANDLINE")]
    if given:
        raise InvalidArgument(f"--{given[0]} does not go with the folder of a campaign, which has its own problems")


def draw(count: int, seed: int, kappa: tuple[float, float] | None) -> list[Problem]:
    """Distinct problems, with κ in a range or each at the Λ from which on the lemmas should hold."""
    from verify.regime import in_regime
    from verify.strategies import problems, sample

    if kappa is not None:
        return sample(problems(kappa=kappa), count, seed)
    return sample(problems(n=(2, 4)).map(in_regime), count, seed)


def _command(
    problems: int, seed: int, out: Path, kappa: tuple[float, float] | None, claims: str | None, digits: str
) -> str:
    words = ["verify", "report", "--problems", problems, "--seed", seed]
    words += ([] if kappa is None else ["--kappa", *kappa]) + ["--digits", digits, "--out", out]
    words += [] if claims is None else ["--claims", claims]
    return shlex.join(map(str, words))


def collect(
    stream: Iterable[tuple[int, pd.DataFrame]], total: int
) -> tuple[list[pd.DataFrame], KeyboardInterrupt | SimulationFailed | None]:
    """The rows of every problem finished, in the order drawn, and what stopped the stream before its end."""
    found: dict[int, pd.DataFrame] = {}
    stopped: KeyboardInterrupt | SimulationFailed | None = None
    try:
        with closing(_with_progress(stream, total)) as progress:
            found.update(progress)
    except (KeyboardInterrupt, SimulationFailed) as reason:
        stopped = reason
    return [found[index] for index in sorted(found)], stopped


def _with_progress(stream: Iterable[tuple[int, pd.DataFrame]], total: int) -> Generator[tuple[int, pd.DataFrame]]:
    """The stream, with a progress bar on stderr when that is a terminal."""
    from rich import progress as bar

    screen = console(stderr=True)
    times = bar.TimeElapsedColumn(), bar.TimeRemainingColumn()
    columns = bar.TextColumn("checking problems"), bar.BarColumn(), bar.MofNCompleteColumn(), *times
    with bar.Progress(*columns, console=screen, disable=not screen.is_terminal) as progress:
        yield from progress.track(stream, total=total)


def write(
    tables: list[pd.DataFrame],
    drawn: Sequence[Problem],
    claims: list[Claim] | None,
    out: Path,
    seed: int,
    command: str,
    as_json: bool,
) -> pd.DataFrame:
    """Write the report and print its summary; returns all rows."""
    import pandas as pd

    from verify.check import select
    from verify.cli.replay import replay_of_report
    from verify.report.provenance import Provenance
    from verify.report.tables import summarise
    from verify.report.write import headline, write_report

    rows = pd.concat(tables, ignore_index=True)
    statements = {claim.id: claim.statement for claim in select(claims)}
    readings = {claim.id: claim.reading for claim in select(claims) if claim.reading}
    replay = replay_of_report(out)
    texts = {"statements": statements, "readings": readings}
    with working(f"writing {out}"):
        paths = write_report(rows, out, Provenance.collect(seed, command), problems=drawn, replay=replay, **texts)
    summary = summarise(rows, statements)
    if as_json:
        print_json({"summary": records(summary), "files": [str(path) for path in paths]})
        return rows
    screen = console()
    screen.print(summary_table(summary))
    screen.print(f"\n{headline(rows)}")
    screen.print(
        f"Report: {out / 'margins.md'}, figure: {out / 'margins.png'}, one case again: {replay}", soft_wrap=True
    )
    return rows
