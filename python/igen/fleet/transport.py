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
    """Where an agent runs."""

    host: str
    """The machine's name."""
    machine: str
    """The same for all agents on a machine, and for no others."""
    process_id: int
    """On that machine."""
    clock_offset_s: float | None = 0.0
    """How far its clock is ahead of this machine's; None where that is not known."""
    clock_error_s: float = 0.0
    """By how much that may be wrong, in either direction."""


def told_apart(places: Mapping[int, Place]) -> dict[int, Place]:
    """Give machines of one name different names: the name and the first digits of what tells them apart."""
    machines = {(place.host, place.machine) for place in places.values()}
    called = Counter(host for host, _ in machines)
    return {
        agent: replace(place, host=f"{place.host} {place.machine[:8]}") if called[place.host] > 1 else place
        for agent, place in places.items()
    }


@dataclass(frozen=True, slots=True)
class Heard:
    """An agent can be reached, and wrote these lines, each without its line feed."""

    agent: int
    lines: list[bytes]


@dataclass(frozen=True, slots=True)
class Gone:
    """An agent's process has ended, and all that it wrote was heard."""

    agent: int
    exit_code: int | None
    """None when a signal ended it, or nobody knows."""
    signal: int | None = None
    stderr: str = ""
    """The last of it."""


Message = Heard | Gone


class Transport(Protocol):
    """Starts agents, hears them, ends them."""

    polls: bool
    """Whether an agent that can be reached is heard all the time, also when it has written nothing."""

    def open(self, agents: Sequence[int]) -> list[Place]:
        """Starts a process for each of these agents, which waits for its job. Raises `IgenError`."""

    def say(self, agent: int, line: bytes) -> None:
        """Writes a line to an agent; one that is gone misses it."""

    def wait(self, timeout_s: float) -> list[Message]:
        """What was heard since the last time; waits for something, an interrupt, or for so long."""

    def kill(self, agent: int) -> None:
        """Ends an agent's process at once, as far as it can be reached."""

    def end(self, agents: Sequence[int]) -> None:
        """Ends the processes of these agents that are still there: nothing more is heard of them."""

    def close(self) -> None:
        """Gives back what it holds."""
