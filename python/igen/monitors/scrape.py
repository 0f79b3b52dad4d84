"""Reads an exporter of another machine, once an interval. A scrape is bounded in time and size."""

from __future__ import annotations

import time
from collections import deque
from contextlib import suppress
from functools import cache
from http.client import HTTPConnection, HTTPException, HTTPSConnection, IncompleteRead
from socket import SHUT_RDWR, socket
from ssl import SSLContext, SSLSocket, create_default_context
from threading import Event, Timer
from typing import Self
from urllib.parse import urlsplit

from igen.foreign_text import cleaned
from igen.monitors.node_exporter import readings_of
from igen.monitors.said import Machine, NotRead, Ready, Sample, Say, Trouble

SCRAPE_S = 5.0
"""A scrape may take so long in all."""
MOST_BYTES = 16 << 20
MOST_LINES = 200_000
"""Both are many times what an exporter of a machine with thousands of disks says."""
AGAIN_S = 5.0
"""A scrape that failed is tried again after so long."""
_PIECE_BYTES = 1 << 16
_OK = 200
_ERRORS_KEPT = 64
"""As many scrapes say how well times are known."""


def read_by_scraping(machine: Machine, say: Say, stop: Event) -> None:
    """Scrapes until `stop`. What fails is told, and tried again."""
    errors: deque[float] = deque(maxlen=_ERRORS_KEPT)
    next_s = time.monotonic()
    while not stop.is_set():
        begin_s = time.monotonic()
        readings: list[Sample] = []
        try:
            text = scrape(machine.host)
            half_s = (time.monotonic() - begin_s) / 2
            # The exporter has read its machine somewhere between.
            readings, trouble = readings_of(text, begin_s + half_s)
        except NotRead as error:
            trouble = f"cannot be read: {error}"
        if readings:
            errors.append(half_s)
            say(Ready(clock_error_s=max(errors)))
        for reading in readings:
            say(reading)
        if trouble:
            say(Trouble(trouble))
        next_s = max(next_s + machine.interval_s, time.monotonic() + (0.0 if readings else AGAIN_S))
        stop.wait(max(next_s - time.monotonic(), 0.0))


def scrape(url: str, within_s: float = SCRAPE_S, most_bytes: int = MOST_BYTES) -> str:
    """What an exporter says, within `within_s` in all. Raises `NotRead`."""
    until_s = time.monotonic() + within_s
    try:
        place = urlsplit(url)
        host, port = place.hostname or "", place.port
        connection = (
            HTTPSConnection(host, port, timeout=within_s, context=_tls())
            if place.scheme == "https"
            else HTTPConnection(host, port, timeout=within_s)
        )
    except (ValueError, HTTPException) as error:
        raise NotRead(f"{url} is no address: {error}") from error
    path = f"{place.path or '/'}{'?' if place.query else ''}{place.query}"
    try:
        _connect(connection)
        with _Deadline(connection.sock, max(until_s - time.monotonic(), 0.0)) as deadline:
            try:
                if isinstance(connection.sock, SSLSocket):
                    connection.sock.do_handshake()
                body = _asked(connection, path, most_bytes)
            finally:
                deadline.check()  # what was cut off by it looks like other faults
    except TimeoutError as error:
        raise NotRead(f"a scrape took longer than {within_s:g} s") from error
    except IncompleteRead as error:
        raise NotRead("its answer was cut off") from error
    except HTTPException as error:
        raise NotRead(f"it is no web server: {type(error).__name__}") from error
    except OSError as error:
        raise NotRead(cleaned(error.strerror or str(error))) from error
    finally:
        connection.close()
    return body.decode("utf-8", errors="replace")


@cache
def _tls() -> SSLContext:
    """With the certificates that this machine trusts, which take long to read."""
    return create_default_context()


def _connect(connection: HTTPConnection) -> None:
    """Without the handshake of TLS, in which the other side may take its time as well."""
    HTTPConnection.connect(connection)
    if isinstance(connection, HTTPSConnection):
        connection.sock = _tls().wrap_socket(
            connection.sock, server_hostname=connection.host, do_handshake_on_connect=False
        )


class _Deadline:
    """Shuts a socket when its time is over: one that says a byte now and then never meets a time limit of its
    own."""

    def __init__(self, held: socket, within_s: float) -> None:
        self._held = held
        self._is_over = False
        self._timer = Timer(within_s, self._end)

    def _end(self) -> None:
        self._is_over = True
        with suppress(OSError):  # it is closed already
            # Not that of TLS, which would take the socket from whoever reads it.
            socket.shutdown(self._held, SHUT_RDWR)

    def check(self) -> None:
        """Raises `TimeoutError` where the time was over."""
        if self._is_over:
            raise TimeoutError

    def __enter__(self) -> Self:
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()


def _asked(connection: HTTPConnection, path: str, most_bytes: int) -> bytearray:
    connection.request("GET", path, headers={"Accept": "text/plain;version=0.0.4"})
    answer = connection.getresponse()
    if answer.status != _OK:
        raise NotRead(f"it answered {answer.status}")
    body, lines = bytearray(), 0
    while piece := answer.read1(_PIECE_BYTES):
        body += piece
        if len(body) > most_bytes:
            raise NotRead(f"a scrape had more than {most_bytes / (1 << 20):g} MiB")
        lines += piece.count(b"\n")
        if lines > MOST_LINES:
            raise NotRead(f"a scrape had more than {MOST_LINES:,} lines")
    if answer.length or not body.endswith(b"\n"):
        raise NotRead("its answer was cut off")
    return body
