"""What runs agents somewhere and carries lines to and from them. It looks into none of them.

Agents have numbers from 0. A line may be handed over late or several times: each says its own number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Place of an agent."""

    host: str
    """The machine's name."""
    machine: str
    """Identity of the machine, the same for all its agents."""
    process_id: int
    """Process id on this machine."""
    clock_offset_s: float | None = 0.0
    """How far its clock is ahead of this machine's clock; None if unknown."""
    clock_error_s: float = 0.0
    """Error of this, in either direction."""


def told_apart(places: Mapping[int, Place]) -> dict[int, Place]:
    """Give machines of the same name different names: the name and the first digits of their identity."""
    machines = {(place.host, place.machine) for place in places.values()}
    called = Counter(host for host, _ in machines)
    return {
        agent: replace(place, host=f"{place.host} {place.machine[:8]}") if called[place.host] > 1 else place
        for agent, place in places.items()
    }


@dataclass(frozen=True, slots=True)
class Heard:
    """An agent that was reached, and the lines that it wrote, each without its line feed."""

    agent: int
    lines: list[bytes]


@dataclass(frozen=True, slots=True)
class Gone:
    """An agent whose process has ended and whose output was read."""

    agent: int
    exit_code: int | None
    """None if a signal ended it, or if unknown."""
    signal: int | None = None
    stderr: str = ""
    """End of its standard error."""


Message = Heard | Gone


class Transport(Protocol):
    """Starts agents, reads their output, and ends them."""

    polls: bool
    """True if a reachable agent is reported at every poll, even if it has written nothing."""

    def open(self, agents: Sequence[int]) -> list[Place]:
        """Start a process for each of these agents, which waits for its job. Raises `IgenError`."""

    def say(self, agent: int, line: bytes) -> None:
        """Write a line to an agent, unless it has ended."""

    def wait(self, timeout_s: float) -> list[Message]:
        """Return output since the last call; wait for output, an interrupt, or this time."""

    def kill(self, agent: int) -> None:
        """End an agent's process at once, if it can be reached."""

    def end(self, agents: Sequence[int]) -> None:
        """End the remaining processes of these agents; their output is no longer read."""

    def close(self) -> None:
        """Release all resources."""
