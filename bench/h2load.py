"""h2load (nghttp2): the peer of the bench of web servers over HTTP/2."""

from __future__ import annotations

import re
from dataclasses import dataclass

from bench import peers
from bench.process import Execution, execute

_RATE = re.compile(r"finished in [\d.]+m?s, ([\d.]+) req/s")
_REQUESTS = re.compile(r"requests: \d+ total, \d+ started, (\d+) done, (\d+) succeeded, (\d+) failed")


@dataclass(frozen=True, slots=True)
class H2loadRun:
    """h2load, executed."""

    execution: Execution
    requests: int
    throughput_per_s: float


def install() -> None:
    """Makes sure that h2load is there."""
    peers.need("h2load", "nghttp2-client")


def run(target: str, connections: int, run_s: int) -> H2loadRun:
    """Runs it on one thread, a request at a time on each connection. Raises RuntimeError when one failed."""
    command = ["h2load", "-t1", f"-c{connections}", "-m1", f"-D{run_s}", f"{target}/"]
    return read(execute(command))


def read(execution: Execution) -> H2loadRun:
    """What it printed. Raises RuntimeError when that is no result, or when requests failed."""
    requests, rate = _REQUESTS.search(execution.output), _RATE.search(execution.output)
    if requests is None or rate is None or requests[1] != requests[2] or requests[3] != "0":
        raise RuntimeError(f"h2load: {execution.output[-2000:]}")
    return H2loadRun(execution, int(requests[2]), float(rate[1]))
