"""The command line. One command is one file; this is the list of them, and where errors are printed."""

from __future__ import annotations

import sys

import click

from igen import __version__
from igen.cli.lazy import LazyGroup
from igen.cli.spelled_out import spelled_out
from igen.errors import IgenError, InputError, Interrupted

COMMANDS = {
    "run": "igen.cli.run:run",
    "study": "igen.cli.study:study",
    "check": "igen.cli.check:check",
    "list": "igen.cli.list:list_command",
    "show": "igen.cli.show:show",
    "report": "igen.cli.report:report",
    "compare": "igen.cli.compare:compare",
    "prepare": "igen.cli.prepare:prepare",
    "verify": "igen.cli.verify:verify",
    "export": "igen.cli.export:export",
    "cleanup": "igen.cli.cleanup:cleanup",
    "instances": "igen.cli.instances:instances",
    "arrays": "igen.cli.arrays:arrays",
    "fetch": "igen.cli.fetch:fetch",
    "completion": "igen.cli.completion:completion",
}

HELP = """Benchmark workbench: real workloads, swept over load, judged by sound statistics.

\b
Examples:
  igen list workloads
  igen run cpu --users 1,2,4
  igen run oltp --target sqlite:///shop.db --users 1,2,4,8 --repeats 3 --duration 10s
  igen compare before after -o report.html

Exit codes: 0 ok, 1 run failed, 2 bad input, 130 interrupted (what was measured is kept).
"""


@click.group(cls=LazyGroup, commands_by_name=COMMANDS, help=HELP)
@click.version_option(__version__, prog_name="igen")
def igen() -> None:
    """The root of all commands; `HELP` is its text."""


def main() -> None:
    """The program `igen`."""
    sys.exit(run_arguments(sys.argv[1:]))


def run_arguments(arguments: list[str]) -> int:
    """Runs a command line and returns its exit code. The one place where errors are printed."""
    try:
        return igen.main(spelled_out(arguments), prog_name="igen", standalone_mode=False) or 0
    except click.ClickException as error:
        context = getattr(error, "ctx", None)
        hint = f"`{context.command_path} --help` shows how it is used" if context else ""
        return _print_error(InputError(error.format_message(), hint=hint))
    except IgenError as error:
        return _print_error(error)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        return _print_error(IgenError(reason, where=str(error.filename or "")))
    except (KeyboardInterrupt, click.Abort):
        return _print_error(Interrupted("interrupted"))


def _print_error(error: IgenError) -> int:
    where = f"{error.where}: " if error.where else ""
    kind = "" if isinstance(error, Interrupted) else "error: "
    click.echo(f"igen: {kind}{where}{error.text}", err=True)
    if error.hint:
        click.echo(f"hint: {error.hint}", err=True)
    return error.exit_code
