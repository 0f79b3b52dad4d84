"""A console that serves in a thread of the test, may be ended, and comes back at the same port."""

from __future__ import annotations

import threading
from types import TracebackType
from typing import Any

import uvicorn

from igen.console.analyst import Analyst
from igen.console.app import create_app
from igen.console.keys import Signer
from igen.console.live.routes import end_streams
from igen.console.serve import Listening, config_for
from igen.console.state import Console
from igen.store.store import Store
from tests.own_ports import own_ports

PATIENCE_S = 300.0
KEY = bytes(32)


class Serving:
    """Serves a store until it is ended."""

    def __init__(self, store: Store) -> None:
        self.port = own_ports()
        self._store = store
        self.start()

    @property
    def cookie(self) -> dict[str, Any]:
        """What a browser has that was let in."""
        word = self._console.signer.sign("session", ["run", "tester"], self._console.now() + 3600)
        return {"name": self._console.cookie, "value": word, "domain": "127.0.0.1", "path": "/"}

    def url(self, path: str) -> str:
        """An address of it."""
        return f"http://127.0.0.1:{self.port}{path}"

    def shared(self, run: str) -> str:
        """A link to a run for those without a login."""
        return self.url(f"/s/{self._console.signer.sign('share', [run], self._console.now() + 3600)}")

    def put_clock_forward(self, passed_s: float) -> None:
        """Lets that time pass for the console alone."""
        now = self._console.now
        self._console.now = lambda: now() + passed_s

    def start(self) -> None:
        """Begins to serve, and waits until it does."""
        self._console = Console(
            store=self._store, signer=Signer(KEY), analyst=Analyst(), port=self.port, tokens={"token": "run"}
        )
        self._app = create_app(self._console)
        ready = threading.Event()
        config = config_for(self._app, Listening())
        config.port = self.port
        self._server = uvicorn.Server(config)
        begun = self._server.startup

        async def startup(sockets: Any = None) -> None:
            await begun(sockets)
            ready.set()

        self._server.startup = startup  # type: ignore[method-assign]
        self._thread = threading.Thread(target=self._server.run, daemon=True)
        self._thread.start()
        assert ready.wait(PATIENCE_S)

    def end(self) -> None:
        """Ends it as a signal does."""
        end_streams(self._app)
        self._server.should_exit = True
        self._thread.join(PATIENCE_S)
        assert not self._thread.is_alive()
        self._console.end()

    def __enter__(self) -> Serving:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()
