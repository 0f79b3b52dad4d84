"""Facts and readings of a job from its caller, its targets and other machines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from igen.monitors.watch import StoredEvent, Watch
from igen.study.target_counts import CountsOverMeasure, ReadCounts, no_counts

FactsOf = Callable[[Mapping[str, Any]], Mapping[str, Any]]
"""Returns the facts of a job in addition to the agent's facts, by name."""


def no_facts(_job: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return no facts."""
    return {}


class Surroundings:
    """Writes facts and readings as events into the files of jobs."""

    def __init__(self, watch: Watch, read_counts: ReadCounts = no_counts, facts: FactsOf = no_facts) -> None:
        """`watch` reads the machines of tiers, `read_counts` what targets count themselves; `facts` of a job
        stand in its file."""
        self._watch = watch
        self._read_counts = read_counts
        self._facts_of = facts
        self._known: Mapping[str, Any] = {}
        self._counts = CountsOverMeasure({}, no_counts)

    def begin(self, job: Mapping[str, Any], waits: Callable[[list[str]], None]) -> None:
        """Before a job: returns when its machines are read, or are not waited for any more.

        `waits` is told for whom it waits, whenever that changes.
        """
        self._known = self._facts_of(job)
        self._counts = CountsOverMeasure(job, self._read_counts)
        self._watch.begin(job, waits)

    def beside(self, event: Mapping[str, Any]) -> Iterator[StoredEvent]:
        """Return the events that follow an event of the agent."""
        if "hello" in event:
            yield from _told(self._known)
            yield from self._watch.started(float(event["hello"]["started_unix_s"]))
        if "phase" in event:
            yield from _told(self._counts.entered(event["phase"]["phase"]) or {})
        yield from self.rest()

    def rest(self) -> Iterator[StoredEvent]:
        """Return the readings of other machines since the last call."""
        yield from self._watch.take()

    def close(self) -> None:
        """Disconnect from the machines."""
        self._watch.close()


def _told(facts: Mapping[str, Any]) -> Iterator[StoredEvent]:
    for name, value in facts.items():
        yield {"fact": {"name": name, "value": value}}
