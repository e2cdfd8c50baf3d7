"""What `verify campaign --dry-run` says: what would run, and an estimate of time and disk."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from verify.cli.progress import duration
from verify.cli.terminal import console, working

if TYPE_CHECKING:
    from verify.campaign.config import Config
    from verify.catalogue import Selection

TRIED = 3
BYTES_PER_CASE = 100


def print_plan(config: Config, selection: Selection, out: Path, where: str, workers: int) -> None:
    """Print the sample, the claims, what is finished already, and how long the rest may take."""
    from verify.campaign.version import code_version
    from verify.check import select

    code, claims = code_version(selection), select(selection.claims())
    had = _finished(out, code, config.problems)
    missing = config.problems - had
    with working("timing a few problems"):
        each = _seconds_a_problem(config, selection)
    sample = config.to_dict()["sample"]
    lines = {
        "problems": f"{config.problems}, seed {config.seed}; {had} are finished in {out}, {missing} would run",
        "claims": f"{len(claims)}: {', '.join(claim.id for claim in claims[:6])}{', …' if len(claims) > 6 else ''}",
        "digits": str(config.to_dict()["digits"]),
        **{name: _law_text(value) for name, value in sample.items()},
        "code": code,
        "where": where,
        "time": f"about {duration(missing * each / workers)}, at {each:.2g} s a problem with {workers} at a time",
        "disk": f"about {missing * len(claims) * BYTES_PER_CASE / 1e6:.1f} MB",
    }
    for name, text in lines.items():
        console().print(f"[bold]{name:<17}[/]{text}")


def _law_text(value: object) -> str:
    if isinstance(value, dict):
        return f"{value['low']} to {value['high']}"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _finished(out: Path, code: str, problems: int) -> int:
    from verify.campaign.load import codes, holds_campaign, load

    if not holds_campaign(out) or code not in codes(out):
        return 0
    return int((load(out, ["index"], code)["index"].drop_duplicates() < problems).sum())


def _seconds_a_problem(config: Config, selection: Selection) -> float:
    """The mean over a few problems of the sample, after one that pays for compilation."""
    from verify.campaign.sample import draw
    from verify.campaign.work import check_or_say_why

    claims, spent = selection.claims(), []
    for index in range(TRIED + 1):
        began = time.perf_counter()
        check_or_say_why(draw(config, index).problem, claims, config.digits)
        spent.append(time.perf_counter() - began)
    return sum(spent[1:]) / TRIED
