"""fio, the usual tester of storage, as a peer: Debian's, a newer one, and whatever else is named."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench import machine, peers
from bench.steady import Client, Window

NEWER_SUITE = "trixie"
"""Debian's release that has a newer one."""
OTHER = "FIO"
"""Environment variable with the path of one more."""
SEED = 1


@dataclass(frozen=True, slots=True)
class Ios:
    """Random I/Os on a file, as each side is to do them."""

    file: Path
    size_bytes: int
    block_bytes: int
    engine: str
    """`psync` or `io_uring`: both sides have the same names for them."""
    depth: int
    """I/Os that each thread keeps in flight."""
    threads: int
    direct: bool
    read_percent: int = 100
    """The others write."""

    @property
    def tuning(self) -> list[str]:
        """Options with which fio does them at the least cost, all statistics on; none for `psync`.

        `gtod_reduce` is left out since it turns the percentiles off, `sqthread_poll` since its thread
        keeps a processor busy.
        """
        if self.engine == "psync":
            return []
        batch = max(1, self.depth // 4)
        return [
            f"--iodepth_batch_submit={batch}",
            "--iodepth_batch_complete_min=1",
            f"--iodepth_batch_complete_max={self.depth}",
            "--fixedbufs",
            "--registerfiles",
            "--nonvectored=1",
        ]


@dataclass(slots=True)
class Reports:
    """fio's JSON, of which it prints one whole document a second, each with counts since the start."""

    lines: list[str] = field(default_factory=list)
    ios: int = 0
    runtime_ms: int = 0

    def ios_per_s(self, line: str) -> float | None:
        """I/Os a second since the last document, if `line` ends one; RuntimeError with fio's error."""
        if line.rstrip("\n") == "{":
            self.lines.clear()
        self.lines.append(line)
        if line.rstrip("\n") != "}":
            return None
        job = json.loads("".join(self.lines))["jobs"][0]
        if job["error"]:
            raise RuntimeError(f"fio had the error {job['error']}: {os.strerror(job['error'])}")
        return self._since_last([job["read"], job["write"]])

    def _since_last(self, kinds: Sequence[dict[str, Any]]) -> float | None:
        """Both kinds of I/O go on side by side: a kind that does nothing has no time of its own."""
        before, before_ms = self.ios, self.runtime_ms
        self.ios = sum(kind["total_ios"] for kind in kinds)
        self.runtime_ms = max(kind["runtime"] for kind in kinds)
        passed_ms = self.runtime_ms - before_ms
        return (self.ios - before) * 1e3 / passed_ms if passed_ms > 0 else None


@dataclass(frozen=True, slots=True)
class Fio:
    """One of them."""

    command: tuple[str, ...]
    name: str
    """Its version as it says it."""

    def client(self, ios: Ios, window: Window, options: Sequence[str] = ()) -> Client:
        """fio with these I/Os; for one run, since it reports what it has done since its start.

        `norandommap`: iGen draws each block without regard to those before, and fio is spared its map of
        the blocks that it has read. `invalidate=0`: it would empty the page cache first.
        """
        writes = ios.read_percent < 100
        described = {
            "name": "bench",
            "filename": ios.file,
            "size": ios.size_bytes,
            "rw": "randrw" if writes else "randread",
            "rwmixread": ios.read_percent,
            "bs": ios.block_bytes,
            "ioengine": ios.engine,
            "iodepth": ios.depth,
            "direct": int(ios.direct),
            "numjobs": ios.threads,
            "runtime": window.run_s,
            "randseed": SEED,
            "invalidate": 0,
            "status-interval": 1,
            "output-format": "json",
        }
        words = [f"--{name}={value}" for name, value in described.items()]
        flags = ["--thread", "--group_reporting", "--time_based", "--norandommap"]
        if not writes:
            flags.append("--readonly")
        return Client([*self.command, *words, *flags, *options], Reports().ios_per_s)


def installed() -> list[Fio]:
    """Debian's fio of this system, that of a newer Debian, and the one that the environment names."""
    peers.need("fio", "fio")
    commands = [("fio",), peers.debian(NEWER_SUITE, "fio", libraries=("ceph",))]
    if os.environ.get(OTHER):
        commands.append((os.environ[OTHER],))
    return [Fio(command, machine.version([*command, "--version"])) for command in commands]
