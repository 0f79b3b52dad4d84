"""A group of commands whose files are read only when one of them is asked for."""

from __future__ import annotations

import importlib
from typing import Any

import click


class LazyGroup(click.Group):
    """Commands by name, each as `module:object`, listed in that order."""

    def __init__(self, *args: Any, commands_by_name: dict[str, str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._commands_by_name = commands_by_name

    def list_commands(self, _context: click.Context) -> list[str]:
        """The names, without reading a file."""
        return list(self._commands_by_name)

    def get_command(self, _context: click.Context, name: str) -> click.Command | None:
        """Reads the command's file."""
        place = self._commands_by_name.get(name)
        if place is None:
            return None
        module, _, attribute = place.partition(":")
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return command

    def resolve_command(
        self, context: click.Context, arguments: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Finds the command, or names the one that was probably meant."""
        try:
            return super().resolve_command(context, arguments)
        except click.UsageError as error:
            import difflib

            nearest = difflib.get_close_matches(arguments[0], self._commands_by_name, n=1)
            if nearest:
                text = f"no such command `{arguments[0]}`; did you mean `{nearest[0]}`?"
                raise click.UsageError(text, context) from error
            raise
