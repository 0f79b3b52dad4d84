"""`igen console`: the store in a browser."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from igen.cli import parameters as p
from igen.cli.service import install_service, service_options
from igen.errors import InputError

if TYPE_CHECKING:
    from igen.console.keys import Role

TOKEN_VARIABLE = "IGEN_CONSOLE_TOKEN"
LEAST_TOKEN = 16
_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command()
@click.option(
    "--port",
    metavar="PORT",
    type=click.IntRange(1, 65535),
    help="Port to listen on.  [default: the first free port from 8712 on]",
)
@click.option(
    "--host", metavar="ADDRESS", default="127.0.0.1", show_default=True, help="Address to listen on."
)
@click.option(
    "--allow-host",
    "allowed_hosts",
    metavar="NAME",
    multiple=True,
    help="Additional host name of the console; may be repeated.",
)
@click.option(
    "--token-file", metavar="FILE", type=_FILE, help="File with a token for logins that may start runs."
)
@click.option(
    "--read-token-file", metavar="FILE", type=_FILE, help="File with a token for logins that may only read."
)
@click.option("--tls-cert", metavar="FILE", type=_FILE, help="TLS certificate (PEM).")
@click.option("--tls-key", metavar="FILE", type=_FILE, help="Key of the TLS certificate (PEM).")
@click.option("--read-only", is_flag=True, help="Do not allow starts, stops and notes.")
@click.option(
    "--allow-dangerous",
    is_flag=True,
    help="Allow forms to start programs, to name files and secrets, and to reach other machines.",
)
@click.option("--new-key", is_flag=True, help="Create a new key, which ends all sessions and shared links.")
@click.option("--open/--no-open", "opens", default=True, help="Open a browser.  [default: open]")
@service_options
@p.store_option
def console(
    port: int | None,
    host: str,
    allowed_hosts: tuple[str, ...],
    token_file: Path | None,
    read_token_file: Path | None,
    tls_cert: Path | None,
    tls_key: Path | None,
    read_only: bool,
    allow_dangerous: bool,
    new_key: bool,
    opens: bool,
    unit: str | None,
    force: bool,
    store: str | None,
) -> None:
    """Show and start runs in a browser.

    The console finds, watches, starts and compares runs. The printed link logs in one browser, once; then the
    next link is printed. Runs are separate processes and continue if the console ends. Logins from other
    machines need a token, from a file or from the variable IGEN_CONSOLE_TOKEN.

    \b
    Examples:
      igen console
      igen console --store /data/runs --read-only
      igen console --host 0.0.0.0 --token-file token --tls-cert cert.pem --tls-key key.pem
      igen console --port 8712 --token-file /home/anna/token --install-service
    """
    from igen.extras import CONSOLE

    CONSOLE.need("the console")
    import webbrowser

    from igen.console.serve import Listening, serve
    from igen.store.store import Store

    if (tls_cert is None) != (tls_key is None):
        raise InputError(
            "a certificate needs its key", where="--tls-cert", hint="give both --tls-cert and --tls-key"
        )
    if unit is not None:
        install_service("console", store, unit, force=force)
        return
    tokens: dict[str, Role] = {}
    if token_file is not None:
        tokens[_token(token_file.read_text(encoding="utf-8"), str(token_file))] = "run"
    elif TOKEN_VARIABLE in os.environ:
        tokens[_token(os.environ.pop(TOKEN_VARIABLE), TOKEN_VARIABLE)] = "run"
    if read_token_file is not None:
        tokens[_token(read_token_file.read_text(encoding="utf-8"), str(read_token_file))] = "read"
    has_screen = any(name in os.environ for name in ("DISPLAY", "WAYLAND_DISPLAY"))
    serve(
        Store(store),
        Listening(host, port, allowed_hosts, tls_cert, tls_key),
        tokens,
        read_only=read_only,
        dangerous=allow_dangerous,
        new_key=new_key,
        say=click.echo,
        opened=webbrowser.open if opens and has_screen else None,
    )


def _token(text: str, where: str) -> str:
    """Return the token in a file. Raises `InputError` if it is too short."""
    token = text.strip()
    if len(token) < LEAST_TOKEN:
        hint = "`openssl rand -hex 16` creates a token"
        raise InputError(f"a token must have at least {LEAST_TOKEN} characters", where=where, hint=hint)
    return token
