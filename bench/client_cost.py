"""What a transaction costs the client, beside the peer of each database: for every bench of a transaction.

Both sides run the same statements in the same transaction on the same server and rows, in alternating runs.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from bench import agent, costs, pgbench, servers, steady, sysbench, sysbench_sql, wire
from bench.comparison import spread
from bench.costs import Costs
from bench.outcome import Goal, Outcome, number
from bench.servers import Server
from bench.steady import Client, Steady, Window
from bench.transaction import Transaction

THROUGHPUT_GOAL = ">= 0.97"
"""Not lower, within what two runs of the same program differ by; of the fastest setting of the peer."""
IGEN = "iGen"
FLOOR = "bare loop"
FLOOR_GOAL = "<= 1.15"
MANY = 1000
MANY_WINDOW = Window(warmup_s=3, measure_s=4)
MANY_RUN = Window(warmup_s=3, measure_s=8)
"""What a run must be planned for to have reports enough: with so many connections some come late or never."""

NOTES = [
    "CPU time is user and system time of the client's process, all threads, between two of its reports under "
    "steady load: start-up, connecting and the end are not in it. Values are medians of alternating runs, "
    "ratios medians of the ratios within the rounds, ranges go from the lowest to the highest.",
    "Both sides send the same statements, prepared, between BEGIN and COMMIT, to the same private server "
    "with the same rows, on this machine. A commit does not wait for the disk (`synchronous_commit=off`, "
    "`innodb_flush_log_at_trx_commit=2`), so that client and server are busy and not the disk is measured. "
    "PostgreSQL: autovacuum off, VACUUM and CHECKPOINT before each run.",
    "iGen records the time of every operation and transaction, reads all of its default monitors and every "
    "column of every row; it runs as users run it, without a word about threads. pgbench and sysbench fetch "
    "the rows and look into no column. pgbench runs on one thread and on two: processor time is compared to "
    "its cheaper setting, throughput to its faster one. sysbench has a thread for each connection.",
    "The bare loop is a program in C with one thread and one epoll (bench/wire_floor.c). It sends the bytes "
    "of iGen's own transactions, taken down before, and reads the answers up to their ends, without a look "
    "into them: no client can cost less by much. On PostgreSQL only.",
    "The goals ask for 0.97 of the peer's throughput: two runs of one program differ by more, as the row of "
    "the peer beside itself shows.",
]


@dataclass(frozen=True, slots=True)
class Extent:
    """How much is measured."""

    connections: tuple[int, ...]
    rounds: int
    window: Window


FULL = Extent((1, 2, 4, 8, 16, 64, MANY), 9, Window(warmup_s=1, measure_s=1))
QUICK = Extent((4, 64), 2, Window(warmup_s=1, measure_s=1))


@dataclass(frozen=True, slots=True)
class Peer:
    """The peer on one database."""

    cpu_goals: Mapping[int, str]
    """What iGen's processor time by transaction should be to the peer's, by connections."""
    before_run: tuple[str, ...]
    """SQL that brings the server back to the same state before each run of either side."""
    script: Callable[[Transaction], str]
    clients: Callable[[Server, str, Path, int, Window], dict[str, Client]]
    """The peer in one or more settings, by name."""


PEERS: Mapping[str, Peer] = {
    "PostgreSQL": Peer(
        dict.fromkeys((1, 2, 4, 8, 16, 64), "<= 0.95") | {MANY: "<= 1"},
        ("VACUUM", "CHECKPOINT"),
        pgbench.script,
        pgbench.clients,
    ),
    "MariaDB": Peer(
        {16: "<= 0.8", 64: "<= 0.5", MANY: "<= 1"}, (), sysbench_sql.script, sysbench_sql.clients
    ),
}


@dataclass(frozen=True, slots=True)
class Comparing:
    """A transaction on one server, with what its peer needs."""

    outcome: Outcome
    server: Server
    transaction: Transaction
    params: dict[str, object]
    folder: Path
    extent: Extent

    def load(self) -> None:
        """Loads the workload's rows, which all sides use."""
        target = self.server.target(self.server.host)
        agent.run(agent.preparation(self.transaction.workload, target, self.params))
        self.script_file.write_text(self.peer.script(self.transaction), encoding="utf-8")
        if self.has_floor:
            wire.take_down(self.server, self.transaction, self.params, self.folder)

    @property
    def peer(self) -> Peer:
        """The peer on this server."""
        return PEERS[self.server.engine]

    @property
    def has_floor(self) -> bool:
        """Whether there is a bare loop that speaks with this server."""
        return self.server.engine == "PostgreSQL"

    @property
    def script_file(self) -> Path:
        """The peer's script."""
        return self.folder / f"{self.transaction.workload}.script"

    def beside_peer(self, host: str, connections: int) -> None:
        """One row of the table, and its goals where they hold."""
        over = "Unix socket" if host.startswith("/") else "TCP"
        what = f"{self.server.engine}, {over}, {connections} connection{'s' if connections > 1 else ''}"
        print(f"{self.outcome.bench}: {what} ...", file=sys.stderr)
        peers = self._peers(host, connections)
        floor = self._floor(connections) if over == "TCP" else {}
        measured = self._measure({IGEN: self._igen(host, connections), **peers, **floor}, connections)
        cheapest, fastest = measured.cheapest(peers), measured.fastest(peers)
        measured.add_row(self.outcome, what, IGEN, cheapest, fastest)
        if over != "TCP":
            return
        name = f"{self.server.scheme}_{connections}"
        if goal := self.peer.cpu_goals.get(connections):
            self.outcome.goals[f"{name}_cpu_ratio"] = Goal(measured.cpu_us.ratio(IGEN, cheapest), goal)
        if floor:
            measured.add_row(self.outcome, f"{what}, beside the least that a client can cost", IGEN, FLOOR)
            self.outcome.goals[f"{name}_cpu_to_bare_loop"] = Goal(
                measured.cpu_us.ratio(IGEN, FLOOR), FLOOR_GOAL
            )
        if connections < MANY:
            ratio = measured.throughput.ratio(IGEN, fastest)
            self.outcome.goals[f"{name}_throughput_ratio"] = Goal(ratio, THROUGHPUT_GOAL)

    def same_twice(self, connections: int) -> None:
        """The peer beside itself: what the method makes of two sides that do not differ."""
        name, client = self._peers(self.server.host, connections).popitem()
        measured = self._measure({"one": client, "other": client}, connections)
        cpu_us = measured.cpu_us
        self.outcome.add(
            f"{self.server.engine}, TCP, {connections} connections: the peer beside itself",
            peer=number(cpu_us.median("other")),
            peer_is=name,
            ratio=number(cpu_us.ratio("one", "other")),
            ratio_range=spread(cpu_us.ratios("one", "other")),
            throughput_ratio=number(measured.throughput.ratio("one", "other")),
        )

    def _igen(self, host: str, connections: int) -> Client:
        target = self.server.target(host)
        window = self._planned(connections)
        return agent.client(
            agent.measurement(self.transaction.workload, target, connections, window, self.params)
        )

    def _floor(self, connections: int) -> dict[str, Client]:
        """The bare loop, where there is one."""
        if not self.has_floor:
            return {}
        return {FLOOR: wire.client(self.folder, self.server, connections, self._planned(connections))}

    def _peers(self, host: str, connections: int) -> dict[str, Client]:
        planned = self._planned(connections)
        return self.peer.clients(self.server, host, self.script_file, connections, planned)

    def _planned(self, connections: int) -> Window:
        return MANY_RUN if connections == MANY else self.extent.window

    def _measure(self, clients: Mapping[str, Client], connections: int) -> Costs:
        window = MANY_WINDOW if connections == MANY else self.extent.window
        sides = {name: partial(self._run, client, window) for name, client in clients.items()}
        return costs.measure(sides, self.extent.rounds)

    def _run(self, client: Client, window: Window) -> Steady:
        for sql in (*self.transaction.mended_by, *self.peer.before_run):
            self.server.query(sql)
        return steady.run(client, window)


def beside_all_peers(
    outcome: Outcome, transaction: Transaction, params: dict[str, object], extent: Extent
) -> None:
    """Everything that is measured of a transaction, on a private server of each engine in turn."""
    sysbench.install()
    for start in (servers.postgresql, servers.mariadb):
        with start() as server, tempfile.TemporaryDirectory(prefix="igen-bench-") as folder:
            comparing = Comparing(outcome, server, transaction, params, Path(folder), extent)
            comparing.load()
            for connections in extent.connections:
                comparing.beside_peer(server.host, connections)
            if extent is FULL:
                comparing.same_twice(16)
                comparing.beside_peer(str(server.socket), 64)
    outcome.notes += NOTES
