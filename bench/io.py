"""What an I/O costs beside fio: random reads from the page cache; direct I/O on the disk, with writes too."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from bench import agent, costs, fio, peers, steady
from bench.costs import Costs
from bench.fio import Fio, Ios
from bench.outcome import Goal, Outcome, number
from bench.steady import Steady, Window

DEPTHS = (1, 8, 64)
KIB, MIB, GIB = 2**10, 2**20, 2**30
CACHED_BYTES = 64 * MIB
"""Little: what the tools add is to be seen, and of a larger file both wait longer for memory."""
LARGE_BYTES = 512 * MIB
"""More than the processors' caches hold."""
DIRECT_BYTES = 4 * GIB
DIRECT_BLOCK_BYTES = 8 * KIB
ATTEMPTS = 5
"""Attempts at a run from the page cache, until the file was in it before and after."""

PLAIN_GOALS = {"iops": ">= 1.2", "cpu": "<= 0.8"}
TUNED_GOALS = {"iops": ">= 1.1", "cpu": "<= 0.9"}
DIRECT_JOBS = ((1, 1, 100), (8, 1, 100), (64, 1, 100), (8, 2, 100), (16, 1, 70))
"""Depths, threads, percent that read. What writes is the last: it leaves others' data in the file."""
SHALLOW_GOALS = {"iops": ">= 1.0", "cpu": "<= 1.0"}
DEEP_GOALS = {"iops": ">= 1.0", "cpu": "<= 0.8"}

NOTES = [
    "CPU time is user and system time of the whole process with all its threads, the kernel's io_uring "
    "workers among them, between two of its reports under steady load. What the kernel does in interrupts "
    "counts for whoever runs. Values are medians of alternating runs, ratios medians of the ratios within "
    "the rounds, ranges go from the lowest to the highest; a goal over several measurements is about the "
    "geometric mean of their ratios.",
    "Both sides read the same file on the same file system, uniformly at random, from fixed seeds, each with "
    "its own generator. fio runs with `norandommap`: iGen draws each block without regard to those before, "
    "and fio is spared its map of the blocks that it has read, which costs it time and memory.",
    "iGen records the response time of every I/O, from submission to reaping, in histograms, and reads all "
    "of its default monitors. fio records submission, completion and total latency, and the completion "
    "latency in its histogram, as it does by default.",
    "fio tuned: I/Os submitted in batches of a quarter of the depth and reaped as many as are there, "
    "registered buffers and files, no vectors. `gtod_reduce` is not used, since it turns the percentiles "
    "off.",
    f"From the page cache: a file of {CACHED_BYTES // MIB} MiB. Of a larger one both sides wait longer for "
    f"memory, and the ratios come closer to 1, as those with {LARGE_BYTES // MIB} MiB show. The file is read "
    "through before each run, and a run is repeated unless all of it was resident before and after.",
    "Both sides run on the same processors, as many as they have threads: where the system puts them decides "
    "more than what they do.",
    "Where some I/Os write, iGen stamps each block that it writes, so that what is read back can be judged; "
    "fio writes what is in its buffers, a little changed.",
    "Direct: depth 1 by psync, else by io_uring. In a virtual machine most of such an I/O's processor time "
    "is the exit that tells the host of it (59 % of the samples of a profile at depth 1), which no client "
    "can save unless it submits several at once.",
]


@dataclass(frozen=True, slots=True)
class Extent:
    """How much is measured."""

    blocks_bytes: tuple[int, ...]
    threads: tuple[int, ...]
    rounds: int
    window: Window


FULL = Extent((4 * KIB, 8 * KIB), (1, 2), 5, Window(warmup_s=1, measure_s=2))
QUICK = Extent((8 * KIB,), (1,), 2, Window(warmup_s=1, measure_s=1))


