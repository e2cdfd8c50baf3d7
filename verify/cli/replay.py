"""`verify replay KEY`: a stored case once more."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from verify.cli.options import AsJson, Claims, Digits, claims_of, digits_of
from verify.cli.simulate import print_summary, summary_of
from verify.cli.terminal import complain, console, exit_code, print_check, working
from verify.errors import InvalidArgument

if TYPE_CHECKING:
    from verify.problem import Problem

Which = Annotated[
    str, typer.Argument(metavar="KEY|FILE", help="Key of a problem, its first digits, or a problem file.")
]
Store = Annotated[
    Path | None,
    typer.Option("--store", metavar="DIR", help="A campaign, or where KEY.json is; else reports/*/problems."),
]


REPORTS = Path("reports")
"""Where reports are looked for that no --store names."""


def replay_command(store: Path) -> str:
    """What shows a case of this campaign or report again, typed where the user is now; KEY stands for its key."""
    return shlex.join(["verify", "replay", "KEY", "--store", str(store)])


def replay_of_report(out: Path) -> str:
    """The same for a report of single problems, which need not be named where reports are looked for."""
    return "verify replay KEY" if out.absolute().parent == REPORTS.absolute() else replay_command(out)


def run(
    which: Which, store: Store = None, claims: Claims = None, digits: Digits = "auto", as_json: AsJson = False
) -> None:
    """Simulate and check a stored problem again."""
    precision = digits_of(digits)
    from verify.check import check
    from verify.flow.simulate import simulate

    problem, chosen = stored_problem(which, store), claims_of(claims)
    with working(f"replaying {problem.key}"):
        trajectory = simulate(problem)
        rows = check(problem, chosen, precision)
    if not as_json:
        print_summary(problem, summary_of(trajectory))
        console().print()
    print_check(rows, as_json)
    raise typer.Exit(exit_code(rows))


def stored_problem(which: str, store: Path | None) -> Problem:
    """The problem in a file, or with a key, from a campaign's folder or a folder of files; see `find`."""
    from verify.campaign.load import holds_campaign
    from verify.problem import Problem

    if store is not None and holds_campaign(store):
        return _from_campaign(which, store)
    path = find(which, store)
    problem = Problem.from_json(path)
    if re.fullmatch(r"[0-9a-f]{16}", path.stem) and path.stem != problem.key:
        complain(f"{path}: holds problem {problem.key}, not the one it is named for")
    return problem


def _from_campaign(which: str, store: Path) -> Problem:
    from verify.campaign.load import problems

    _check_key(which)
    found = {problem.key: problem for problem in problems(store, [which])}
    if len(found) == 1:
        return next(iter(found.values()))
    if found:
        raise InvalidArgument(f"key {which!r} is ambiguous: {', '.join(sorted(found)[:9])}; give more digits")
    raise InvalidArgument(f"key {which!r}: the campaign in {store} has no such problem")


def _check_key(which: str) -> None:
    if not re.fullmatch(r"[0-9a-f]{1,16}", which):
        raise InvalidArgument(f"{which!r} is neither a file nor a key; a key is 16 digits 0-9, a-f")


def find(which: str, store: Path | None) -> Path:
    """The file of a problem: a path as it is, a key or its first digits looked up in the stores.

    Raises InvalidArgument when there is none, or when several problems begin with these digits.
    """
    if store is None and (Path(which).is_file() or which.endswith(".json")):
        return Path(which)
    _check_key(which)
    root, patterns = (REPORTS, ["*/problems"]) if store is None else (store, [".", "problems", "*/problems"])
    found = {path.stem: path for pattern in patterns for path in sorted(root.glob(f"{pattern}/{which}*.json"))}
    if len(found) == 1:
        return next(iter(found.values()))
    if found:
        raise InvalidArgument(f"key {which!r} is ambiguous: {', '.join(sorted(found))}; give more digits")
    where = " or ".join(str(root / pattern) for pattern in patterns)
    raise InvalidArgument(f"key {which!r}: no {which}*.json in {where}; name the folder with --store DIR")
