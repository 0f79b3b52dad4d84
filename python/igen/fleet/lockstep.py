"""What all agents of a job say of its load, one after another: phases, intervals, the end of the measurement.

Each agent keeps the job's timetable, so that the n-th of these events is the same for all. They are told when
all agents have said it: what is told does not depend on who was heard first.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any

from igen.fleet.merge import merged_snapshot

Event = dict[str, Any]
LOAD_PHASES = ("ramp", "warmup", "measure", "drain")


def is_common(event: Event) -> bool:
    """Return True if all agents report this event together."""
    if "phase" in event:
        return event["phase"].get("phase") in LOAD_PHASES
    return "snapshot" in event or "measured" in event


class Lockstep:
    """The common events of agents, by number; `shift_s` converts each clock to the clock of the job."""

    def __init__(self, shift_s: Mapping[int, float]) -> None:
        self._shift_s = shift_s
        self._waiting: dict[int, deque[Event]] = {agent: deque() for agent in shift_s}
        self._gone: set[int] = set()
        self._awaited = set(shift_s)
        """Agents whose next event is needed before the next common event."""
        self._end_s: float | None = None
        self._told_s = 0.0
        """End of the time with reported operations."""

    def add(self, agent: int, event: Event) -> None:
        """Take an agent's next common event."""
        self._waiting[agent].append(event)
        self._awaited.discard(agent)

    def leave(self, agent: int) -> None:
        """Drop an agent: its earlier events count, and the others continue."""
        self._gone.add(agent)
        self._awaited.discard(agent)

    def told(self) -> Iterator[Event]:
        """Yield the events that all agents have reported. Raises `ValueError` for an unreadable interval."""
        while heads := self._heads():
            # Whoever has stopped early is in a later phase: what it says of that waits for the others.
            least = min(_place(event) for event in heads.values())
            same = {agent: event for agent, event in heads.items() if _place(event) == least}
            for agent in same:
                self._waiting[agent].popleft()
                if not self._waiting[agent] and agent not in self._gone:
                    self._awaited.add(agent)
            yield self._merged(same)

    def _heads(self) -> dict[int, Event]:
        """Return the next event of each agent; empty if an agent has not reported it yet."""
        if self._awaited:
            return {}
        return {agent: waiting[0] for agent, waiting in self._waiting.items() if waiting}

    def _merged(self, same: dict[int, Event]) -> Event:
        first = next(iter(same.values()))
        if "snapshot" in first:
            return {"snapshot": self._snapshot({agent: event["snapshot"] for agent, event in same.items()})}
        ((kind, body),) = first.items()
        at_s = max(event[kind]["at_s"] + self._shift_s[agent] for agent, event in same.items())
        return {kind: body | {"at_s": at_s}}

    def _snapshot(self, parts: dict[int, Event]) -> Event:
        # Each interval begins where the last one ended, as those of one agent do.
        begins = [part["start_s"] + self._shift_s[agent] for agent, part in parts.items()]
        start_s = min(begins) if self._end_s is None else self._end_s
        if self._end_s is None:
            self._told_s = start_s
        ends = [part["end_s"] + self._shift_s[agent] for agent, part in parts.items()]
        self._end_s = max(*ends, start_s)
        snapshot = merged_snapshot(
            list(parts.values()), start_s=start_s, end_s=self._end_s, since_s=self._told_s
        )
        if "operations_since_s" in snapshot:
            self._told_s = self._end_s
        return snapshot


def _place(event: Event) -> tuple[int, int]:
    """Return the place of an event in a job: phases, each with its start, intervals and end."""
    if "phase" in event:
        return LOAD_PHASES.index(event["phase"]["phase"]), 0
    if "snapshot" in event:
        return LOAD_PHASES.index(event["snapshot"]["phase"]), 1
    return LOAD_PHASES.index("measure"), 2
