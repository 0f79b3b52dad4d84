"""An agent of a job as the coordinator sees it, and actions on agents."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from igen.fleet.inbox import Event, Inbox
from igen.fleet.local import Command
from igen.fleet.transport import Gone, Place


@dataclass(frozen=True, slots=True)
class Say:
    """A command for an agent."""

    agent: int
    what: Command | dict[str, Any]


@dataclass(frozen=True, slots=True)
class Kill:
    """End an agent."""

    agent: int


@dataclass(frozen=True, slots=True)
class Tell:
    """An event of the job, as a single agent would write it."""

    event: Event


Effect = Say | Kill | Tell


@dataclass(slots=True)
class Member:
    """The state of an agent."""

    place: Place
    name: str
    job: dict[str, Any]
    inbox: Inbox = field(default_factory=Inbox)
    heard_s: float = 0.0
    """When it last wrote something."""
    reached_s: float = 0.0
    shift_s: float = 0.0
    ready: bool = False
    due: bool = False
    """True if it must write intervals."""
    drain: bool = False
    drained: bool = False
    error: Event | None = None
    end: Event | None = None
    gone: Gone | None = None
    lost: str = ""
    """Why."""
    left_out: int = 0
    """Intervals that arrived after it was given up."""

    @property
    def present(self) -> bool:
        """True if the coordinator still expects events from it."""
        return not self.lost and self.gone is None


def name_of(agent: int, of: int, place: Place) -> str:
    """Return `agent 2 of 3 on load-b`."""
    return f"agent {agent + 1} of {of} on {place.host}" if of > 1 else "the agent"


def death(member: Member, gone: Gone) -> str:
    """Return how a process ended early, as the end of a sentence."""
    if member.error is not None:
        return str(member.error.get("text", "it failed"))
    if gone.signal is not None:
        return f"it was killed by signal {gone.signal}"
    last_words = gone.stderr.strip().rpartition("\n")[2]
    if gone.exit_code is None:
        return last_words or "the reason is unknown"
    text = f"it ended with code {gone.exit_code} before its end event"
    return f"{text}: {last_words}" if last_words else text
