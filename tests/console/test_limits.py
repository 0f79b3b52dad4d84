"""What clients can take from a console without a login: memory, connections, and the tries of others."""

from __future__ import annotations

import select
import socket
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from igen.console import connections
from igen.console.connections import MOST_OF_AN_ADDRESS, BoundedProtocol, client_address
from igen.console.login import MOST_LOGIN_BYTES
from igen.console.tries import MOST_TRIES, MOST_TRIES_OF_ALL, Tries
from igen.store.store import Store
from tests.console.live.serving import Serving
from tests.console.site import NOW, Site

PATIENCE_S = 20.0
RIGHT = "token"
"""The token of `Serving`."""


@pytest.fixture
def serving(tmp_path: Path) -> Iterator[Serving]:
    with Serving(Store(tmp_path)) as made:
        yield made


def connected(serving: Serving, source: str = "127.0.0.1") -> socket.socket:
    return socket.create_connection(("127.0.0.1", serving.port), PATIENCE_S, (source, 0))


def posted(serving: Serving, secret: str, source: str) -> bytes:
    """Return the status of a login."""
    with connected(serving, source) as client:
        client.sendall(login_head(serving, len(secret) + 5) + f"code={secret}".encode())
        return client.recv(1 << 16).split()[1]


def login_head(serving: Serving, length: int) -> bytes:
    return (
        f"POST /login HTTP/1.1\r\nHost: 127.0.0.1:{serving.port}\r\nContent-Length: {length}\r\n\r\n"
    ).encode()


def is_dropped(client: socket.socket) -> bool:
    """Wait until the server drops the connection; time out otherwise."""
    try:
        while client.recv(1 << 16):
            pass
    except ConnectionResetError:
        pass
    return True


@pytest.mark.parametrize("sent", ["", "GET / HTTP/1.1\r\nHost: a"])
def test_idle_connections_make_room(serving: Serving, sent: str) -> None:
    idle = [connected(serving) for _ in range(MOST_OF_AN_ADDRESS + 10)]
    for client in idle[-MOST_OF_AN_ADDRESS:]:
        client.sendall(sent.encode())
    assert posted(serving, RIGHT, "127.0.0.1") == b"303"
    assert all(is_dropped(client) for client in idle[:10])
    for client in idle:
        client.close()


def test_all_addresses_together_are_limited(serving: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "MOST_CONNECTIONS", 8)
    idle = [connected(serving, f"127.0.0.{2 + each}") for each in range(12)]
    assert posted(serving, RIGHT, "127.0.0.1") == b"303"
    assert all(is_dropped(client) for client in idle[:4])
    for client in idle:
        client.close()


@pytest.mark.parametrize("sent", ["", "GET / HT", "GET /login HTTP/1.1\r\nHost: localhost\r\n\r\nGET /lo"])
def test_a_head_ends_in_time(serving: Serving, monkeypatch: pytest.MonkeyPatch, sent: str) -> None:
    monkeypatch.setattr(BoundedProtocol, "head_s", 0.05)
    with connected(serving) as client:
        client.sendall(sent.encode())
        assert is_dropped(client)


def test_a_body_ends_in_time(
    serving: Serving, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(BoundedProtocol, "body_s", 0.05)
    with connected(serving) as client:
        client.sendall(login_head(serving, 1000) + b"code=")
        assert is_dropped(client)
    serving.end()
    serving.start()
    assert capfd.readouterr().err == ""


def test_an_answer_is_read_in_time(serving: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(BoundedProtocol, "answer_s", 0.05)
    asked = f"GET /static/live/uplot.js HTTP/1.1\r\nHost: 127.0.0.1:{serving.port}\r\n\r\n"
    with connected(serving) as client:
        # The answers are more than the buffers of both sockets take.
        client.sendall(asked.encode() * 200)
        gone = select.poll()
        gone.register(client, select.POLLHUP)
        # What is still under way hides the end until the server answers a byte more by a reset.
        for _ in range(200):
            with suppress(ConnectionResetError, BrokenPipeError):
                client.send(b"G")
            if gone.poll(PATIENCE_S * 5):
                break
        else:
            raise AssertionError("the connection is kept")


def test_a_slow_reader_gets_its_answers(serving: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(BoundedProtocol, "head_s", 0.2)
    asked = f"GET /static/live/uplot.js HTTP/1.1\r\nHost: 127.0.0.1:{serving.port}\r\n"
    with connected(serving) as client:
        client.sendall((f"{asked}\r\n" * 200 + f"{asked}Connection: close\r\n\r\n").encode())
        assert not select.select([], [], [], 1.0)[0]
        assert sum(len(piece) for piece in iter(lambda: client.recv(1 << 20), b"")) > 200 * 50_000


def test_a_login_of_more_than_64_kib_is_refused(shown: Site) -> None:
    client = shown.visitor()
    code = "c" * 22
    shown.console.codes[code] = "run"
    assert client.post("/login", data={"name": "n" * MOST_LOGIN_BYTES, "code": code}).status_code == 413
    assert client.post("/login", data={"next": "/" + "n" * 16_000, "code": code}).status_code == 303


def test_wrong_codes_of_another_address_lock_nobody_out(serving: Serving) -> None:
    statuses = {posted(serving, "wrong", "127.0.0.2") for _ in range(MOST_TRIES + 1)}
    assert statuses == {b"403"}
    assert posted(serving, RIGHT, "127.0.0.2") == b"403"
    assert posted(serving, RIGHT, "127.0.0.1") == b"303"


def test_wrong_codes_of_the_same_address_leave_a_printed_code(shown: Site) -> None:
    shown.console.tokens["right" * 5] = "run"
    shown.console.codes["c" * 22] = "run"
    client = shown.visitor()
    for _ in range(MOST_TRIES + 1):
        assert client.post("/login", data={"code": "wrong"}).status_code == 403
    assert client.post("/login", data={"code": "right" * 5}).status_code == 403
    assert client.post("/login", data={"code": "c" * 22}).status_code == 303
    assert client.get("/queue").status_code == 200


def test_all_addresses_together_have_a_limit_of_tries() -> None:
    tries = Tries()
    counted = 0
    for each in range(2 * MOST_TRIES_OF_ALL):
        address = f"10.0.{each // 250}.{each % 250}"
        if tries.are_left(address, NOW):
            tries.add_wrong(address, NOW)
            counted += 1
    assert counted == MOST_TRIES_OF_ALL
    assert tries.are_left("10.9.9.9", NOW + 60)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("127.0.0.1", "127.0.0.2", False),
        ("::ffff:127.0.0.1", "127.0.0.1", True),
        ("2001:db8::1", "2001:db8::ffff:1", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("fe80::1%eth0", "fe80::1", True),
    ],
)
def test_an_ipv6_client_is_a_prefix_of_64_bits(one: str, other: str, same: bool) -> None:
    assert (client_address(one) == client_address(other)) is same
