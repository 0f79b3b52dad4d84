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
"""Options that may stand outside of a command's table, with the variable that goes before the file."""
_SAID_EACH_TIME = ("force", "i-own-this-data", "i-trust-the-targets", "secret", "yes", "resume", "help")
"""What nobody should have said without knowing it."""


@dataclass(frozen=True, slots=True)
class Config:
    """Defaults by command and option; empty without a file."""

    path: Path
    text: str = ""
    table: Mapping[str, Any] = field(default_factory=dict)
    used: dict[str, list[str]] = field(default_factory=dict)
    """Options that were given a default, with their places in the file."""

    @classmethod
    def read(cls, path: Path, commands: Sequence[str]) -> Config:
        """Reads a file. Raises `InputError` for one that is not TOML or names no command of these."""
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
                what = "is no command and no option of all commands"
                raise config._wrong([name], f"`{name}` {what}", suggestion(name, known))
        return config

    def defaults(self, command: click.Command, path: Sequence[str]) -> dict[str, Any]:
        """What click takes for the defaults of a command and those below it. Raises `InputError`."""
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
        """Says which options a file of this folder sets: it may have come with somebody else's files."""
        if self.used and not self.path.is_absolute():
            places = ", ".join(".".join(place) for place in self.used.values())
            click.echo(f"igen: {self.path} sets {places}", err=True)

    def blame(self, error: IgenError, arguments: Sequence[str]) -> None:
        """Have an error about an option that only the file sets name the place in the file."""
        option = error.where.partition(" ")[0]
        if option in self.used and not any(each.partition("=")[0] == option for each in arguments):
            error.where = f"{self._at(self.used[option])}: {error.where}"

    def _is_option(self, name: str, options: Mapping[str, click.Option], place: list[str]) -> bool:
        if name in options and name not in _SAID_EACH_TIME:
            return True
        text, known = f"no option `--{name}`", [each for each in options if each not in _SAID_EACH_TIME]
        hint = suggestion(name, known)
        if name in _SAID_EACH_TIME:
            text, hint = f"`--{name}` must be said each time", "leave it out of the file"
        raise self._wrong(place, text, hint)

    def _value(self, option: click.Option, value: Any, place: list[str]) -> Any:
        """The value as it would stand on the command line."""
        long = option.opts[-1]
        self.used[long] = place
        if option.is_flag:
            if isinstance(value, bool):
                return value
            raise self._wrong(place, f"`{long}` is true or false", f"such as {place[-1]} = true")
        if option.multiple:
            if isinstance(value, list) and all(isinstance(each, str) for each in value):
                return value
            raise self._wrong(place, f"`{long}` is a list of texts", f'such as {place[-1]} = ["..."]')
        if isinstance(value, str | int | float) and not isinstance(value, bool):
            return str(value)
        raise self._wrong(place, f"`{long}` is a text or a number", f'such as {place[-1]} = "..."')

    def _wrong(self, place: list[str], text: str, hint: str) -> InputError:
        return InputError(text, where=self._at(place), hint=hint)

    def _at(self, place: list[str]) -> str:
        from igen.study.toml_place import line_of

        line = line_of(self.text, [*place])
        return str(self.path) if line is None else f"{self.path}:{line}"
