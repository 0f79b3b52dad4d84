"""What a transaction costs the client, beside the peer of each database: for every bench of a transaction.

Both sides run the same statements in the same transaction on the same server and rows, in alternating runs.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from bench import agent, costs, pgbench, servers, steady, sysbench, sysbench_sql
from bench.comparison import spread
from bench.costs import Costs
from bench.outcome import Goal, Outcome, number
from bench.servers import Server
from bench.steady import Client, Steady, Window
from bench.transaction import Transaction

GATED = (16, 64)
"""Connections at which the goals hold."""
THROUGHPUT_GOAL = ">= 0.97"
"""Not lower, within what two runs of the same program differ by."""
MANY, FEW = 1000, 64
MANY_TO_FEW_GOAL = "<= 1.25"
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
    "column of every row. pgbench and sysbench fetch the rows and look into no column. iGen and pgbench run "
    "on one thread and on two (iGen's default is one for each processor), and the cheaper counts on either "
    "side; sysbench has a thread for each connection.",
    "With a thousand connections the server has a process or thread for each of them on the same processors, "
    "which leave nothing of the client in the caches: the peer's own ratio stands beside iGen's.",
]


@dataclass(frozen=True, slots=True)
class Extent:
    """How much is measured."""

    connections: tuple[int, ...]
    rounds: int
    window: Window


FULL = Extent((1, 4, 16, 64), 5, Window(warmup_s=1, measure_s=2))
QUICK = Extent(GATED, 2, Window(warmup_s=1, measure_s=1))


@dataclass(frozen=True, slots=True)
class Peer:
    """The peer on one database."""

    cpu_goal: str
    """What iGen's processor time by transaction should be to the peer's."""
    before_run: tuple[str, ...]
    """SQL that brings the server back to the same state before each run of either side."""
    script: Callable[[Transaction], str]
    clients: Callable[[Server, str, Path, int, Window], dict[str, Client]]
    """The peer in one or more settings, by name; the cheapest counts."""


PEERS: Mapping[str, Peer] = {
    "PostgreSQL": Peer("<= 0.8", ("VACUUM", "CHECKPOINT"), pgbench.script, pgbench.clients),
    "MariaDB": Peer("<= 0.55", (), sysbench_sql.script, sysbench_sql.clients),
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

    @property
    def peer(self) -> Peer:
        """The peer on this server."""
        return PEERS[self.server.engine]

    @property
    def script_file(self) -> Path:
        """The peer's script."""
        return self.folder / f"{self.transaction.workload}.script"

    def beside_peer(self, host: str, connections: int) -> None:
        """One row of the table, and its goals where they hold."""
        over = "Unix socket" if host.startswith("/") else "TCP"
        what = f"{self.server.engine}, {over}, {connections} connection{'s' if connections > 1 else ''}"
        print(f"{self.outcome.bench}: {what} ...", file=sys.stderr)
        igen, peers = self._igen(host, connections), self._peers(host, connections)
        measured = self._measure({**igen, **peers})
        ours, base = measured.cheapest(igen), measured.cheapest(peers)
        measured.add_row(self.outcome, what, ours, base)
        if connections in GATED and over == "TCP":
            name = f"{self.server.scheme}_{connections}"
            ratio, throughput_ratio = (
                each.ratio(ours, base) for each in (measured.cpu_us, measured.throughput)
            )
            self.outcome.goals[f"{name}_cpu_ratio"] = Goal(ratio, self.peer.cpu_goal)
            self.outcome.goals[f"{name}_throughput_ratio"] = Goal(throughput_ratio, THROUGHPUT_GOAL)

    def many_connections(self) -> None:
        """The cost with a thousand connections beside that with 64."""
        print(f"{self.outcome.bench}: {self.server.engine}, {MANY} connections ...", file=sys.stderr)
        many_run = replace(self, extent=replace(self.extent, window=MANY_RUN))
        sides: dict[str, Callable[[], Steady]] = {}
        for connections, of, window in ((FEW, self, self.extent.window), (MANY, many_run, MANY_WINDOW)):
            ours, theirs = (clients(self.server.host, connections) for clients in (of._igen, of._peers))
            sides[f"iGen {connections}"] = partial(self._run, ours.popitem()[1], window)
            sides[f"peer {connections}"] = partial(self._run, theirs.popitem()[1], window)
        measured = costs.measure(sides, self.extent.rounds)
        cpu_us, throughput = measured.cpu_us, measured.throughput
        many, few = f"iGen {MANY}", f"iGen {FEW}"
        ratio = cpu_us.ratio(many, few)
        self.outcome.add(
            f"{self.server.engine}, TCP, {MANY:,} connections: CPU µs per transaction; ratio to {FEW}",
            iGen=number(cpu_us.median(many)),
            range=cpu_us.spread(many),
            ratio=number(ratio),
            ratio_range=spread(cpu_us.ratios(many, few)),
            iGen_tx_per_s=number(throughput.median(many)),
        )
        many, few = f"peer {MANY}", f"peer {FEW}"
        self.outcome.add(
            f"{self.server.engine}, TCP, {MANY:,} connections: the peer's CPU µs; ratio to {FEW}",
            peer=number(cpu_us.median(many)),
            ratio=number(cpu_us.ratio(many, few)),
            ratio_range=spread(cpu_us.ratios(many, few)),
        )
        self.outcome.goals[f"{self.server.scheme}_{MANY}_to_{FEW}_cpu_ratio"] = Goal(ratio, MANY_TO_FEW_GOAL)

    def same_twice(self, connections: int) -> None:
        """The peer beside itself: what the method makes of two sides that do not differ."""
        name, client = self._peers(self.server.host, connections).popitem()
        measured = self._measure({"one": client, "other": client})
        cpu_us = measured.cpu_us
        self.outcome.add(
            f"{self.server.engine}, TCP, {connections} connections: the peer beside itself",
            peer=number(cpu_us.median("other")),
            peer_is=name,
            ratio=number(cpu_us.ratio("one", "other")),
            ratio_range=spread(cpu_us.ratios("one", "other")),
            throughput_ratio=number(measured.throughput.ratio("one", "other")),
        )

    def _igen(self, host: str, connections: int) -> dict[str, Client]:
        target = self.server.target(host)
        workload, window = self.transaction.workload, self.extent.window
        jobs = agent.by_threads(workload, target, connections, window, self.params)
        return {name: agent.client(job) for name, job in jobs.items()}

    def _peers(self, host: str, connections: int) -> dict[str, Client]:
        return self.peer.clients(self.server, host, self.script_file, connections, self.extent.window)

    def _measure(self, clients: Mapping[str, Client]) -> Costs:
        window = self.extent.window
        sides = {name: partial(self._run, client, window) for name, client in clients.items()}
        return costs.measure(sides, self.extent.rounds)

    def _run(self, client: Client, window: Window) -> Steady:
        for sql in self.peer.before_run:
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
                comparing.same_twice(min(GATED))
                comparing.beside_peer(str(server.socket), max(GATED))
            comparing.many_connections()
    outcome.notes += NOTES
