"""`python -m fuzz.record PROTOCOL TARGET` writes `fuzz/corpus/PROTOCOL` anew, with answers of a real server.

TARGET is a server of `igen instances up`. With `http` and the URL of a folder of nginx it writes `http-head`
and `http-chunked`.
"""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator
from urllib.parse import urlsplit

from fuzz.targets import CORPUS

RUNS = {
    "postgresql": ("oltp --set customers=100", "bank --set branches=1", "scan --set size_bytes=200KiB"),
    "mysql": ("oltp --set customers=100", "bank --set branches=1", "scan --set size_bytes=200KiB"),
    "ldap": (
        "ldap-search --set entries=50",
        "ldap-bind --set entries=50",
        "ldap-siteminder --set entries=50",
    ),
}
MOST_SEEDS = 40
MOST_BYTES = 4096
Turn = tuple[bytes, bytes]
"""What the client sent, and what the server answered before the client sent more."""


def relayed(server: tuple[str, int], connections: list[list[list[bytearray]]]) -> int:
    """Relay connections to a server and keep the turns of each; return the port."""
    listener = socket.create_server(("127.0.0.1", 0))

    def copy(source: socket.socket, sink: socket.socket, side: int, turns: list[list[bytearray]]) -> None:
        while data := source.recv(1 << 16):
            if side == 0 and (not turns or turns[-1][1]):
                turns.append([bytearray(), bytearray()])
            if not turns:  # the server speaks first
                turns.append([bytearray(), bytearray()])
            turns[-1][side] += data
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)

    def accept() -> None:
        while True:
            client, _ = listener.accept()
            upstream = socket.create_connection(server)
            turns: list[list[bytearray]] = []
            connections.append(turns)
            for source, sink, side in ((client, upstream, 0), (upstream, client, 1)):
                threading.Thread(target=copy, args=(source, sink, side, turns), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    return int(listener.getsockname()[1])


def of_postgresql(turns: list[Turn]) -> Iterator[bytes]:
    """Yield inputs: the first byte is the request that the target sends first."""
    prepared: dict[bytes, bytes] = {}
    for number, (asked, answer) in enumerate(turns):
        match asked[:1]:
            case b"P":
                prepared[asked[5 : asked.index(0, 5)]] = answer
                yield b"\1" + answer
            case b"B":
                _, statement = asked[5:].split(b"\0")[:2]
                yield b"\1" + prepared.get(statement, b"") + answer
            case b"Q" if answer[:1] == b"G":
                yield b"\4" + answer + (turns[number + 1][1] if number + 1 < len(turns) else b"")
            case b"Q":
                yield b"\3" + answer
            case b"\0":
                yield b"\0" + answer


def of_mysql(turns: list[Turn]) -> Iterator[bytes]:
    """Yield inputs: bit 3 of the first byte says that MariaDB may leave out column definitions."""
    prepared: dict[bytes, bytes] = {}
    for number, (asked, answer) in enumerate(turns):
        after = turns[number + 1][1] if number + 1 < len(turns) else b""
        match asked[4:5]:
            case b"\x16":
                prepared[answer[5:9]] = answer
                yield b"\x09" + answer
            case b"\x17":
                yield b"\x09" + prepared.get(asked[5:9], b"") + answer
            case b"\x03" if answer[4:5] == b"\xfb":
                yield b"\x0c" + answer + after
            case b"\x03":
                yield b"\x0b" + answer
            case b"":
                yield b"\0" + answer + after


def of_ldap(turns: list[Turn]) -> Iterator[bytes]:
    """Yield inputs, by the tag of the request."""
    requests = {0x60: b"\0", 0x63: b"\1", 0x77: b"\2"}
    for asked, answer in turns:
        # Behind the sequence, its length, and the number of the message.
        length = asked[1] & 0x7F if asked[1] & 0x80 else 0
        number = asked[2 + length + 1]
        yield requests.get(asked[2 + length + 2 + number], b"\3") + answer


SEEDS: dict[str, Callable[[list[Turn]], Iterator[bytes]]] = {
    "postgresql": of_postgresql,
    "mysql": of_mysql,
    "ldap": of_ldap,
}


def of_web(origin: str) -> Iterator[tuple[str, bytes]]:
    """Yield answers of a web server with their target: with a length, in chunks, without a body, errors."""
    parts = urlsplit(origin)
    assert parts.hostname is not None
    for method in ("GET", "HEAD"):
        for path in ("", "a.html", "missing", "a.html?gzip", "empty"):
            for more in ("", "Range: bytes=2-9\r\n", "Connection: close\r\n", "Accept-Encoding: gzip\r\n"):
                with socket.create_connection((parts.hostname, parts.port or 80)) as connection:
                    head = f"{method} {parts.path}{path} HTTP/1.1\r\nHost: {parts.netloc}\r\n{more}\r\n"
                    connection.sendall(head.encode())
                    connection.settimeout(0.3)
                    answer = bytearray()
                    try:
                        while data := connection.recv(1 << 16):
                            answer += data
                    except TimeoutError:
                        pass
                yield "http-head", (b"\1" if method == "HEAD" else b"\0") + answer
                head_bytes, _, body = bytes(answer).partition(b"\r\n\r\n")
                if method == "GET" and re.search(rb"(?i)transfer-encoding: *chunked", head_bytes):
                    yield "http-chunked", b"\x07" + body


def write(name: str, inputs: Iterable[bytes]) -> None:
    """Write short inputs that differ in their request and length."""
    chosen: dict[tuple[bytes, int], bytes] = {}
    for data in inputs:
        if 1 < len(data) <= MOST_BYTES:
            chosen.setdefault((data[:1], len(data)), data)
    folder = CORPUS / name
    for old in folder.glob("real-*"):
        old.unlink()
    folder.mkdir(parents=True, exist_ok=True)
    for number, data in enumerate(list(chosen.values())[:MOST_SEEDS]):
        (folder / f"real-{number:02}.bin").write_bytes(data)


def main() -> None:
    """Record one protocol."""
    name, target = sys.argv[1:]
    if name == "http":
        answers = list(of_web(target))
        for each in ("http-head", "http-chunked"):
            write(each, (data for found, data in answers if found == each))
        return
    parts = urlsplit(target)
    assert parts.hostname is not None
    assert parts.port is not None
    connections: list[list[list[bytearray]]] = []
    port = relayed((parts.hostname, parts.port), connections)
    by_way = target.replace(f":{parts.port}", f":{port}", 1)
    program = shutil.which("igen") or "igen"
    for run in RUNS[name]:
        with tempfile.TemporaryDirectory() as store:
            flags = f"--users 2 --duration 0.5s --warmup 0s --repeats 1 --quiet --store {store}"
            subprocess.run([program, "run", *run.split(), "--target", by_way, *flags.split()], check=False)
            subprocess.run([program, "cleanup", run.split()[0], "--target", by_way], check=False)
    turns = [[(bytes(asked), bytes(answer)) for asked, answer in each] for each in connections]
    write(name, (data for each in turns for data in SEEDS[name](each)))


main()
