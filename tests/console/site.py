"""A console over a store of recorded runs, asked without a browser and without a network."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from starlette.testclient import TestClient

from igen.console.app import create_app
from igen.console.keys import Role, Signer
from igen.console.state import Console
from igen.store.run import Run
from igen.store.store import Store
from tests.console.kept_analyst import KeptAnalyst
from tests.golden.recorded_run import unpack

HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>"
RUN = "oltp-sqlite"
NOW = 1_800_000_000.0


@dataclass
class Site:
    """A console and a clock that the test sets."""

    console: Console
    now: float = NOW

    def close(self) -> None:
        """Ends the console's processes, but for the one that the next console takes over."""
        if isinstance(self.console.analyst, KeptAnalyst):
            self.console.analyst.leave()
        self.console.close()

    def visitor(self, role: Role | None = None, *, name: str = "Anna") -> TestClient:
        """Somebody with that role; nobody in particular without one."""
        client = TestClient(
            create_app(self.console),
            base_url="http://localhost",
            follow_redirects=False,
            raise_server_exceptions=False,
        )
        if role is not None:
            word = self.console.signer.sign("session", [role, name], self.now + 1000)
            client.cookies.set(self.console.cookie, word)
        return client


def site(folder: Path, *, read_only: bool = False, dangerous: bool = False) -> Site:
    """Two runs that were recorded, and one whose words are hostile."""
    unpack("oltp-sqlite", folder)
    unpack("model", folder)
    store = Store(folder)
    run = store.create_run(name="x", system=HOSTILE, title=HOSTILE, study={"plan": {"mode": "sweep"}})
    run.write_outcome("complete")
    console = Console(
        store=store,
        signer=Signer(b"k" * 32),
        analyst=KeptAnalyst(),
        read_only=read_only,
        dangerous=dangerous,
    )
    made = Site(console)
    console.now = lambda: made.now
    return made


def hostile_run(folder: Path) -> Run:
    """The run whose words are hostile."""
    return next(Run(each) for each in folder.iterdir() if re.search(r"-x-[0-9a-f]{4}$", each.name))


def form_token(client: TestClient, path: str = "/new") -> str:
    """The token of the forms on a page."""
    found = re.search(r'name="csrf" value="([^"]+)"', client.get(path).text)
    assert found is not None, path
    return found[1]
