"""docs/reference/cli.md: the help of every command, as it prints it."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator

import click

from checks.reference_pages import HEAD
from checks.tree import ROOT

WIDTH = 100


def page() -> str:
    """The whole page."""
    from igen.cli import igen

    parts = [HEAD, "# Command line\n"]
    for name, command in commands("igen", igen):
        parts += [f"## {name}\n", f"```text\n{_help(name, command)}\n```\n"]
    parts += ["## igen-agent\n", f"```text\n{_agent_help()}\n```\n"]
    return "\n".join(parts)


def commands(name: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
    """A command with its path, and all below it."""
    yield name, command
    if isinstance(command, click.Group):
        context = click.Context(command, info_name=name)
        for child in command.list_commands(context):
            found = command.get_command(context, child)
            assert found is not None
            yield from commands(f"{name} {child}", found)


def _help(name: str, command: click.Command) -> str:
    context = click.Context(command, info_name=name, terminal_width=WIDTH, max_content_width=WIDTH)
    return _trimmed(command.get_help(context))


def _agent_help() -> str:
    agent = ROOT / ".venv" / "bin" / "igen-agent"
    return _trimmed(subprocess.run([agent, "--help"], check=True, capture_output=True, text=True).stdout)


def _trimmed(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip().splitlines())
