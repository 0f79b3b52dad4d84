"""The least that a client of PostgreSQL can cost: a program in C that sends the same bytes and reads on.

The bytes are those of iGen itself, taken down once between it and the server by a relay. What iGen costs more
is its own: choosing keys, building messages, reading rows, times, statistics, monitors.
"""

from __future__ import annotations

import select
import socket
import struct
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from bench import agent
from bench.process import ROOT
from bench.servers import Server
from bench.steady import Client, Window
from bench.transaction import Transaction

SOURCE = ROOT / "bench" / "wire_floor.c"
PROGRAM, BYTES = "wire_floor", "wire"
TAKEN_S = 3.0
"""How long transactions are taken down."""
LEAST_TRANSACTIONS = 200
ENDS_AN_ANSWER = b"SQ"
"""Messages of a client, Sync and Query, that the server answers with ReadyForQuery."""


@dataclass(slots=True)
class Exchange:
    """What a client sends before it waits, and how many `ReadyForQuery` end the answer."""

    sent: bytes
    ends: int
    idle: bool = False
    """Whether no transaction is open after it."""


@dataclass(slots=True)
class Relayed:
    """The bytes of one connection, in the order in which they came."""

    parts: list[tuple[bool, bytes]] = field(default_factory=list)
    """Whether the server sent them, and what."""


def take_down(server: Server, transaction: Transaction, params: dict[str, object], folder: Path) -> None:
    """Leaves in the folder the program and what it sends."""
    program = str(folder / PROGRAM)
    subprocess.run(["cc", "-O2", "-Wall", "-Werror", str(SOURCE), "-o", program], check=True)
    (folder / BYTES).write_bytes(file_of(_taken_down(server, transaction, params)))


def client(folder: Path, server: Server, connections: int, window: Window) -> Client:
    """The program with so many connections, reporting each second."""
    command = [str(folder / PROGRAM), str(folder / BYTES), str(server.port), str(connections)]
    return Client([*command, str(window.run_s)], _rate_per_s)


def _rate_per_s(line: str) -> float | None:
    return float(line.split()[0]) if line.endswith(" transactions/s\n") else None


def _taken_down(server: Server, transaction: Transaction, params: dict[str, object]) -> list[Exchange]:
    """What the busiest connection of a run with one user exchanged."""
    relayed: list[Relayed] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        relay = threading.Thread(target=_relay, args=(listener, server.port, relayed), daemon=True)
        relay.start()
        target = f"{server.scheme}://{server.user}@127.0.0.1:{port}/{server.database}?sslmode=disable"
        job = agent.job(transaction.workload, 1, TAKEN_S, params=params, targets=[target], steps=["measure"])
        agent.run(job)
    busiest = max(relayed, key=lambda each: len(each.parts))
    return list(exchanges(busiest))


def _relay(listener: socket.socket, port: int, relayed: list[Relayed]) -> None:
    """Passes on what either side sends, until the listener is closed."""
    while True:
        try:
            client_side, _ = listener.accept()
        except OSError:
            return
        server_side = socket.create_connection(("127.0.0.1", port))
        for side in (client_side, server_side):
            side.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        taken = Relayed()
        relayed.append(taken)
        pair = (client_side, server_side, taken)
        threading.Thread(target=_pass_on, args=pair, daemon=True).start()


def _pass_on(client_side: socket.socket, server_side: socket.socket, taken: Relayed) -> None:
    with client_side, server_side:
        while True:
            ready, _, _ = select.select([client_side, server_side], [], [])
            for side in ready:
                data = side.recv(1 << 16)
                if not data:
                    return
                taken.parts.append((side is server_side, data))
                (client_side if side is server_side else server_side).sendall(data)


def exchanges(taken: Relayed) -> Iterator[Exchange]:
    """The parts of a connection, each up to the answer that the client waited for.

    The first message has no kind: its answer ends with a `ReadyForQuery`, too.
    """
    sent, received, answers = bytearray(), bytearray(), 0
    first, idle = True, False
    for from_server, data in taken.parts:
        if not from_server:
            if sent and answers and answers == _ends(sent, first=first):
                yield Exchange(bytes(sent), answers, idle)
                sent, answers, first = bytearray(), 0, False
            sent += data
            continue
        received += data
        while len(received) >= 5 and len(received) > (length := int.from_bytes(received[1:5], "big")):
            if received[:1] == b"Z":
                answers += 1
                idle = received[5:6] == b"I"
            del received[: 1 + length]


def _ends(sent: bytearray, *, first: bool) -> int:
    """How many of the messages are answered by a `ReadyForQuery`."""
    if first:
        return 1
    at, ends = 0, 0
    while at + 5 <= len(sent):
        ends += sent[at] in ENDS_AN_ANSWER
        at += 1 + int.from_bytes(sent[at + 1 : at + 5], "big")
    return ends


def file_of(taken: list[Exchange]) -> bytes:
    """In the form that the program reads. The first transaction, which prepares statements, is its begin."""
    transactions: list[list[Exchange]] = [[]]
    for each in taken:
        transactions[-1].append(each)
        if each.idle:
            transactions.append([])
    begin: list[Exchange] = []
    whole = transactions[:-1]
    usual = len(whole[len(whole) // 2])
    while whole and not (len(whole[0]) == usual and _repeats(whole)):
        begin += whole.pop(0)
    if len(whole) < LEAST_TRANSACTIONS:
        raise RuntimeError(f"{len(whole)} transactions were taken down: too few")
    return _written(begin) + struct.pack("<I", len(whole)) + b"".join(map(_written, whole))


def _repeats(transactions: list[list[Exchange]]) -> bool:
    """Whether the first is like one of the middle: by length, which statements that are prepared change."""
    middle = transactions[len(transactions) // 2]
    return [len(each.sent) for each in transactions[0]] == [len(each.sent) for each in middle]


def _written(exchanges: list[Exchange]) -> bytes:
    parts = [struct.pack("<I", len(exchanges))]
    parts += [struct.pack("<II", each.ends, len(each.sent)) + each.sent for each in exchanges]
    return b"".join(parts)
