"""What requests to a web server have cost either side of a comparison."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from bench.comparison import Comparison, interleave, spread
from bench.outcome import Outcome, number
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


@dataclass(frozen=True, slots=True)
class Ratios:
    """What iGen took over what the peer took, and what it achieved over that: medians of the rounds."""

    cpu: float
    user: float
    throughput: float


def beside(
    outcome: Outcome, what: str, peer: str, sides: Mapping[str, Callable[[], Cost]], rounds: int
) -> Ratios:
    """Adds a row of `iGen` beside the peer, measured in alternating runs."""
    runs = interleave(sides, rounds)
    cpu_us = Comparison({name: [run.cpu_us for run in side] for name, side in runs.items()})
    user_us = Comparison({name: [run.user_us for run in side] for name, side in runs.items()})
    throughput = Comparison({name: [run.throughput_per_s for run in side] for name, side in runs.items()})
    ratios = Ratios(*(each.ratio("iGen", peer) for each in (cpu_us, user_us, throughput)))
    outcome.add(
        f"{what}, {peer}: CPU µs per request",
        iGen=number(cpu_us.median("iGen")),
        range=cpu_us.spread("iGen"),
        peer=number(cpu_us.median(peer)),
        ratio=number(ratios.cpu),
        ratio_range=spread(cpu_us.ratios("iGen", peer)),
        iGen_user=number(user_us.median("iGen")),
        peer_user=number(user_us.median(peer)),
        user_ratio=number(ratios.user),
        user_ratio_range=spread(user_us.ratios("iGen", peer)),
        iGen_per_s=number(throughput.median("iGen")),
        throughput_ratio=number(ratios.throughput),
    )
    return ratios
