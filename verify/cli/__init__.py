"""The command `verify`: one file a command, heavy imports inside the commands so that `--help` answers at once.

Exit codes: 0 all held, 1 something failed, 2 bad usage or input, 3 unresolved, 130 interrupted.
"""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperGroup

from verify.cli import (
    campaign,
    certify,
    check,
    claims,
    diff,
    errata,
    guard,
    hunt,
    replay,
    report,
    reproduce,
    search,
    sharpness,
    simulate,
    threshold,
)
from verify.cli.terminal import BAD_INPUT, INTERRUPTED, UNRESOLVED, complain
from verify.errors import SimulationFailed, VerifyError, was_interrupted


class Commands(TyperGroup):
    """Turns errors made on purpose into one line on stderr and an exit code."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command; a simulation that failed ends with code 3, any other VerifyError with 2, Ctrl-C with 130."""
        try:
            return super().invoke(ctx)
        except VerifyError as error:
            complain(str(error))
            raise typer.Exit(UNRESOLVED if isinstance(error, SimulationFailed) else BAD_INPUT) from None
        except (KeyboardInterrupt, SystemError) as error:
            if not was_interrupted(error):
                raise
            complain("interrupted")
            raise typer.Exit(INTERRUPTED) from None


app = typer.Typer(
    name="verify",
    cls=Commands,
    help="Check, with margins, the theorems on gradient flow of one-hidden-layer ReLU networks.",
    epilog="Exit codes: 0 all held, 1 something failed, 2 bad usage or input, 3 unresolved, 130 interrupted.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)

app.command("claims", epilog="Example:  verify claims --json")(claims.run)
app.command("check", epilog="Example:  verify check problem.json --claims L2.align+,L3.time")(check.run)
app.command("certify", epilog="Example:  verify certify problem.json --save certificate.json")(certify.run)
app.command("simulate", epilog="Example:  verify simulate problem.json --plot trajectory.png")(simulate.run)
app.command("campaign", epilog="Example:  verify campaign examples/campaign.toml --out reports/mine")(campaign.run)
app.command("diff", epilog="Example:  verify diff reports/before reports/after")(diff.run)
app.command("guard", epilog="Example:  verify guard --every 4")(guard.run)
app.command("report", epilog="Example:  verify report --problems 200 --seed 1 --out reports/mine")(report.run)
app.command("search", epilog="Example:  verify search L3.time --seconds 60 --out reports/mine")(search.run)
app.command("errata", epilog="Example:  verify errata E4")(errata.run)
app.command("hunt", epilog="Example:  verify hunt --stop-after 3600")(hunt.run)
app.command("threshold", epilog="Example:  verify threshold problem.json --claims 'L3.*'")(threshold.run)
app.command("sharpness", epilog="Example:  verify sharpness --claims 'L3.*' --evaluations 200")(sharpness.run)
app.command("reproduce", epilog="Example:  verify reproduce section5 --seeds 5")(reproduce.run)
app.command("replay", epilog="Example:  verify replay 5ab0673711be1b4d")(replay.run)


@app.callback(invoke_without_command=True)
def _options(
    context: typer.Context,
    version: bool = typer.Option(False, "--version", is_eager=True, help="Print the version and stop."),
) -> None:
    if version:
        from verify import __version__

        typer.echo(f"verify {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
        raise typer.Exit(BAD_INPUT)


def main() -> None:
    """Entry point of the console script."""
    app(prog_name="verify")
