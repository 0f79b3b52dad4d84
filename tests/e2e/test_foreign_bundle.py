"""A bundle of somebody else gets no secret of the user, unless the user names the secret or the target."""

from __future__ import annotations

import io
import json
import socket
import struct
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from command_line import Done

from tests.bundle.made import RUN, archive, members_of

MARK = "mark-of-the-user"
"""A secret of the user, which nobody else may see."""
OWN = "own-token"
"""A secret that the user has named."""
JOB = {
    "load": {"closed": {"users": 1}},
    "phases": {"warmup_s": 0, "measure_s": 0.2, "interval_s": 0.1},
    "monitors": [],
    "canary_s": 0,
}
SCENARIO = {
    "secrets": {"token": "file:SECRET"},
    "session": {"steps": [{"page": "a"}]},
    "page": [{"name": "a", "request": [{"get": "/", "headers": {"Authorization": "Bearer {secret.token}"}}]}],
}
WEB = {"workload": "web", "params": {"scenario": SCENARIO}}
HTTP = {"workload": "http", "params": {"headers": {"X-Token": "env:IGEN_TOKEN"}}}
SENDING: dict[str, tuple[str, dict[str, Any]]] = {
    "a scenario": ("token", WEB),
    "a header": ("X-Token", HTTP),
    "a persona": (
        "token",
        {
            "workload": "web",
            "personas": {"p": {"params": {"scenario": SCENARIO}, "load": {"closed": {"users": 1}}}},
            "load": None,
        },
    ),
}
"""Jobs that send a secret of the user, each with its name."""


@pytest.fixture
def foreign(tmp_path: Path) -> Callable[..., Path]:
    """Makes a bundle whose study is this one."""

    def make(job: dict[str, Any], **study: Any) -> Path:
        members = members_of(tmp_path / "made")
        record = json.loads(members[RUN])
        whole = {name: value for name, value in (JOB | job).items() if value is not None}
        record["study"] = {"name": "theirs", "job": whole, "plan": {"mode": "sweep", "repeats": 1}, **study}
        path = tmp_path / "theirs.igen"
        return archive(path, members | {RUN: json.dumps(record).encode()})

    return make


@pytest.fixture
def web() -> Iterator[tuple[str, list[str]]]:
    """A web server of a stranger, with the heads of all requests that it got."""
    heads: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            heads.append(str(self.headers))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Print nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", heads
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("kind", SENDING)
def test_a_secret_is_sent_only_if_the_user_names_it(
    igen: Callable[[str], Done],
    foreign: Callable[..., Path],
    web: tuple[str, list[str]],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    kind: str,
) -> None:
    (tmp_path / "SECRET").write_text(MARK)
    monkeypatch.setenv("IGEN_TOKEN", MARK)
    monkeypatch.setenv("IGEN_OWN", OWN)
    name, job = SENDING[kind]
    target, heads = web
    bundle = foreign(job | {"targets": [target]})
    done = igen(f"publish reproduce {bundle} --yes --quiet")
    assert done.code == 2
    assert f"--secret {name}=env:" in done.err
    assert heads == []
    done = igen(f"publish reproduce {bundle} --yes --quiet --secret {name}=env:IGEN_OWN")
    assert any(OWN in head for head in heads), done.err
    assert not any(MARK in head for head in heads)


@pytest.mark.parametrize("said", ["token=hush", "token", "other=env:IGEN_OWN", "token=file:a,token=file:b"])
def test_a_secret_that_cannot_be_meant_is_refused(
    igen: Callable[[str], Done], foreign: Callable[..., Path], web: tuple[str, list[str]], said: str
) -> None:
    target, heads = web
    options = " ".join(f"--secret {each}" for each in said.split(","))
    done = igen(f"publish reproduce {foreign(WEB | {'targets': [target]})} --yes --quiet {options}")
    assert done.code == 2
    assert "hush" not in done.err
    assert heads == []


MYSQL_GREETING = (
    b"\x0a8.0.0\0" + struct.pack("<I", 7) + b"saltsalt\0" + struct.pack("<HBHHB", 0xF7FF, 45, 2, 0x01FF, 21)
) + (bytes(10) + b"saltsaltsalt\0mysql_native_password\0")
SERVERS: dict[str, tuple[str, bytes, bytes]] = {
    "postgresql": ("oltp", b"", struct.pack(">cII", b"R", 8, 3)),
    "mysql": ("oltp", len(MYSQL_GREETING).to_bytes(3, "little") + b"\0" + MYSQL_GREETING, b""),
    "ldap": ("ldap-bind", b"", b""),
}
"""By scheme: a workload, what the server says first, and the answer by which it asks for a password."""


