"""A file with a user's own defaults of options."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from igen.errors import IgenError, InputError
from igen.nearest import suggestion

_EVERYWHERE = {"store": "IGEN_STORE"}
"""Options that are allowed outside a command's table, with the variable that overrides the file."""
_SAID_EACH_TIME = ("force", "i-own-this-data", "i-trust-the-targets", "secret", "yes", "resume", "help")
"""Options that the file must not set: a user gives them on purpose, each time."""


@dataclass(frozen=True, slots=True)
class Config:
    """Default options of a user, by command and option; empty without a file."""

    path: Path
    text: str = ""
    table: Mapping[str, Any] = field(default_factory=dict)
    used: dict[str, list[str]] = field(default_factory=dict)
    """Options with a default, with their places in the file."""

    @classmethod
    def read(cls, path: Path, commands: Sequence[str]) -> Config:
        """Read a file. Raises `InputError` if it is not TOML or has an unknown command."""
        import tomllib

        try:
            text = path.read_text(encoding="utf-8")
            table = tomllib.loads(text)
        except (ValueError, RecursionError) as error:
            raise InputError(f"not TOML: {error}", where=str(path)) from error
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            hint = "IGEN_CONFIG names it"
            raise InputError(f"cannot read: {reason}", where=str(path), hint=hint) from error
        config = cls(path, text, table)
        for name, value in table.items():
            known = [*_EVERYWHERE, *commands]
            if name not in known or isinstance(value, dict) != (name in commands):
                what = "is not a command, nor an option of all commands"
                raise config._wrong([name], f"`{name}` {what}", suggestion(name, known))
        return config

    def defaults(self, command: click.Command, path: Sequence[str]) -> dict[str, Any]:
        """Return click's defaults of a command and its subcommands. Raises `InputError`."""
        table: Any = self.table
        for name in path:
            table = table.get(name, {})
        if not isinstance(table, dict):
            raise self._wrong([*path], f"`{path[-1]}` is a command", f"write a table: [{'.'.join(path)}]")
        if isinstance(command, click.Group):
            for name in table:
                if name not in command.commands:
                    hint = suggestion(name, command.commands)
                    raise self._wrong([*path, name], f"no command `{name}`", hint)
            return {name: self.defaults(each, [*path, name]) for name, each in command.commands.items()}
        options = {
            name.removeprefix("--"): each
            for each in command.params
            if isinstance(each, click.Option)
            for name in each.opts
            if name.startswith("--")
        }
        found = {
            name: value
            for name, value in self.table.items()
            if name in options and name in _EVERYWHERE and not os.environ.get(_EVERYWHERE[name])
        }
        places = {name: [name] for name in found} | {name: [*path, name] for name in table}
        return {
            str(options[name].name): self._value(options[name], value, places[name])
            for name, value in {**found, **table}.items()
            if self._is_option(name, options, places[name])
        }

    def tell(self) -> None:
        """Report the options that a file in this folder sets: another person may have put it there."""
        if self.used and not self.path.is_absolute():
            places = ", ".join(".".join(place) for place in self.used.values())
            click.echo(f"igen: {self.path} sets {places}", err=True)

    def blame(self, error: IgenError, arguments: Sequence[str]) -> None:
        """Return the error with the place in the file if only the file set its option."""
        option = error.where.partition(" ")[0]
        if option in self.used and not any(each.partition("=")[0] == option for each in arguments):
            error.where = f"{self._at(self.used[option])}: {error.where}"

    def _is_option(self, name: str, options: Mapping[str, click.Option], place: list[str]) -> bool:
        if name in options and name not in _SAID_EACH_TIME:
            return True
        text, known = f"no option `--{name}`", [each for each in options if each not in _SAID_EACH_TIME]
        hint = suggestion(name, known)
        if name in _SAID_EACH_TIME:
            text, hint = f"`--{name}` is not allowed in a file", "give it on the command line each time"
        raise self._wrong(place, text, hint)

    def _value(self, option: click.Option, value: Any, place: list[str]) -> Any:
        """Return the value as it would be on the command line."""
        long = option.opts[-1]
        self.used[long] = place
        if option.is_flag:
            if isinstance(value, bool):
                return value
            raise self._wrong(place, f"`{long}` must be true or false", f"such as {place[-1]} = true")
        if option.multiple:
            if isinstance(value, list) and all(isinstance(each, str) for each in value):
                return value
            raise self._wrong(place, f"`{long}` must be a list of texts", f'such as {place[-1]} = ["..."]')
        if isinstance(value, str | int | float) and not isinstance(value, bool):
            return str(value)
        raise self._wrong(place, f"`{long}` must be a text or a number", f'such as {place[-1]} = "..."')

    def _wrong(self, place: list[str], text: str, hint: str) -> InputError:
        return InputError(text, where=self._at(place), hint=hint)

    def _at(self, place: list[str]) -> str:
        from igen.study.toml_place import line_of

        line = line_of(self.text, [*place])
        return str(self.path) if line is None else f"{self.path}:{line}"
