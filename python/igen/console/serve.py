"""The console as a server: its socket, its output, and its end."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import ipaddress
import os
import socket
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import NamedTuple

import uvicorn
from starlette.applications import Starlette

from igen.console.analyst import Analyst
from igen.console.app import create_app
from igen.console.connections import MOST_CONNECTIONS, BoundedProtocol
from igen.console.keys import Role, new_code, signer_for
from igen.console.live.routes import end_streams
from igen.console.state import LOOPBACK, Console
from igen.errors import IgenError, InputError
from igen.store.store import Store

DEFAULT_PORT = 8712
SHUTDOWN_S = 3
"""Longest time for pending answers at the end; streams end at once."""
MOST_PORTS = 20
LOOK_S = 1.0


class Listening(NamedTuple):
    """Address of a console, and its visitors."""

    host: str = "127.0.0.1"
    port: int | None = None
    """Port; None for the first free port from 8712 on."""
    allowed_hosts: tuple[str, ...] = ()
    certificate: Path | None = None
    key: Path | None = None


def serve(
    store: Store,
    listening: Listening,
    tokens: dict[str, Role],
    *,
    read_only: bool,
    dangerous: bool,
    new_key: bool,
    say: Callable[[str], None],
    opened: Callable[[str], object] | None,
) -> None:
    """Serves until Ctrl-C or SIGTERM; `say` prints a line, `opened` opens a link.

    Raises `InputError` where it would be open to others without a token, or its port is taken.
    """
    if not is_loopback(listening.host) and not tokens:
        hint = "--token-file FILE, or the variable IGEN_CONSOLE_TOKEN"
        raise InputError("a console on the network needs a token", where="--host", hint=hint)
    sockets = bound(listening)
    port = sockets.getsockname()[1]
    scheme = "https" if listening.certificate else "http"
    not_written = why_not_written(store.path)
    console = Console(
        store=store,
        signer=signer_for(store.path, new_key=new_key),
        analyst=Analyst(),
        hosts=LOOPBACK | {listening.host, *listening.allowed_hosts},
        port=port,
        secure=listening.certificate is not None,
        read_only=read_only or bool(not_written),
        not_written="" if read_only else not_written,
        dangerous=dangerous,
        tokens=tokens,
        owner=os.environ.get("USER", ""),
    )

    def link() -> str:
        code = new_code()
        console.codes[code] = "run"
        shown = f"[{listening.host}]" if ":" in listening.host else listening.host
        return f"{scheme}://{shown}:{port}/login?code={code}"

    console.say_link = lambda: say(f"For another browser: {link()}")
    first = link()
    say(f"The console of {store.path} is at {first}")
    if not is_loopback(listening.host) and not listening.certificate:
        say("Warning: no encryption, others on the network can read along. Use --tls-cert and --tls-key.")
    if console.not_written:
        say(console.not_written)
    say("Ctrl-C stops the console; its runs continue.")
    if opened is not None:
        opened(first)
    app = create_app(console)
    config = config_for(app, listening)
    # At its end the server raises the signal that ended it again: `igen.cli` made that an exception.
    try:
        with contextlib.suppress(KeyboardInterrupt):
            _Server(config, app).run(sockets=[sockets])
    finally:
        console.end()


def config_for(app: Starlette, listening: Listening) -> uvicorn.Config:
    """Return how the application is served."""
    return uvicorn.Config(
        app,
        http=BoundedProtocol,
        backlog=MOST_CONNECTIONS,
        log_level="error",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=SHUTDOWN_S,
        ssl_certfile=listening.certificate,
        ssl_keyfile=listening.key,
    )


class _Server(uvicorn.Server):
    """Server that ends live streams on shutdown, and sleeps while idle."""

    def __init__(self, config: uvicorn.Config, app: Starlette) -> None:
        super().__init__(config)
        self._app = app
        self._wake: Callable[[], object] = lambda: None

    async def main_loop(self) -> None:
        """Check for the end once a second instead of ten times: a signal wakes it."""
        told = asyncio.Event()
        loop = asyncio.get_running_loop()
        self._wake = lambda: loop.call_soon_threadsafe(told.set)
        while not await self.on_tick(0):
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(told.wait(), LOOK_S)
        # The server waits for all who wait for an analysis, and would tell of each that it was cut off.
        self._app.state.console.end()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Handle a signal."""
        super().handle_exit(sig, frame)
        end_streams(self._app)
        self._wake()


def is_loopback(host: str) -> bool:
    """Return True if only this machine can reach it."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def bound(listening: Listening) -> socket.socket:
    """Return a listening socket. Raises `InputError` with the next free port if the port is taken."""
    first = listening.port if listening.port is not None else DEFAULT_PORT
    for port in range(first, first + MOST_PORTS):
        try:
            found = socket.create_server((listening.host, port), family=_family(listening.host))
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise IgenError(
                    f"cannot listen: {error.strerror}", where=f"{listening.host}:{port}"
                ) from error
            continue
        if listening.port is not None and port != first:
            found.close()
            hint = f"--port {port} is free"
            raise InputError(f"port {first} is taken by another program", where="--port", hint=hint)
        return found
    raise InputError(
        f"{MOST_PORTS} ports from {first} on are taken", where="--port", hint="choose another port"
    )


def _family(host: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in host else socket.AF_INET


def why_not_written(store: Path) -> str:
    """Return a sentence if the store cannot be written or created; else empty."""
    there = next(each for each in (store, *store.resolve().parents) if each.exists())
    if os.access(there, os.W_OK):
        return ""
    why = "is on a read-only disk" if os.statvfs(there).f_flag & os.ST_RDONLY else "cannot be written to"
    return f"{store} {why}: runs and notes are disabled."
