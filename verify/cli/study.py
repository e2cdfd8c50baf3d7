"""`verify report DIR`: tables and one HTML page of a campaign."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from verify.cli.replay import replay_command
from verify.cli.terminal import console, print_json, records, summary_table, working
from verify.errors import InvalidCampaign

if TYPE_CHECKING:
    from verify.problem import Problem
    from verify.report.page.content import Content, Study
    from verify.report.trajectory_figure import Curves

DETAIL = 0.25
"""The page draws small figures of many trajectories."""


def report_campaign(folder: Path, out: Path | None, jobs: int | None, as_json: bool) -> dict[str, int]:
    """Write claims.md, claims.csv, claims.tex and report.html of a campaign; returns how often each verdict was given.

    Raises InvalidCampaign when the folder holds none, BrokenPart when a file is damaged, ReportNotWritten.
    """
    from verify.report.page.content import Content
    from verify.report.page.render import render_page
    from verify.report.write import sentence

    out = out or folder / "report"
    with working(f"reading {folder}"):
        content = Content(_study(folder))
    curves = _curves(folder, content.tightest_keys, jobs)
    headline = sentence(len(content.problems), len(content.claims), content.counts, content.certified)
    with working(f"writing {out}"):
        paths = [*_write_tables(content, headline, out), _written(out / "report.html", render_page(content, curves))]
    if as_json:
        print_json({"summary": records(content.summary), "files": [str(path) for path in paths]})
        return content.counts
    screen = console()
    screen.print(summary_table(content.summary))
    screen.print(f"\n{headline}")
    size = paths[-1].stat().st_size / 1e6
    screen.print(f"Page: {paths[-1]} ({size:.1f} MB), tables: {out}/claims.md, .csv, .tex", soft_wrap=True)
    return content.counts


def _study(folder: Path) -> Study:
    from verify.campaign.load import Rows, features, provenance
    from verify.campaign.store import read_config
    from verify.catalogue import available
    from verify.report.page.content import ClaimText, Study, claim_order

    config, rows = read_config(folder), Rows(folder)
    if not rows.claims:
        raise InvalidCampaign(f"{folder}: no problem of this campaign is finished yet; run `verify campaign` again")
    texts = {claim.id: ClaimText(claim.statement, claim.reading) for claim in [*available(), *_own(config.claims)]}
    return Study(
        problems=features(folder),
        claims=claim_order(rows.claims, texts),
        rows_of=rows.of,
        title=config.title,
        sample=config.to_dict(),
        provenance=provenance(folder),
        replay=replay_command(folder),
    )


def _own(parts: Sequence[str]) -> list[Any]:
    """The claims of the user's files that the campaign named, where the files are still there."""
    from verify.catalogue import Selection

    files = [part for part in parts if part.endswith(".py") and Path(part).is_file()]
    return Selection.parse(files).claims() or [] if files else []


def _curves(folder: Path, keys: list[str], jobs: int | None) -> dict[str, Curves]:
    """Trajectories of some problems, in parallel; those that cannot be simulated are left out."""
    from verify.campaign.dispatch import Dispatcher
    from verify.campaign.executors import executor
    from verify.campaign.load import problems
    from verify.cli.progress import tracked
    from verify.cli.workers import default_jobs

    found: dict[str, Curves] = {}

    def collect(stream: Any) -> Any:
        for pieces, results in stream:
            pairs = zip(pieces, results, strict=True)
            found.update((problem.key, curves) for problem, curves in pairs if curves is not None)
            yield len(pieces)

    if not keys:
        return {}
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


def _write_tables(content: Content, headline: str, out: Path) -> list[Path]:
    from verify.report.formats import readable, to_csv, to_latex
    from verify.report.write import markdown

    summary, provenance = content.summary, content.study.provenance
    figures = "Plots and trajectories: report.html\n"
    readings = {claim: text.reading for claim, text in content.study.claims.items() if text.reading}
    text = markdown(headline, summary, content.reasons, provenance, figures, readings, content.study.replay)
    return [
        _written(out / "claims.csv", to_csv(summary)),
        _written(out / "claims.md", text),
        _written(out / "claims.tex", to_latex(readable(summary).drop(columns=["problem", "witness"]))),
    ]


def _written(path: Path, text: str) -> Path:
    from verify.report.write import write_atomically

    return write_atomically(path, text.encode())
