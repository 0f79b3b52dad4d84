"""Exporters that answer as a test says, on a port of their own."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread

from tests.own_ports import own_ports

Answer = Callable[[socket.socket, Event], None]
"""Says something to whoever asked; the event is set when the test is over."""


def says(body: str, status: str = "200 OK") -> Answer:
    """One whole answer."""

    def answer(held: socket.socket, _over: Event) -> None:
        held.sendall(f"HTTP/1.1 {status}\r\nConnection: close\r\n\r\n{body}".encode())

    return answer


def endless(piece: bytes) -> Answer:
    """The same again and again."""

    def answer(held: socket.socket, over: Event) -> None:
        held.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        while not over.is_set():
            held.sendall(piece)

    return answer


def dripping(held: socket.socket, over: Event) -> None:
    """A letter of a header now and then: no read of it ever waits for long."""
    held.sendall(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    while not over.wait(0.05):
        held.sendall(b"x")


def dripping_handshake(held: socket.socket, over: Event) -> None:
    """The same of the first answer of TLS, which is over after 10 s."""
    held.sendall(b"\x16\x03\x03\x00\xc8")
    for _ in range(200):
        if over.wait(0.05):
            return
        held.sendall(b"\x02")


@contextmanager
def exporter(answer: Answer) -> Iterator[str]:
    """Its address."""
    over = Event()
    with socket.create_server(("127.0.0.1", own_ports())) as listening:
        listening.settimeout(0.1)
        port = listening.getsockname()[1]
        serving = Thread(target=_serve, args=(listening, answer, over))
        serving.start()
        try:
            yield f"http://127.0.0.1:{port}/metrics"
        finally:
            over.set()
            serving.join()


def _serve(listening: socket.socket, answer: Answer, over: Event) -> None:
    while not over.is_set():
        try:
            held, _ = listening.accept()
        except TimeoutError:
            continue
        # A client that has heard enough closes while it is spoken to.
        with held, suppress(OSError):
            held.settimeout(10)
            held.recv(4096)
            answer(held, over)
