"""`verify campaign CONFIG.toml --out DIR`: a declared sample checked in parallel, every result kept."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from verify.cli.interrupts import as_interrupt
from verify.cli.options import AsJson, Claims, Jobs
from verify.cli.terminal import INTERRUPTED, complain, console, print_json, records, summary_table, verdict_code

if TYPE_CHECKING:
    from verify.campaign.config import Config
    from verify.campaign.executors import Executor
    from verify.campaign.store import Store
    from verify.catalogue import Selection

File = Annotated[Path, typer.Argument(metavar="CONFIG.toml", help="The sample, the claims and the digits.")]
Out = Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder of the results; the same one resumes.")]
Scheduler = Annotated[
    str | None,
    typer.Option("--scheduler", metavar="tcp://…", help="Run on the Dask cluster with this scheduler."),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would run and how long it may take.")]


def run(
    file: File,
    out: Out,
    jobs: Jobs = None,
    scheduler: Scheduler = None,
    claims: Claims = None,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Draw the sample that CONFIG.toml declares, check the claims on every problem, keep all rows in DIR.

    Stopped at any moment, by Ctrl-C or a crash, the same command goes on where it was. `verify report DIR` and
    `verify diff A B` read the folder, and so does `verify.load(DIR)` in Python.
    """
    from verify.campaign.config import Config
    from verify.campaign.executors import executor
    from verify.catalogue import Selection
    from verify.cli.estimate import print_plan
    from verify.cli.workers import default_jobs

    config = Config.from_toml(file)
    if claims is not None:
        config = Config.from_dict(config.to_dict() | {"claims": claims})
    selection = Selection.parse(config.claims or None)
    selection.claims()
    workers = jobs or default_jobs(config.problems)
    if dry_run:
        print_plan(config, selection, out, scheduler or f"{workers} local processes", workers)
        return
    with as_interrupt(), _open(config, selection, out) as store, closing(executor(workers, scheduler)) as pool:
        for message in store.set_aside:
            complain(message)
        stopped = _work(config, selection, store, pool)
        _summarise(store, selection, config, out, as_json)
    if stopped:
        complain(f"interrupted after {len(store.finished)} of {config.problems} problems; the same command goes on")
        raise typer.Exit(INTERRUPTED)
    raise typer.Exit(verdict_code(store.tally.verdicts))


def _open(config: Config, selection: Selection, out: Path) -> Store:
    from verify.campaign.store import Store
    from verify.campaign.version import code_version
    from verify.report.provenance import Provenance

    provenance = Provenance.collect(config.seed, digits=config.digits).to_dict()
    return Store(out, config, code_version(selection), provenance)


def _work(config: Config, selection: Selection, store: Store, pool: Executor) -> bool:
    """Run until all is finished, with progress on stderr; returns whether Ctrl-C came first."""
    from verify.campaign.run import run as finish
    from verify.cli.progress import tracked

    had = sum(index < config.problems for index in store.finished)
    try:
        with closing(tracked(finish(config, selection, store, pool), had, config.problems)) as steps:
            for _ in steps:
                pass
    except KeyboardInterrupt:
        return True
    return False


def _summarise(store: Store, selection: Selection, config: Config, out: Path, as_json: bool) -> None:
    from verify.check import select
    from verify.report.write import proved_words

    statements = {claim.id: claim.statement for claim in select(selection.claims())}
    summary, verdicts = store.tally.summary(statements), store.tally.verdicts
    counts: dict[str, Any] = {"problems": len(store.finished), "of": config.problems, **verdicts}
    counts["certified"] = proved = store.tally.certified
    if as_json:
        print_json(counts | {"code": store.code, "folder": str(out), "summary": records(summary)})
        return
    screen = console()
    screen.print(summary_table(summary))
    held, failed, unresolved, vacuous = verdicts.values()
    screen.print(
        f"\n{len(store.finished)} of {config.problems} problems, {sum(verdicts.values())} cases: "
        f"{held} held, {failed} failed, {unresolved} unresolved, {vacuous} vacuous.{proved_words(proved)}"
    )
    screen.print(f"Rows: {out}, code {store.code}. To read: verify report {out}", soft_wrap=True)