@dataclass(slots=True)
class Ratios:
    """iGen's to one peer's, of several measurements."""

    iops: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    def add(self, measured: Costs, peer: str) -> None:
        """Adds those of one measurement."""
        self.iops.append(measured.throughput.ratio("iGen", peer))
        self.cpu.append(measured.cpu_us.ratio("iGen", peer))

    def add_goals(self, outcome: Outcome, name: str, goals: dict[str, str]) -> None:
        """The goals that their geometric means should meet."""
        for what, ratios in (("iops", self.iops), ("cpu", self.cpu)):
            outcome.goals[f"{name}_{what}_ratio"] = Goal(statistics.geometric_mean(ratios), goals[what])


@dataclass(frozen=True, slots=True)
class Comparing:
    """The peers, and what is measured beside them."""

    outcome: Outcome
    peers: list[Fio]
    extent: Extent

    def cached(self, file: Path) -> None:
        """From the page cache: every peer as it is, and with io_uring tuned, too."""
        plain = {peer.name: Ratios() for peer in self.peers}
        tuned = {f"{peer.name}_tuned": Ratios() for peer in self.peers}
        by_depth: defaultdict[tuple[bool, str], Ratios] = defaultdict(Ratios)
        for ios in self._cached_ios(file):
            measured = self._measure(ios, tuned=ios.engine == "io_uring")
            for name, ratios in {**plain, **tuned}.items():
                if name in measured.cpu_us.values:
                    ratios.add(measured, name)
                    by_depth[ios.depth == 1, name].add(measured, name)
                    measured.add_row(self.outcome, described(ios), "iGen", name)
        for all_ratios, goals in ((plain, PLAIN_GOALS), (tuned, TUNED_GOALS)):
            for name, ratios in all_ratios.items():
                ratios.add_goals(self.outcome, f"cached_{name}", goals)
        for (shallow, name), ratios in by_depth.items():
            depth = "depth_1" if shallow else "deeper"
            ratios.add_goals(self.outcome, f"cached_{name}_{depth}", goals_of(shallow=shallow))

    def direct(self, file: Path) -> None:
        """From the disk: every peer as it is."""
        for depth, threads, read_percent in DIRECT_JOBS:
            engine = "psync" if depth == 1 else "io_uring"
            place = (file, DIRECT_BYTES, DIRECT_BLOCK_BYTES)
            ios = Ios(*place, engine, depth, threads, direct=True, read_percent=read_percent)
            measured = self._measure(ios, tuned=False)
            for peer in self.peers:
                measured.add_row(self.outcome, described(ios), "iGen", peer.name)
                ratios = Ratios()
                ratios.add(measured, peer.name)
                mixed = "" if read_percent == 100 else f"_{read_percent}_percent_read"
                name = f"direct_{depth}x{threads}{mixed}_{peer.name}"
                ratios.add_goals(self.outcome, name, goals_of(shallow=depth == 1))

    def cached_large(self, file: Path) -> None:
        """A file that no cache of a processor holds, not part of a goal."""
        ios = Ios(file, LARGE_BYTES, 8 * KIB, "io_uring", 8, threads=1, direct=False)
        measured = self._measure(ios, tuned=True)
        for name in [each for each in measured.cpu_us.values if each != "iGen"]:
            measured.add_row(self.outcome, f"{described(ios)}, {LARGE_BYTES // MIB} MiB", "iGen", name)

    def same_twice(self, file: Path) -> None:
        """A peer beside itself: what the method makes of two sides that do not differ."""
        ios = Ios(file, CACHED_BYTES, 8 * KIB, "io_uring", 8, threads=1, direct=False)
        peer = self.peers[0]
        side = partial(self._fio, peer, ios)
        measured = costs.measure({"one": side, "other": side}, self.extent.rounds)
        self.outcome.add(
            f"{described(ios)}: the peer beside itself",
            peer=number(measured.cpu_us.median("other")),
            peer_is=peer.name,
            ratio=number(measured.cpu_us.ratio("one", "other")),
            throughput_ratio=number(measured.throughput.ratio("one", "other")),
        )

    def _cached_ios(self, file: Path) -> Iterable[Ios]:
        for block_bytes in self.extent.blocks_bytes:
            for threads in self.extent.threads:
                for engine, depth in (("psync", 1), *(("io_uring", depth) for depth in DEPTHS)):
                    yield Ios(file, CACHED_BYTES, block_bytes, engine, depth, threads, direct=False)

    def _measure(self, ios: Ios, *, tuned: bool) -> Costs:
        print(f"{self.outcome.bench}: {described(ios)} ...", file=sys.stderr)
        sides: dict[str, Callable[[], Steady]] = {"iGen": partial(self._igen, ios)}
        for peer in self.peers:
            sides[peer.name] = partial(self._fio, peer, ios)
            if tuned:
                sides[f"{peer.name}_tuned"] = partial(self._fio, peer, ios, ios.tuning)
        return costs.measure(sides, self.extent.rounds)

    def _igen(self, ios: Ios) -> Steady:
        params = {
            "block": ios.block_bytes,
            "depth": ios.depth,
            "engine": ios.engine,
            "direct": "require" if ios.direct else "off",
            "read": ios.read_percent,
        }
        target = f"file://{ios.file}"
        job = agent.measurement("io", target, ios.threads, self.extent.window, params)
        # fio has written over iGen's stamps.
        job["i_own_this_data"] = ios.read_percent < 100
        return _run(agent.client(job), ios, self.extent.window)

    def _fio(self, peer: Fio, ios: Ios, options: Iterable[str] = ()) -> Steady:
        window = self.extent.window
        return _run(peer.client(ios, window, [*options]), ios, window)


