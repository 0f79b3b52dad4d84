"""`--install-service`: write a systemd unit for a command that runs until it is stopped."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import click

from igen.errors import IgenError, InputError

Command = TypeVar("Command", bound=Callable[..., Any])
_PRINT = "-"
_OWN = ("unit", "force", "store")
"""Options that are not part of the unit's command; the unit names the store itself."""


def service_options(command: Command) -> Command:
    """Add `--install-service` and `--force`, which the command takes as `unit` and `force`."""
    force = click.option(
        "--force", is_flag=True, help="With --install-service: replace a unit that has been edited."
    )
    unit = click.option(
        "--install-service",
        "unit",
        metavar="[FILE|-]",
        is_flag=False,
        flag_value="",
        help="Do not run the command, but write a systemd unit that runs it like this; - prints the unit."
        "  [default: in the unit folder of this user]",
    )
    return unit(force(command))


def install_service(name: str, store: str | None, unit: str, *, force: bool) -> None:
    """Write the unit of a service, or print it.

    `unit` is a path, empty for the folder of this user. Raises `IgenError` if it cannot be written, and
    `InputError` if a unit with another text is there.
    """
    from igen.cli.output import say_next
    from igen.cli.service_unit import unit_file, unit_of
    from igen.store.store import Store

    # systemd starts a unit in no folder of the user's: its paths are absolute.
    words = [*_given(click.get_current_context())]
    text = unit_of(name, Store(store).path.absolute(), words, Path.cwd())
    if unit == _PRINT:
        click.echo(text, nl=False)
        return
    path = Path(unit) if unit else unit_file(name)
    _write(path, text, force=force)
    click.echo(f"Unit: {path}")
    say_next(
        "systemctl --user daemon-reload",
        f"systemctl --user enable --now {path.name}",
        f"journalctl --user --unit {path.name}",
    )


def _given(context: click.Context) -> Iterator[str]:
    """Yield the options of this command line, as they would be typed again."""
    for option in context.command.params:
        name = str(option.name)
        source = context.get_parameter_source(name)
        if (
            name in _OWN
            or source != click.core.ParameterSource.COMMANDLINE
            or not isinstance(option, click.Option)
        ):
            continue
        value = context.params[name]
        if option.is_flag:
            yield option.opts[0] if value else option.secondary_opts[0]
            continue
        for each in value if option.multiple else [value]:
            yield from (option.opts[0], str(each))


def _write(path: Path, text: str, *, force: bool) -> None:
    """Write the unit. Raises `InputError` if an edited one is there, `IgenError` if it cannot be written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not force and path.exists() and path.read_bytes() != text.encode():
            hint = "it may have been edited, or belong to another store; --force replaces it"
            raise InputError("already exists with different content", where=str(path), hint=hint)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise IgenError(f"cannot write: {reason}", where=str(path)) from error
