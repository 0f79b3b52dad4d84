"""Processor time by transaction, and throughput, of clients that were measured in alternating runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from bench.comparison import Comparison, interleave, spread
from bench.outcome import Outcome, number
from bench.steady import Steady

COLUMNS = (
    "iGen",
    "range",
    "iGen_is",
    "peer",
    "peer_range",
    "peer_is",
    "ratio",
    "ratio_range",
    "iGen_tx_per_s",
    "throughput_ratio",
    "throughput_to",
)


@dataclass(frozen=True, slots=True)
class Costs:
    """What each side cost, and what it achieved."""

    cpu_us: Comparison
    """Processor time in µs by transaction."""
    throughput: Comparison
    """Transactions a second."""

    def cheapest(self, sides: Iterable[str]) -> str:
        """The one of `sides` that takes the least processor time by transaction."""
        return min(sides, key=self.cpu_us.median)

    def fastest(self, sides: Iterable[str]) -> str:
        """The one of `sides` that does most transactions a second."""
        return max(sides, key=self.throughput.median)

    def add_row(self, outcome: Outcome, what: str, ours: str, base: str, fastest: str | None = None) -> None:
        """One line of the table: iGen as `ours` beside the peer as `base`, in throughput beside `fastest`."""
        fastest = fastest or base
        outcome.add(
            f"{what}: CPU µs per transaction",
            iGen=number(self.cpu_us.median(ours)),
            range=self.cpu_us.spread(ours),
            iGen_is=ours,
            peer=number(self.cpu_us.median(base)),
            peer_range=self.cpu_us.spread(base),
            peer_is=base,
            ratio=number(self.cpu_us.ratio(ours, base)),
            ratio_range=spread(self.cpu_us.ratios(ours, base)),
            iGen_tx_per_s=number(self.throughput.median(ours)),
            throughput_ratio=number(self.throughput.ratio(ours, fastest)),
            throughput_to=fastest,
        )


def measure(sides: Mapping[str, Callable[[], Steady]], rounds: int) -> Costs:
    """Measures each side once a round."""
    runs = interleave(sides, rounds)
    return Costs(
        Comparison({name: [run.cpu_us_per_transaction for run in side] for name, side in runs.items()}),
        Comparison({name: [run.throughput_per_s for run in side] for name, side in runs.items()}),
    )
