"""State of a running console: store, secrets and permissions."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from igen.console.keys import Role, Signer
from igen.console.tries import Tries
from igen.store.store import Store

if TYPE_CHECKING:
    from igen.console.analyst import Analyst
    from igen.console.listing import Listing

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
SESSION_S = 30 * 86_400.0


@dataclass(slots=True)
class Console:
    """What `app.state.console` is."""

    store: Store
    signer: Signer
    analyst: Analyst
    hosts: frozenset[str] = LOOPBACK
    """Accepted host names."""
    port: int = 8712
    secure: bool = False
    """True if it uses TLS, so that cookies are sent over TLS only."""
    read_only: bool = False
    not_written: str = ""
    """Why the store cannot be written; empty if it can."""
    dangerous: bool = False
    """True if forms may start studies that are not known to be harmless."""
    tokens: dict[str, Role] = field(default_factory=dict)
    """Reusable secrets, and their roles."""
    codes: dict[str, Role] = field(default_factory=dict)
    """Secrets that work once."""
    owner: str = ""
    """User who started it: the name of a visitor with a printed link who gives no name."""
    say_link: Callable[[], None] = lambda: None
    """Function that prints a link with a new code in the terminal of the console."""
    now: Callable[[], float] = time.time
    """Unix time in seconds."""
    tries: Tries = field(default_factory=Tries)
    listing: Listing = field(init=False)
    converter: Analyst = field(init=False)
    """Process for uploads of visitors, which may take long: results do not wait for it."""

    def __post_init__(self) -> None:
        from igen.console.analyst import Analyst
        from igen.console.listing import Listing

        self.listing = Listing(self)
        self.converter = Analyst(rest_s=0.0)

    def end(self) -> None:
        """End its processes for good, whatever they do."""
        self.analyst.end()
        self.converter.end()

    @property
    def cookie(self) -> str:
        """Return the name of the session cookie, with the port: several consoles may run on a machine."""
        return f"igen-console-{self.port}"

    @property
    def folder(self) -> Path:
        """Return the store's folder."""
        return self.store.path
