"""`verify report DIR`: tables and one HTML page of a campaign."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from verify.cli.terminal import console, print_json, records, summary_table, working

if TYPE_CHECKING:
    import pandas as pd

    from verify.problem import Problem
    from verify.report.page.content import Study
    from verify.report.trajectory_figure import Curves

DETAIL = 0.25
"""The page draws small figures of many trajectories."""


def report_campaign(folder: Path, out: Path | None, jobs: int | None, as_json: bool) -> pd.DataFrame:
    """Write claims.md, claims.csv, claims.tex and report.html of a campaign; returns its rows.

    Raises InvalidCampaign when the folder holds none, BrokenPart when a file is damaged, ReportNotWritten.
    """
    from verify.report.page.render import render_page
    from verify.report.tables import summarise
    from verify.report.write import headline

    out = out or folder / "report"
    with working(f"reading {folder}"):
        study = _study(folder)
    curves = _curves(folder, study.rows, jobs)
    summary = summarise(study.rows, {name: text.statement for name, text in study.claims.items()})
    with working(f"writing {out}"):
        paths = _write(study, summary, out)
        page = out / "report.html"
        paths.append(_written(page, render_page(_with_curves(study, curves))))
    if as_json:
        print_json({"summary": records(summary), "files": [str(path) for path in paths]})
        return study.rows
    screen = console()
    screen.print(summary_table(summary))
    screen.print(f"\n{headline(study.rows)}")
    screen.print(
        f"Page: {page} ({page.stat().st_size / 1e6:.1f} MB), tables: {out}/claims.md, .csv, .tex", soft_wrap=True
    )
    return study.rows


def _study(folder: Path) -> Study:
    from verify.campaign.load import provenance, report_rows
    from verify.campaign.store import read_config
    from verify.catalogue import available
    from verify.report.page.content import ClaimText, Study

    config, rows = read_config(folder), report_rows(folder)
    claims = {claim.id: ClaimText(claim.statement, claim.reading) for claim in [*available(), *_own(config.claims)]}
    return Study(
        rows=rows,
        claims=claims,
        title=config.title,
        sample=config.to_dict(),
        provenance=provenance(folder),
        replay=f"verify replay KEY --store {folder}",
    )


def _own(parts: Sequence[str]) -> list[Any]:
    """The claims of the user's files that the campaign named, where the files are still there."""
    from verify.catalogue import Selection

    files = [part for part in parts if part.endswith(".py") and Path(part).is_file()]
    return Selection.parse(files).claims() or [] if files else []


def _with_curves(study: Study, curves: dict[str, Curves]) -> Study:
    from dataclasses import replace

    return replace(study, curves=curves)


def _curves(folder: Path, rows: pd.DataFrame, jobs: int | None) -> dict[str, Curves]:
    """Trajectories of the tightest problems, in parallel; those that cannot be simulated are left out."""
    from verify.campaign.dispatch import Dispatcher
    from verify.campaign.executors import executor
    from verify.campaign.load import problems
    from verify.cli.progress import tracked
    from verify.cli.workers import default_jobs
    from verify.report.page.content import tightest_keys

    keys = tightest_keys(rows)
    if not keys:
        return {}
    found: dict[str, Curves] = {}

    def collect(stream: Any) -> Any:
        for pieces, results in stream:
            found.update(
                (problem.key, curves) for problem, curves in zip(pieces, results, strict=True) if curves is not None
            )
            yield len(pieces)

    with closing(executor(jobs or default_jobs(len(keys)), None)) as pool:
        dispatcher: Dispatcher[Problem] = Dispatcher(
            pool,
            work=lambda chosen: (_curves_of, [problem.to_json() for problem in chosen]),
            dead=lambda problem: [None],
        )
        for _ in tracked(collect(dispatcher.outcomes(problems(folder, keys))), 0, len(keys), "drawing trajectories"):
            pass
    return {key: found[key] for key in keys if key in found}


def _curves_of(problems: list[dict[str, Any]]) -> list[Curves | None]:
    from verify.cli.curves import curves_of
    from verify.errors import VerifyError
    from verify.flow.simulate import simulate
    from verify.problem import Problem

    out: list[Curves | None] = []
    for values in problems:
        try:
            out.append(curves_of(simulate(Problem.from_json(values).oriented()), detail=DETAIL))
        except VerifyError:
            out.append(None)
    return out


def _write(study: Study, summary: pd.DataFrame, out: Path) -> list[Path]:
    from verify.report.formats import readable, to_csv, to_latex
    from verify.report.write import campaign_markdown

    return [
        _written(out / "claims.csv", to_csv(summary)),
        _written(out / "claims.md", campaign_markdown(study.rows, summary, study.provenance)),
        _written(out / "claims.tex", to_latex(readable(summary).drop(columns=["problem", "witness"]))),
    ]


def _written(path: Path, text: str) -> Path:
    from verify.report.write import write_atomically

    return write_atomically(path, text.encode())
