"""The command line. A command is a file; this module lists all commands and prints all errors."""

from __future__ import annotations

import os
import sys

import click

from igen.cli.lazy import LazyCommand, LazyGroup
from igen.cli.spelled_out import spelled_out
from igen.cli.streams import guard_streams
from igen.errors import IgenError, InputError, Interrupted
from igen.fleet.interrupts import interrupted_by_any
from igen.version import VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from igen.cli.config import Config

SECTIONS = {
    "Measure": {
        "run": LazyCommand("igen.cli.run:run", "Measure a workload at one or several loads."),
        "ab": LazyCommand("igen.cli.ab:ab", "Measure which of two systems is faster."),
        "study": LazyCommand("igen.cli.study:study", "Write, check, run and show studies (TOML files)."),
        "queue": LazyCommand("igen.cli.queue:queue", "Queue studies and run them one after another."),
        "stop": LazyCommand("igen.cli.stop:stop", "Stop a run and keep its results."),
    },
    "Results": {
        "list": LazyCommand("igen.cli.list:list_command", "List workloads, runs, monitors or studies."),
        "show": LazyCommand("igen.cli.show:show", "Show the result of a run, or write its report."),
        "compare": LazyCommand("igen.cli.compare:compare", "Compare recorded runs."),
        "history": LazyCommand("igen.cli.history:history", "Show the runs of a workload over time."),
        "query": LazyCommand("igen.cli.query:query", "Query all recorded runs with SQL."),
        "tag": LazyCommand("igen.cli.tag:tag", "Add or remove tags of a run, and add notes."),
        "remove": LazyCommand("igen.cli.remove:remove", "Delete recorded runs."),
        "console": LazyCommand("igen.cli.console:console", "Show and start runs in a browser."),
    },
    "Trust": {
        "noise": LazyCommand("igen.cli.noise:noise", "Measure the noise of this machine, or plan repeats."),
        "publish": LazyCommand(
            "igen.cli.publish:publish", "Publish results that others can check and reproduce."
        ),
    },
    "Targets": {
        "data": LazyCommand("igen.cli.data:data", "Create, check, export or remove the data of a workload."),
        "instances": LazyCommand(
            "igen.cli.instances:instances", "Start and stop private servers and arrays."
        ),
        "install": LazyCommand("igen.cli.install:install", "Install a library or an application to load."),
    },
    "Sizing": {
        "predict": LazyCommand("igen.cli.predict:predict", "Predict a load that was not measured."),
        "datacenter": LazyCommand(
            "igen.cli.datacenter:datacenter", "Plan machines, racks, power and costs for a demand."
        ),
    },
    "Machine": {
        "doctor": LazyCommand("igen.cli.doctor:doctor", "Check if this machine is ready to measure."),
        "tool": LazyCommand("igen.cli.tool:tool", "Inspect memory, processes, programs and settings."),
        "fleet": LazyCommand("igen.cli.fleet:fleet", "Start and stop a cluster of load machines."),
    },
    "Shell": {
        "completion": LazyCommand(
            "igen.cli.completion:completion", "Print a script that completes words in a shell."
        ),
    },
}
"""All commands, by the heading under which the help lists them."""
COMMANDS = {name: command for section in SECTIONS.values() for name, command in section.items()}

HELP = """Benchmark workbench: load a system, measure it, and judge the numbers.

\b
Examples:
  igen list workloads
  igen run cpu --users 1,2,4
  igen run oltp --target sqlite:///shop.db --users 1,2,4,8 --repeats 3 --duration 10s
  igen ab oltp --b synchronous=normal
  igen compare before after -o report.html

\b
Exit codes:
  0    measured, whatever the verdict (with --strict: 1 if no level is valid)
  1    the load failed: errors, server lost, load process killed, rate not sent;
       or a level crosses a threshold (--fail-if), or may be slower (--fail-if-slower)
  2    bad input
  130  interrupted; measured levels are kept
"""


@click.group(cls=LazyGroup, sections=SECTIONS, help=HELP)
@click.version_option(VERSION, prog_name="igen")
def igen() -> None:
    """The root of all commands; `HELP` is its text."""


def main() -> None:
    """The program `igen`."""
    guard_streams()
    interrupted_by_any()
    sys.exit(run_arguments(sys.argv[1:]))


def run_arguments(arguments: list[str]) -> int:
    """Run a command line and return its exit code. The only place that prints errors."""
    try:
        return carry_out(arguments)
    except IgenError as error:
        return print_error(error)


def carry_out(arguments: list[str]) -> int:
    """Run a command line and return its exit code.

    Raises `IgenError` for each failure that is printed without a traceback.
    """
    config = None
    try:
        config = _config()
        return igen.main(spelled_out(arguments), prog_name="igen", standalone_mode=False, obj=config) or 0
    except click.ClickException as error:
        context = getattr(error, "ctx", None)
        hint = f"`{context.command_path} --help` shows its usage" if context else ""
        raise InputError(error.format_message(), hint=hint) from error
    except IgenError as error:
        if config:
            config.blame(error, arguments)
        raise
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise IgenError(reason, where=str(error.filename or "")) from error
    except MemoryError as error:
        hint = "raise the limit (`ulimit -v`), or name fewer runs; files of the store are unchanged"
        raise InputError("not enough memory", hint=hint) from error
    except (KeyboardInterrupt, click.Abort) as error:
        raise Interrupted("interrupted") from error


def _config() -> Config | None:
    """The user's own defaults, where there is a file of them."""
    path = config_file()
    if not path:
        return None
    from pathlib import Path

    from igen.cli.config import Config

    return Config.read(Path(path), [*COMMANDS])


def config_file() -> str:
    """The file that `IGEN_CONFIG` names, `igen.toml` in this folder, or the user's own; empty without any."""
    if named := os.environ.get("IGEN_CONFIG"):
        return named
    home = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    found = ("igen.toml", os.path.join(home, "igen", "config.toml"))
    return next((path for path in found if os.path.isfile(path)), "")


def print_error(error: IgenError) -> int:
    """Print the error on standard error and return its exit code."""
    from igen.foreign_text import cleaned

    where = f"{error.where}: " if error.where else ""
    kind = "" if isinstance(error, Interrupted) else "error: "
    # Files of others are quoted in errors: their names and keys may hold what a terminal obeys.
    click.echo(cleaned(f"igen: {kind}{where}{error.text}"), err=True)
    if error.hint:
        click.echo(cleaned(f"hint: {error.hint}"), err=True)
    return error.exit_code
