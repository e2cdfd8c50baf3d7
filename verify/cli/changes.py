"""Differences between two sets of rows, for the terminal and for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from verify.cli.terminal import COLOURS, console, print_json, records

if TYPE_CHECKING:
    import pandas as pd

    from verify.report.changes import Changes

MOST = 20
CLAIMS_TIMED = 5


def print_changes(changes: Changes, as_json: bool, whole: bool = False) -> None:
    """Flips first, then margins, then error bars, then lost and new cases, then time."""
    if as_json:
        print_json(_json(changes))
        return
    screen = console()
    limit = 10**9 if whole else MOST
    _section("verdicts flipped", changes.flips, ["problem", "claim", "before", "after"], _flip, limit)
    _section("margins moved beyond both error bars", changes.moved, _columns("times the error"), _move, limit)
    _section("error bars grown", changes.grown, _columns("times longer"), _growth, limit)
    for word, cases in (("no longer there", changes.lost), ("new", changes.new)):
        if len(cases):
            claims = ", ".join(dict.fromkeys(cases["claim"]))
            screen.print(f"[bold]cases {word}:[/] {len(cases)}, of {claims}")
    if changes.claims:
        screen.print(f"[bold]claims with a change:[/] {', '.join(_told(changes))}")
    _print_time(changes.seconds)
    outcome = "" if changes.any else "; no verdict, margin or error bar changed"
    screen.print(f"{changes.cases} cases compared{outcome}")


def _told(changes: Changes) -> list[str]:
    """Every claim with a change and how many cases changed how, such as `L3.time (2 flipped, 1 moved)`."""
    kinds = {"flipped": changes.flips, "moved": changes.moved, "grown": changes.grown, "lost": changes.lost}
    counts = {
        claim: {word: int((table["claim"] == claim).sum()) for word, table in kinds.items()} for claim in changes.claims
    }
    return [
        f"{claim} ({', '.join(f'{cases} {word}' for word, cases in found.items() if cases)})"
        for claim, found in counts.items()
    ]


def _columns(last: str) -> list[str]:
    return ["problem", "claim", "before", "after", "difference", "scale", last]


def _flip(row: Any) -> list[str]:
    sides = [
        f"[{COLOURS.get(verdict, '')}]{verdict}[/] {_margin(row, when)}"
        for when, verdict in (("before", str(row.verdict_before)), ("after", str(row.verdict_after)))
    ]
    return [row.problem, row.claim, *sides]


def _move(row: Any) -> list[str]:
    difference = row.margin_after - row.margin_before
    return [*_case(row), f"{difference:+.2g}", row.scale_after, f"{row.ratio:.3g}"]


def _growth(row: Any) -> list[str]:
    difference = row.uncertainty_after - row.uncertainty_before
    return [*_case(row), f"{difference:+.2g}", row.scale_after, f"{row.growth:.3g}"]


def _case(row: Any) -> list[str]:
    return [row.problem, row.claim, _margin(row, "before"), _margin(row, "after")]


def _margin(row: Any, when: str) -> str:
    from verify.report.formats import margin_text

    return margin_text(getattr(row, f"margin_{when}"), getattr(row, f"uncertainty_{when}"))


def _section(title: str, table: pd.DataFrame, columns: list[str], cells: Any, limit: int) -> None:
    from rich.table import Table

    if table.empty:
        return
    shown = Table(*columns, title=f"{title}: {len(table)}", title_justify="left", box=None, pad_edge=False)
    for row in table.head(limit).itertuples():
        shown.add_row(*cells(row))
    console().print(shown)
    if len(table) > limit:
        console().print(f"… and {len(table) - limit} more; --all prints them\n")


def _print_time(seconds: pd.DataFrame) -> None:
    before, after = seconds["seconds_before"].sum(), seconds["seconds_after"].sum()
    if not before or not after:
        return
    screen = console()
    screen.print(f"[bold]time:[/] {before:.3g} s before, {after:.3g} s after ({after / before:.2g} times)")
    apart = seconds.assign(by=seconds["seconds_after"] - seconds["seconds_before"])
    apart = apart.reindex(apart["by"].abs().sort_values(ascending=False).index).head(CLAIMS_TIMED)
    told = [f"{row.claim} {row.seconds_before:.2g} → {row.seconds_after:.2g} s" for row in apart.itertuples()]
    screen.print(f"      most of it in {', '.join(told)}")


def _json(changes: Changes) -> dict[str, Any]:
    tables = ("flips", "moved", "grown", "lost", "new", "seconds")
    return {"cases": changes.cases, "claims": changes.claims} | {
        name: records(getattr(changes, name)) for name in tables
    }
