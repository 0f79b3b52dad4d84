"""What a console knows while it serves: where the store is, who may come in, and what it may do."""

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
    """Names under which it may be asked for."""
    port: int = 8712
    secure: bool = False
    """Whether it is reached by TLS, so that cookies travel by that only."""
    read_only: bool = False
    not_written: str = ""
    """Why nothing can be started or noted although it may be; empty where it can."""
    dangerous: bool = False
    """True if forms may start studies that are not known to be harmless."""
    tokens: dict[str, Role] = field(default_factory=dict)
    """Secrets that may be used again and again, and what they allow."""
    codes: dict[str, Role] = field(default_factory=dict)
    """Secrets that may be used once."""
    owner: str = ""
    """Who started it: the name of whoever comes by a printed link and tells none."""
    say_link: Callable[[], None] = lambda: None
    """Prints a link with a new code where the console was started."""
    now: Callable[[], float] = time.time
    """Unix time in seconds."""
    tries: Tries = field(default_factory=Tries)
    listing: Listing = field(init=False)
    converter: Analyst = field(init=False)
    """For what visitors bring, which may take for ever: no result waits for it."""

    def __post_init__(self) -> None:
        from igen.console.analyst import Analyst
        from igen.console.listing import Listing

        self.listing = Listing(self)
        self.converter = Analyst(rest_s=0.0)

    def end(self) -> None:
        """Ends its processes for good, whatever they do."""
        self.analyst.end()
        self.converter.end()

    @property
    def cookie(self) -> str:
        """The session's name: cookies know no ports, and several consoles may run on a machine."""
        return f"igen-console-{self.port}"

    @property
    def folder(self) -> Path:
        """The store's folder."""
        return self.store.path