def measure(*, quick: bool) -> Outcome:
    """All comparisons in turn, on files beside the peers, which are on a disk where /tmp may be memory."""
    extent = QUICK if quick else FULL
    outcome = Outcome("io", costs.COLUMNS)
    comparing = Comparing(outcome, fio.installed(), extent)
    with tempfile.TemporaryDirectory(prefix="igen-bench-", dir=peers.CACHE) as folder:
        cached, direct = Path(folder) / "cached", Path(folder) / "direct"
        _prepare(cached, CACHED_BYTES)
        comparing.cached(cached)
        if not quick:
            comparing.same_twice(cached)
            large = Path(folder) / "large"
            _prepare(large, LARGE_BYTES)
            comparing.cached_large(large)
        _prepare(direct, DIRECT_BYTES)
        comparing.direct(direct)
    outcome.notes += NOTES
    return outcome


def goals_of(*, shallow: bool) -> dict[str, str]:
    """With one I/O in flight there is nothing to save by sending several at once."""
    return SHALLOW_GOALS if shallow else DEEP_GOALS


def described(ios: Ios) -> str:
    """Such as `8 KiB, io_uring, depth 8, 2 threads`, with `70 % read` in front where the others write."""
    source = "direct, " if ios.direct else ""
    if ios.read_percent < 100:
        source += f"{ios.read_percent} % read, "
    threads = f"{ios.threads} thread{'s' if ios.threads > 1 else ''}"
    return f"{source}{ios.block_bytes // KIB} KiB, {ios.engine}, depth {ios.depth}, {threads}"


def pinned(client: steady.Client, processors: int) -> steady.Client:
    """The same client on the first of this program's processors."""
    mine = sorted(os.sched_getaffinity(0))[:processors]
    command = ["taskset", "--cpu-list", ",".join(map(str, mine)), *client.command]
    return replace(client, command=command)


def _prepare(file: Path, size_bytes: int) -> None:
    agent.run(agent.preparation("io", f"file://{file}", {"size_bytes": size_bytes}))


def _run(client: steady.Client, ios: Ios, window: Window) -> Steady:
    """Runs `client`; from the page cache again where the system did not leave the file in it."""
    client = pinned(client, ios.threads)
    if ios.direct:
        return steady.run(client, window)
    for _ in range(ATTEMPTS):
        with ios.file.open("rb", buffering=0) as file:
            while file.read(MIB):
                pass
        before_bytes = _resident_bytes(ios.file)
        measured = steady.run(client, window)
        if min(before_bytes, _resident_bytes(ios.file)) >= ios.size_bytes:
            return measured
    raise RuntimeError(f"the system does not keep {ios.file} in its page cache")


def _resident_bytes(file: Path) -> int:
    command = ["fincore", "--bytes", "--noheadings", "--output", "RES", str(file)]
    return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
