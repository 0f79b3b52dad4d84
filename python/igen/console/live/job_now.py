"""An execution in progress: the content of its file so far, as a page shows it."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass, field
from typing import Any

from igen.console.live.machine import Machine
from igen.failure import Failure
from igen.loads import Loads
from igen.units import counted

RECENT_INTERVALS = 60
"""Number of the last intervals for operations."""
MOST_WARNINGS = 5


@dataclass(slots=True, kw_only=True)
class JobNow:
    """Times are seconds since the run's first job began."""

    number: int
    start: dict[str, Any]
    """The body of `job_start`."""
    base_s: float
    """Time at which the agent's clock was 0."""
    host: str = ""
    phase: str = "start"
    phase_start_s: float
    planned_s: float | None = None
    progress: dict[str, Any] | None = None
    """Progress of a long step: `text`, `done`, `total`, `unit`."""
    failures: Counter[Failure] = field(default_factory=Counter)
    operations: deque[dict[str, Any]] = field(default_factory=lambda: deque(maxlen=RECENT_INTERVALS))
    """Lengths and operations of the last intervals, as the agent sent them."""
    messages: list[str] = field(default_factory=list)
    """Last warnings and errors."""
    machine: Machine = field(default_factory=Machine)
    end: dict[str, Any] | None = None
    """The body of `job_end`."""

    @property
    def job(self) -> dict[str, Any]:
        """Return the job as sent to the agent."""
        return dict(self.start.get("job") or {})

    @property
    def load(self) -> str:
        """Its load in words: `2,000 users`, `100/s`, `8 users of clerks and 20/s of orders`."""
        parts = []
        for load in Loads.of(self.job):
            by_rate = load.model == "open"
            words = f"{load.amount:,.6g}/s" if by_rate else counted(int(load.amount), "user")
            parts.append(f"{words} of {load.name}" if load.name else words)
        return " and ".join(parts)

    @property
    def place(self) -> float | None:
        """Where it stands on a curve along users, or the rate of an open load; None with several loads."""
        loads = Loads.of(self.job)
        return None if loads.names else loads.each[0].amount or None

    @property
    def level_key(self) -> tuple[int, str, str, bool]:
        """The same for executions of one level; those that confirm a peak stand apart."""
        start = self.start
        purpose = start.get("purpose") == "confirm"
        return int(start.get("level", 0)), str(start.get("system", "")), str(start.get("test", "")), purpose

    def begin_phase(self, phase: str, at_s: float, planned_s: float | None) -> None:
        """Start a phase at `at_s` of the agent's clock."""
        self.phase, self.phase_start_s, self.planned_s = phase, self.base_s + at_s, planned_s
        self.progress = None

    def say(self, text: str) -> None:
        """Keep a warning or an error, and drop the oldest."""
        self.messages = [*self.messages, text][-MOST_WARNINGS:]
