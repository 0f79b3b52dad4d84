"""wrk: the peer of the bench of web servers."""

from __future__ import annotations

import re
from dataclasses import dataclass

from bench import peers
from bench.process import Execution, execute

_REQUESTS = re.compile(r"(\d+) requests in ")
_FAULTS = re.compile(r"Socket errors: .*|Non-2xx or 3xx responses: .*")
_RATE = re.compile(r"Requests/sec:\s*([\d.]+)")


@dataclass(frozen=True, slots=True)
class WrkRun:
    """wrk, executed."""

    execution: Execution
    requests: int
    throughput_per_s: float


def install() -> None:
    """Makes sure that wrk is there."""
    peers.need("wrk", "wrk")


def run(target: str, connections: int, run_s: int) -> WrkRun:
    """Runs it on one thread. Raises RuntimeError when requests failed."""
    command = ["wrk", "-t1", f"-c{connections}", f"-d{run_s}s", "--timeout", "30s", f"{target}/"]
    return read(execute(command))


def read(execution: Execution) -> WrkRun:
    """What it printed. Raises RuntimeError when that is no result, or when requests failed."""
    requests, rate = _REQUESTS.search(execution.output), _RATE.search(execution.output)
    if requests is None or rate is None or _FAULTS.search(execution.output):
        raise RuntimeError(f"wrk: {execution.output[-2000:]}")
    return WrkRun(execution, int(requests[1]), float(rate[1]))
