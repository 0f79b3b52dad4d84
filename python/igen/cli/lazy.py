"""A group of commands whose files are imported when a command runs, not to list them."""

from __future__ import annotations

import importlib
from typing import Any, NamedTuple

import click


class LazyCommand(NamedTuple):
    """The place of a command, and its summary: the first line of its own help."""

    place: str
    """`module:object`."""
    short_help: str


class LazyGroup(click.Group):
    """Commands in sections, listed in that order."""

    def __init__(self, *args: Any, sections: dict[str, dict[str, LazyCommand]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._sections = sections
        self._commands_by_name = {
            name: each for section in sections.values() for name, each in section.items()
        }

    def list_commands(self, _context: click.Context) -> list[str]:
        """The names, without reading a file."""
        return list(self._commands_by_name)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """Read the command's file, and its defaults if the context has a file of defaults."""
        if name not in self._commands_by_name:
            return None
        module, _, attribute = self._commands_by_name[name].place.partition(":")
        command: click.Command = getattr(importlib.import_module(module), attribute)
        if context.obj is not None:
            context.default_map = {name: context.obj.defaults(command, [name])}
            context.obj.tell()
        return command

    def format_commands(self, _context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands, without reading a file."""
        width = max(map(len, self._commands_by_name))
        for heading, section in self._sections.items():
            with formatter.section(heading):
                formatter.write_dl([(name.ljust(width), each.short_help) for name, each in section.items()])

    def resolve_command(
        self, context: click.Context, arguments: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command. Raises an error with the nearest name if it is unknown."""
        try:
            return super().resolve_command(context, arguments)
        except click.UsageError as error:
            import difflib

            nearest = difflib.get_close_matches(arguments[0], self._commands_by_name, n=1)
            if nearest:
                text = f"no such command `{arguments[0]}`; did you mean `{nearest[0]}`?"
                raise click.UsageError(text, context) from error
            raise
