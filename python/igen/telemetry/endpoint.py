"""The endpoint that Prometheus scrapes while a run goes."""

from __future__ import annotations

import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self

from igen.errors import InputError
from igen.telemetry.families import Family
from igen.telemetry.openmetrics import CONTENT_TYPE, text_of

Families = Callable[[], list[Family]]


class Endpoint:
    """Answers `GET /metrics` until it is closed."""

    def __init__(self, host: str, port: int, families: Families) -> None:
        """Listens at once; port 0 takes a free one. Raises `InputError` where that is not possible."""

        class Handler(BaseHTTPRequestHandler):
            timeout = 5.0

            def do_GET(self) -> None:
                if self.path.split("?")[0] != "/metrics":
                    self.send_error(404, "the metrics are at /metrics")
                    return
                body = text_of(families()).encode()
                self.send_response(200)
                self.send_header("Content-Type", CONTENT_TYPE)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:
                """Says nothing: the terminal belongs to the run."""

        try:
            self._server = ThreadingHTTPServer((host, port), Handler)
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            hint = "name another address of this host, or port 0 for a free one"
            raise InputError(f"cannot listen at {host}:{port}: {reason}", hint=hint) from error
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, name="openmetrics", daemon=True).start()

    @property
    def url(self) -> str:
        """Where the metrics are."""
        host, port = self._server.server_address[:2]
        return f"http://{host!s}:{port}/metrics"

    def close(self) -> None:
        """Listens no longer."""
        self._server.shutdown()
        self._server.server_close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
