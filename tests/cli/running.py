"""Run the command line."""

from __future__ import annotations

from typing import Any

from typer.testing import CliRunner

from verify.cli import app


def run(*arguments: object) -> Any:
    """The answer of `verify ARGUMENTS`."""
    return CliRunner().invoke(app, [str(argument) for argument in arguments])