@pytest.fixture
def listen() -> Iterator[Callable[[bytes, bytes], tuple[int, list[bytes]]]]:
    """Starts a server of a stranger that asks for a password; with all that each client has said."""
    listeners: list[socket.socket] = []

    def start(greeting: bytes, answer: bytes) -> tuple[int, list[bytes]]:
        listener = socket.create_server(("127.0.0.1", 0))
        listeners.append(listener)
        heard: list[bytes] = []

        def serve() -> None:
            while True:
                try:
                    client, _ = listener.accept()
                except OSError:
                    return
                with client:
                    client.settimeout(5)
                    client.sendall(greeting)
                    said = client.recv(4096)
                    if answer:
                        client.sendall(answer)
                        said += client.recv(4096)
                    heard.append(said)

        Thread(target=serve, daemon=True).start()
        return listener.getsockname()[1], heard

    yield start
    for each in listeners:
        each.shutdown(socket.SHUT_RDWR)
        each.close()


def has_password(scheme: str, said: bytes) -> bool:
    """True if a client has sent a password, or an answer to a challenge that is made of one."""
    if scheme != "mysql":
        return MARK.encode() in said
    user, _, rest = said[36:].partition(b"\0")
    assert user == b"igen"
    return rest[0] > 0


@pytest.mark.parametrize("scheme", SERVERS)
def test_a_password_goes_only_to_a_target_that_the_user_names(
    igen: Callable[[str], Done],
    foreign: Callable[..., Path],
    listen: Callable[[bytes, bytes], tuple[int, list[bytes]]],
    monkeypatch: pytest.MonkeyPatch,
    scheme: str,
) -> None:
    for variable in ("PGPASSWORD", "MYSQL_PWD", "LDAP_PASSWORD"):
        monkeypatch.setenv(variable, MARK)
    workload, *talk = SERVERS[scheme]
    port, heard = listen(*talk)
    target = f"{scheme}://igen@127.0.0.1:{port}/dc=lab"
    bundle = foreign({"workload": workload, "targets": [target]})
    for option, expected in [("", False), ("--i-trust-the-targets", True), (f"--target {target}", True)]:
        heard.clear()
        igen(f"publish reproduce {bundle} --yes --quiet {option}")
        assert [has_password(scheme, each) for each in heard][:1] == [expected], option


def test_a_study_gives_itself_no_password(
    igen: Callable[[str], Done],
    foreign: Callable[..., Path],
    listen: Callable[[bytes, bytes], tuple[int, list[bytes]]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PGPASSWORD", MARK)
    workload, *talk = SERVERS["postgresql"]
    port, heard = listen(*talk)
    own = {"credentials": "own"}
    job = {"workload": workload, "targets": [f"postgresql://igen@127.0.0.1:{port}/x"], **own}
    bundle = foreign(job, axes={"credentials": ["own"]}, systems=[{"name": "a", "job": own}])
    igen(f"publish reproduce {bundle} --yes --quiet")
    assert heard
    assert not any(has_password("postgresql", each) for each in heard)


class Terminal(io.StringIO):
    """A terminal at which somebody has typed this."""

    def isatty(self) -> bool:
        return True


def test_a_secret_is_asked_for_on_a_terminal(
    igen: Callable[[str], Done],
    foreign: Callable[..., Path],
    web: tuple[str, list[str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("IGEN_TOKEN", MARK)
    monkeypatch.setenv("IGEN_OWN", OWN)
    target, heads = web
    bundle = foreign(HTTP | {"targets": [target]})
    for typed, sent in [("env:IGEN_OWN\nn\n", False), ("hush\n", False), ("env:IGEN_OWN\ny\n", True)]:
        monkeypatch.setattr("sys.stdin", Terminal(typed))
        done = igen(f"publish reproduce {bundle} --quiet")
        assert "hush" not in done.err
        assert any(OWN in head for head in heads) is sent, typed
    assert not any(MARK in head for head in heads)
