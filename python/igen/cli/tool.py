"""`igen tool`: the agent's tools, which inspect a machine."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import click

from igen.cli import parameters as p

_LIST_HELP = """Inspect memory, processes, programs and settings.

Each tool prints its method, its completeness and its cost, and ends with a verdict. A tool changes nothing
unless that is its purpose.

\b
Examples:
  igen tool
  igen tool pages
  igen tool pages --json

\b
Exit codes:
  0  good
  1  at least one finding
  2  bad input, or not possible here
"""
_host_option = click.option(
    "--host", metavar="HOST", help="Inspect another machine over ssh; igen-agent must be in its PATH."
)


class ToolGroup(click.Group):
    """A command for each tool of the agent, with the options of that tool."""

    def list_commands(self, _context: click.Context) -> list[str]:
        """Return the names of the tools, in the agent's order."""
        return [entry["name"] for entry in _entries()]

    def get_command(self, _context: click.Context, name: str) -> click.Command | None:
        """Return the command of a tool."""
        return next((_command(entry) for entry in _entries() if entry["name"] == name), None)

    def resolve_command(
        self, context: click.Context, arguments: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the tool. Raises an error with all names if it is unknown."""
        try:
            return super().resolve_command(context, arguments)
        except click.UsageError as error:
            known = ", ".join(self.list_commands(context))
            text = f"there is no tool `{arguments[0]}`; use one of {known}"
            raise click.UsageError(text, context) from error


@click.group("tool", cls=ToolGroup, invoke_without_command=True, help=_LIST_HELP)
@p.json_option
@click.pass_context
def tool(context: click.Context, as_json: bool) -> None:
    """List the tools; the help of the group is `_LIST_HELP`."""
    from igen.cli.output import print_json

    if context.invoked_subcommand is not None:
        return
    if as_json:
        print_json(_entries())
        return
    for entry in _entries():
        click.echo(f"{entry['name']}: {entry['summary']}")
        click.echo(f"  requirements: {entry['requirements']}")
        click.echo(f"  overhead: {entry['overhead']}")


@functools.cache
def _entries() -> list[dict[str, Any]]:
    from igen.fleet.agent import Agent

    return Agent().list("tools")


def _command(entry: dict[str, Any]) -> click.Command:
    arguments: list[dict[str, Any]] = entry["arguments"]
    needs = f"\b\nRequirements: {entry['requirements']}\nOverhead: {entry['overhead']}\n\n"
    lines = [f"  igen tool {entry['name']} {example}".rstrip() for example in entry["examples"]]
    examples = "\n".join(["\b\nExamples:", *lines])
    command = click.Command(
        entry["name"],
        params=[_parameter(argument) for argument in arguments],
        callback=_runs(entry["name"], arguments),
        help=f"{entry['summary'][0].upper()}{entry['summary'][1:]}.\n\n{_positional(arguments)}{needs}{examples}",
        short_help=f"{entry['summary'][0].upper()}{entry['summary'][1:]}.",
    )
    if entry.get("figure"):
        command.params.append(
            click.Option(
                ["figure_only", "-s", "--short"], is_flag=True, help=f"Print only {entry['figure']}."
            )
        )
    return p.json_option(_host_option(command))


def _positional(arguments: Sequence[dict[str, Any]]) -> str:
    told = [f"{each['value']}: {each['help']}\n\n" for each in arguments if each["option"] is None]
    return "".join(told)


def _parameter(argument: dict[str, Any]) -> click.Parameter:
    """Return the parameter for click; the agent checks its value."""
    kind = click.Choice(argument["choices"]) if argument["choices"] else click.STRING
    if argument["option"] is None:
        return click.Argument(
            [argument["name"]],
            metavar=argument["value"],
            required=argument["required"],
            nargs=-1 if argument["many"] else 1,
            type=kind,
        )
    default = argument["default"]
    names = [argument["name"], argument["option"], *([argument["short"]] if argument["short"] else [])]
    told = argument["help"] + (f"  [default: {default}]" if default else "")
    if argument["value"] is None:
        return click.Option(names, is_flag=True, help=told)
    return click.Option(
        names,
        metavar=None if argument["choices"] else argument["value"],
        type=kind,
        required=argument["required"],
        multiple=argument["many"],
        help=told,
    )


def _runs(name: str, arguments: Sequence[dict[str, Any]]) -> Callable[..., int]:
    def run(as_json: bool, host: str | None, *, figure_only: bool = False, **given: Any) -> int:
        from igen.cli.tool_output import print_figure, print_tool
        from igen.fleet.tool import tool_lines

        words = [word for argument in arguments for word in _words(argument, given[argument["name"]])]
        lines = tool_lines(name, words, host)
        return print_figure(lines) if figure_only else print_tool(name, lines, as_json=as_json)

    return run


def _words(argument: dict[str, Any], value: Any) -> list[str]:
    """Return the agent's arguments; a value is joined to its option, because it may start with a dash."""
    if value in (None, False, ()):
        return []
    if value is True:
        return [argument["option"]]
    values = value if isinstance(value, tuple) else (value,)
    return [f"{argument['option']}={each}" if argument["option"] else str(each) for each in values]
