"""What searches and authentications cost a directory's client, beside searchrate, ldclt and ldap3."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from bench import agent, costs, ldap3_crate, ldclt, servers, steady, unboundid
from bench.comparison import alternate, spread
from bench.outcome import Goal, Outcome, number
from bench.process import execute
from bench.servers import Directory
from bench.steady import Client, Steady, Window

ENTRIES = 100_000
PARAMS = {"entries": ENTRIES}
LOW, HIGH = 1000, 9999
"""The peers' keys are `user.N0` for these N: nine tenths of those that iGen asks for, which are every tenth
entry from the first to the last. ldclt only has numbers with the same count of digits."""

SEARCH_GOALS = {8: "<= 0.33", 32: "<= 0.25"}
"""Processor time by search to searchrate's, by connections. With one connection it depends on where the
system puts client and server."""
WHOLE_PROCESS_GOAL = "<= 0.3"
WHOLE_PROCESS = Window(warmup_s=0, measure_s=9)
"""Runs of ten seconds."""
JAVA_WARMUP_S = 10
"""Until the Java virtual machine has compiled what it runs."""
SITEMINDER_GOAL = "<= 100"
USERS = 5_000
THINK_TIMES_S = {"ldap-search": 1.0, "ldap-siteminder": 10.0}
"""Think times of the many users: what slapd bears beside the client on two processors."""
USERS_WINDOW = Window(warmup_s=3, measure_s=9)
MEMORY_GOAL = "< 128"
MIB = 2**20

NOTES = [
    "CPU time is user and system time of the client's process, all threads, between two of its reports under "
    "steady load: start-up, connecting and the end are not in it, nor the time in which Java compiles. "
    "The whole process is from its start to its end in a run of ten seconds. Values are medians of "
    "alternating runs, ratios medians of the ratios within the rounds, ranges go from the lowest to the "
    "highest.",
    f"The server is OpenLDAP's slapd on this machine, with {ENTRIES:,} persons loaded by slapadd, `dbnosync` "
    "and `loglevel 0`. A search is `(uid=user.N)` below ou=People, subtree, anonymous, and returns one entry "
    "with all its twelve attributes; a tenth of the entries is asked for.",
    "iGen records the time of every operation and transaction, reads all of its default monitors and counts "
    "entries and bytes. searchrate and ldclt have a thread for each connection; the program of the ldap3 "
    "crate runs on one thread; iGen on one and on two (its default is one for each processor), and the "
    "cheaper counts. Rates say little about a client here: slapd takes most of both processors.",
    "A transaction of SiteMinder has ten operations on two connections of its user. authrate binds as one "
    "person all the time, since it has one password; iGen's binds are of the accessed tenth.",
    "Memory is the most that was resident up to the end of a run with all monitors, each user with "
    "connections of its own (one; of SiteMinder two), who thinks long enough for slapd to keep up.",
    f"searchrate and authrate: UnboundID LDAP SDK {unboundid.VERSION}.",
]


@dataclass(frozen=True, slots=True)
class Extent:
    """How much is measured."""

    connections: tuple[int, ...]
    rounds: int
    window: Window
    slow_peers: bool
    """Whether ldclt is measured, too, twenty seconds for each run."""

    @property
    def java_window(self) -> Window:
        """The same for a client in Java."""
        return Window(JAVA_WARMUP_S, self.window.measure_s)


FULL = Extent((1, *SEARCH_GOALS), 5, Window(warmup_s=1, measure_s=3), slow_peers=True)
QUICK = Extent(tuple(SEARCH_GOALS), 2, Window(warmup_s=1, measure_s=1), slow_peers=False)


@dataclass(frozen=True, slots=True)
class Tools:
    """The peers, as installed."""

    sdk: Path
    ldap3_search: Path


@dataclass(frozen=True, slots=True)
class Comparing:
    """A running directory, with what is measured on it."""

    outcome: Outcome
    directory: Directory
    tools: Tools
    extent: Extent

    def search(self, connections: int) -> None:
        """A row for each peer, and the goal beside searchrate."""
        what = self._announced(f"search, {_connections(connections)}")
        window, java_window = self.extent.window, self.extent.java_window
        searchrate = self._searchrate(connections, java_window)
        crate = ldap3_crate.client(self.tools.ldap3_search, self.directory, LOW, HIGH, connections, window)
        peers = {
            "searchrate": partial(steady.run, searchrate, java_window),
            "ldap3 crate": partial(steady.run, crate, window),
        }
        if self.extent.slow_peers:
            slow = ldclt.client(self.directory, "(uid=user.XXXX0)", LOW, HIGH, connections)
            peers["ldclt"] = partial(steady.run, slow, ldclt.WINDOW)
        igen = self._runs("ldap-search", self.directory.anonymous, connections)
        measured = costs.measure({**igen, **peers}, self.extent.rounds)
        ours = measured.cheapest(igen)
        for peer in peers:
            measured.add_row(self.outcome, what, ours, peer)
        if connections in SEARCH_GOALS:
            ratio = measured.cpu_us.ratio(ours, "searchrate")
            self.outcome.goals[f"search_{connections}_cpu_ratio"] = Goal(ratio, SEARCH_GOALS[connections])

    def whole_process(self, connections: int) -> None:
        """Start-up and end included, beside searchrate."""
        run_s = WHOLE_PROCESS.run_s
        what = self._announced(f"search, {_connections(connections)}, whole process in a run of {run_s} s")
        target = self.directory.anonymous
        jobs = agent.by_threads("ldap-search", target, connections, WHOLE_PROCESS, PARAMS)
        igen = {name: partial(_whole_agent_us, job) for name, job in jobs.items()}
        searchrate = self._searchrate(connections, WHOLE_PROCESS)
        peer = {"searchrate": partial(_whole_searchrate_us, searchrate)}
        cpu_us = alternate({**igen, **peer}, self.extent.rounds)
        ours = min(igen, key=cpu_us.median)
        ratio = cpu_us.ratio(ours, "searchrate")
        self.outcome.add(
            f"{what}: CPU µs per transaction",
            iGen=number(cpu_us.median(ours)),
            range=cpu_us.spread(ours),
            iGen_is=ours,
            peer=number(cpu_us.median("searchrate")),
            peer_is="searchrate",
            ratio=number(ratio),
            ratio_range=spread(cpu_us.ratios(ours, "searchrate")),
        )
        self.outcome.goals[f"whole_process_{connections}_cpu_ratio"] = Goal(ratio, WHOLE_PROCESS_GOAL)

    def bind(self, connections: int) -> None:
        """Binds beside authrate's."""
        what = self._announced(f"bind, {_connections(connections)}")
        window = self.extent.java_window
        person = (f"user.{LOW}0", f"password.{LOW}0")
        authrate = unboundid.authrate(self.tools.sdk, self.directory, *person, connections, window)
        igen = self._runs("ldap-bind", self.directory.anonymous, connections)
        peer = {"authrate": partial(steady.run, authrate, window)}
        measured = costs.measure({**igen, **peer}, self.extent.rounds)
        measured.add_row(self.outcome, what, measured.cheapest(igen), "authrate")

    def siteminder(self, users: int) -> None:
        """An authentication of ten operations."""
        what = self._announced(f"SiteMinder, {users} users")
        igen = self._runs("ldap-siteminder", self.directory.administrator, users)
        measured = costs.measure(igen, self.extent.rounds)
        ours = measured.cheapest(igen)
        cpu_us = measured.cpu_us.median(ours)
        self.outcome.add(
            f"{what}: CPU µs per transaction",
            iGen=number(cpu_us),
            range=measured.cpu_us.spread(ours),
            iGen_is=ours,
            iGen_tx_per_s=number(measured.throughput.median(ours)),
        )
        self.outcome.goals[f"siteminder_{users}_cpu_us"] = Goal(cpu_us, SITEMINDER_GOAL)

    def memory(self, workload: str) -> None:
        """Thousands of users on one process."""
        what = self._announced(f"{workload}, {USERS:,} users who think {THINK_TIMES_S[workload]:.0f} s")
        described = agent.measurement(workload, self.directory.administrator, USERS, USERS_WINDOW, PARAMS)
        described["load"]["closed"]["think_time_s"] = THINK_TIMES_S[workload]
        peak_mib = agent.peak_memory_bytes(described) / MIB
        self.outcome.add(f"{what}: peak memory, MiB", iGen=number(peak_mib))
        self.outcome.goals[f"{workload.replace('-', '_')}_{USERS}_users_mib"] = Goal(peak_mib, MEMORY_GOAL)

    def _announced(self, what: str) -> str:
        print(f"{self.outcome.bench}: {what} ...", file=sys.stderr)
        return what

    def _runs(self, workload: str, target: str, connections: int) -> dict[str, Callable[[], Steady]]:
        window = self.extent.window
        jobs = agent.by_threads(workload, target, connections, window, PARAMS)
        return {name: partial(steady.run, agent.client(job), window) for name, job in jobs.items()}

    def _searchrate(self, connections: int, window: Window) -> Client:
        keys = f"(uid=user.[{LOW}-{HIGH}]0)"
        return unboundid.searchrate(self.tools.sdk, self.directory, keys, connections, window)


