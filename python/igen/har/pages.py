"""Requests of a recording by page: a page for each click."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

from igen.har.correlate import Step
from igen.har.requests import Asked

PAUSE_S = 1.0
"""Pause of the traffic after which a new click starts."""


@dataclass(slots=True)
class Visit:
    """A visit of a page."""

    ref: str
    requests: list[Asked] = field(default_factory=list)
    embedded: list[Asked] = field(default_factory=list)
    think_s: float = 0.0
    """Time from its last answer to the first request of the next page; 0 for the last page."""
    is_once: bool = False
    """True if a user visits it only once, at the start."""
    steps: list[Step] = field(default_factory=list)
    """Its requests in the scenario."""
    faults: list[str] = field(default_factory=list)
    """Requests that a scenario cannot have, with reasons."""

    @property
    def began_s(self) -> float:
        """Time of its first request."""
        return min(one.first.began_s for one in [*self.requests, *self.embedded])

    @property
    def ended_s(self) -> float:
        """Time of its last answer."""
        return max(one.ended_s for one in [*self.requests, *self.embedded])

    def add(self, asked: Asked) -> None:
        """Add a request that belongs to it."""
        (self.embedded if asked.is_embedded else self.requests).append(asked)


def visits_of(asked: list[Asked]) -> list[Visit]:
    """Return the pages: a new page starts if the recording says so, with a navigation, or after a pause."""
    visits: list[Visit] = []
    open_by_ref: dict[str, Visit] = {}
    for one in asked:
        ref = one.first.page_ref or (visits[-1].ref if visits else "")
        visit = open_by_ref.get(ref)
        if visit is None or _begins(one, visit, has_ref=bool(ref)):
            visit = open_by_ref[ref] = Visit(ref)
            visits.append(visit)
        visit.add(one)
    joined = _joined(visits)
    for visit, after in pairwise(joined):
        visit.think_s = max(after.began_s - visit.ended_s, 0.0)
    return joined


def _begins(asked: Asked, visit: Visit, *, has_ref: bool) -> bool:
    """Return True if a request belongs to a new click."""
    if asked.first.began_s - visit.ended_s > PAUSE_S:
        return True
    if not asked.is_navigation or asked.is_embedded:
        return False
    # If the recorder does not say whether it is a page or a frame, it is a frame: nobody clicks so soon.
    is_surely_a_page = asked.first.header("sec-fetch-dest") is not None or "untimed" in asked.first.marks
    return is_surely_a_page or not has_ref


def _joined(visits: list[Visit]) -> list[Visit]:
    """Without those that are no click.

    What only embeds belongs to the page before, and what was sent while the next page was about to come
    belongs to that one.
    """
    visits = sorted(visits, key=lambda visit: visit.began_s)
    joined: list[Visit] = []
    for visit in visits:
        before = joined[-1] if joined else None
        if before is not None and not visit.requests:
            before.embedded += visit.embedded
            continue
        is_late = before is not None and any(before.ref == other.ref for other in joined[:-1])
        is_close = before is not None and visit.began_s - before.began_s < PAUSE_S
        if before is not None and is_late and is_close and not _navigates(before):
            visit.requests = [*before.requests, *visit.requests]
            visit.embedded = [*before.embedded, *visit.embedded]
            joined.pop()
        joined.append(visit)
    first = joined[0]
    if not first.requests:
        first.requests = [first.embedded.pop(0)]
    return joined


def _navigates(visit: Visit) -> bool:
    return any(one.is_navigation for one in visit.requests)
