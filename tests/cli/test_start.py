"""The command line as a whole: help, versions, what it imports, bad usage."""

from __future__ import annotations

import subprocess
import sys

import pytest

import verify
from tests.cli.running import run
from verify.cli import app

COMMANDS = [str(command.name) for command in app.registered_commands]
pytestmark = pytest.mark.usefixtures("in_an_empty_folder")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself_with_an_example(command: str) -> None:
    answer = run(command, "--help")
    assert answer.exit_code == 0
    assert f"verify {command}" in answer.output and "Example:" in answer.output


def test_help_lists_every_command_and_the_exit_codes() -> None:
    output = run("--help").output
    assert all(command in output for command in COMMANDS)
    assert "Exit codes" in output


def test_version() -> None:
    assert run("--version").output == f"verify {verify.__version__}\n"


def test_nothing_heavy_is_imported_before_a_command_runs() -> None:
    code = "import sys, verify.cli; print({'numpy', 'pandas', 'numba', 'matplotlib', 'hypothesis'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "set()\n"


def test_it_runs_as_a_module() -> None:
    done = subprocess.run([sys.executable, "-m", "verify", "--version"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, f"verify {verify.__version__}\n")


@pytest.mark.parametrize(
    "arguments", [[], ["chek"], ["check"], ["check", "a.json", "--digit", "3"], ["report", "--problems", "0"]]
)
def test_bad_usage_ends_with_two(arguments: list[str]) -> None:
    assert run(*arguments).exit_code == 2