def measure(*, quick: bool) -> Outcome:
    """All comparisons in turn."""
    extent = QUICK if quick else FULL
    outcome = Outcome("ldap", costs.COLUMNS)
    if extent.slow_peers:
        ldclt.install()
    tools = Tools(unboundid.install(), ldap3_crate.install())
    with tempfile.TemporaryDirectory(prefix="igen-bench-") as folder:
        ldif = Path(folder) / "people.ldif"
        agent.export(agent.preparation("ldap-search", f"ldap://localhost/{servers.SUFFIX}", PARAMS), ldif)
        with servers.openldap(ldif) as directory:
            comparing = Comparing(outcome, directory, tools, extent)
            for connections in extent.connections:
                comparing.search(connections)
            for connections in SEARCH_GOALS:
                comparing.whole_process(connections)
                comparing.siteminder(connections)
                comparing.bind(connections)
            for workload in THINK_TIMES_S:
                comparing.memory(workload)
    outcome.notes += NOTES
    return outcome


def _whole_agent_us(job: dict[str, Any]) -> float:
    return agent.run(job).cpu_ns_per_transaction / 1e3


def _whole_searchrate_us(searchrate: Client) -> float:
    """Its reports are a second apart, and the last one is at its end."""
    execution = execute(searchrate.command)
    rates_per_s = [searchrate.rate_per_s(line) for line in execution.output.splitlines(keepends=True)]
    searches = sum(rate_per_s for rate_per_s in rates_per_s if rate_per_s is not None)
    if searches == 0:
        raise RuntimeError(f"searchrate reported no searches: {execution.output[-2000:]}")
    return execution.cpu_s * 1e6 / searches


def _connections(count: int) -> str:
    return f"{count} connection{'s' if count > 1 else ''}"
