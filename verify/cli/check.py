"""`verify check FILE.json`: claims on one problem."""

from __future__ import annotations

import typer

from verify.cli.options import AsJson, Claims, Digits, File, claims_of, digits_of
from verify.cli.terminal import exit_code, print_check, working


def run(file: File, claims: Claims = None, digits: Digits = "auto", as_json: AsJson = False) -> None:
    """Check claims on one problem and print a margin and a verdict for each."""
    precision = digits_of(digits)
    from verify.check import check
    from verify.problem import Problem

    problem, chosen = Problem.from_json(file), claims_of(claims)
    with working(f"checking {file}"):
        rows = check(problem, chosen, precision)
    print_check(rows, as_json)
    raise typer.Exit(exit_code(rows))
