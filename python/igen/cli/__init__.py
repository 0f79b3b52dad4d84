"""The command line. One command is one file; this is the list of them, and where errors are printed."""

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

COMMANDS = {
    "run": LazyCommand("igen.cli.run:run", "Sweep a workload over a list of loads."),
    "study": LazyCommand("igen.cli.study:study", "Run studies that are written down."),
    "queue": LazyCommand("igen.cli.queue:queue", "Let studies wait their turn."),
    "service": LazyCommand("igen.cli.service:service", "Print a systemd unit of queue or console."),
    "stop": LazyCommand("igen.cli.stop:stop", "Stop a run that goes on."),
    "tag": LazyCommand("igen.cli.tag:tag", "Put tags on a run and take them off."),
    "note": LazyCommand("igen.cli.note:note", "Write down what a run meant."),
    "check": LazyCommand("igen.cli.check:check", "Print what a study would do."),
    "console": LazyCommand("igen.cli.console:console", "Show the store in a browser."),
    "list": LazyCommand("igen.cli.list:list_command", "List workloads, runs, monitors or studies."),
    "show": LazyCommand("igen.cli.show:show", "Show the result of a recorded run."),
    "report": LazyCommand("igen.cli.report:report", "Write the report of one or several runs."),
    "compare": LazyCommand("igen.cli.compare:compare", "Lay runs side by side."),
    "ab": LazyCommand("igen.cli.ab:ab", "Measure two systems side by side."),
    "aa": LazyCommand("igen.cli.aa:aa", "Measure this machine's noise."),
    "doctor": LazyCommand("igen.cli.doctor:doctor", "Tell what this machine lacks."),
    "predict": LazyCommand("igen.cli.predict:predict", "Predict a load that was not measured."),
    "landscape": LazyCommand("igen.cli.landscape:landscape", "Lay own results beside published ones."),
    "datacenter": LazyCommand("igen.cli.datacenter:datacenter", "Tell what other machines would change."),
    "tool": LazyCommand(
        "igen.cli.tool:tool", "Look at this machine once: memory, processes, programs, settings."
    ),
    "plan": LazyCommand("igen.cli.plan:plan", "Tell how many repeats a difference needs."),
    "bundle": LazyCommand("igen.cli.bundle:bundle", "Pack runs into a file that can be checked."),
    "reproduce": LazyCommand("igen.cli.reproduce:reproduce", "Measure again what a bundle holds."),
    "lint": LazyCommand("igen.cli.lint:lint", "Tell what a sceptic would ask."),
    "history": LazyCommand("igen.cli.history:history", "Show a workload over time, and its changes."),
    "remove": LazyCommand("igen.cli.remove:remove", "Delete recorded runs."),
    "query": LazyCommand("igen.cli.query:query", "Ask all runs of the store a question in SQL."),
    "prepare": LazyCommand("igen.cli.prepare:prepare", "Create and load what a workload needs."),
    "verify": LazyCommand("igen.cli.verify:verify", "Check what is loaded, or what a bundle says."),
    "export": LazyCommand("igen.cli.export:export", "Write what a workload would load."),
    "cleanup": LazyCommand("igen.cli.cleanup:cleanup", "Remove what a workload created."),
    "instances": LazyCommand("igen.cli.instances:instances", "Start and stop private servers to load."),
    "cluster": LazyCommand("igen.cli.cluster:cluster", "Start and stop a cluster of load machines."),
    "arrays": LazyCommand("igen.cli.arrays:arrays", "Make and remove RAID arrays to load."),
    "fetch": LazyCommand("igen.cli.fetch:fetch", "Get a library, or a program to load."),
    "import": LazyCommand("igen.cli.import_har:import_group", "Make a scenario of a browser's recording."),
    "completion": LazyCommand("igen.cli.completion:completion", "Print what makes a shell complete words."),
}

HELP = """Benchmark workbench: real workloads, swept over load, judged by sound statistics.

\b
Examples:
  igen list workloads
  igen run cpu --users 1,2,4
  igen run oltp --target sqlite:///shop.db --users 1,2,4,8 --repeats 3 --duration 10s
  igen compare before after -o report.html

\b
Exit codes:
  0    measured, whatever the verdict says of the machine (--strict: 1 where no level is valid)
  1    the load failed: errors, server lost, load process killed, a rate that was not sent;
       or a threshold is crossed (--fail-if), or nothing shows that it is no slower (--fail-if-slower)
  2    bad input
  130  interrupted; what was measured is kept
"""


@click.group(cls=LazyGroup, commands_by_name=COMMANDS, help=HELP)
@click.version_option(VERSION, prog_name="igen")
def igen() -> None:
    """The root of all commands; `HELP` is its text."""


def main() -> None:
    """The program `igen`."""
    guard_streams()
    interrupted_by_any()
    sys.exit(run_arguments(sys.argv[1:]))


def run_arguments(arguments: list[str]) -> int:
    """Runs a command line and returns its exit code. The one place where errors are printed."""
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
        hint = f"`{context.command_path} --help` shows how it is used" if context else ""
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
