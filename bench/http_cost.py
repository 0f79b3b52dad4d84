"""What requests to a web server have cost either side of a comparison."""

from __future__ import annotations

from dataclasses import dataclass

from bench.process import Execution


@dataclass(frozen=True, slots=True)
class Cost:
    """One run of either side."""

    cpu_us: float
    user_us: float
    throughput_per_s: float


def cost(execution: Execution, requests: int, throughput_per_s: float) -> Cost:
    """What a process that has put so many requests has cost."""
    each_us = 1e6 / requests
    return Cost(execution.cpu_s * each_us, execution.user_s * each_us, throughput_per_s)
