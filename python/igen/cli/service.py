"""`igen service`: units of systemd for what runs for good."""

from __future__ import annotations

from pathlib import Path

import click

from igen.cli import parameters as p
from igen.cli.service_unit import SERVICES
from igen.errors import IgenError, InputError


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("name", type=click.Choice(list(SERVICES)))
@click.argument("options", nargs=-1, type=click.UNPROCESSED)
@click.option("--write", is_flag=True, help="Write it where the systemd of this user looks for it.")
@click.option("--force", is_flag=True, help="Write it over one that says something else.")
@p.store_option
def service(name: str, options: tuple[str, ...], write: bool, force: bool, store: str | None) -> None:
    """Print a systemd unit of queue or console.

    The user's own systemd keeps it running then, in this folder. OPTIONS are further ones of `igen queue run`
    or `igen console`. Where the console is stopped, runs that it has started go on; a runner of the queue
    stops its study, and waits for it.

    \b
    Examples:
      igen service queue
      igen service console --write --port 8712 --token-file /home/anna/token
    """
    from igen.cli.output import say_next
    from igen.cli.service_unit import unit_file, unit_of
    from igen.store.store import Store

    _check(name, options)
    # Paths of the unit are whole: systemd knows no folder to begin with.
    text = unit_of(name, Store(store).path.absolute(), options, Path.cwd())
    if not write:
        click.echo(text, nl=False)
        return
    path = unit_file(name)
    _write(path, text, force=force)
    click.echo(f"Unit: {path}")
    say_next(
        "systemctl --user daemon-reload",
        f"systemctl --user enable --now {path.name}",
        f"journalctl --user --unit {path.name}",
    )


def _write(path: Path, text: str, *, force: bool) -> None:
    """Writes the unit, over none that somebody has changed. Raises `IgenError`."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not force and path.exists() and path.read_bytes() != text.encode():
            hint = "it may have been edited, or be that of another store: --force writes it anew"
            raise InputError("is there already, and says something else", where=str(path), hint=hint)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise IgenError(f"cannot write: {reason}", where=str(path)) from error


def _check(name: str, options: tuple[str, ...]) -> None:
    """Raises `InputError` for options that the command would not take when nobody looks."""
    from igen.cli.console import console
    from igen.cli.queue import run

    command = console if name == "console" else run
    command.make_context(f"igen {name}", list(options))
