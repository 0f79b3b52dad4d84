"""Other clients of the servers, by the sessions that the servers list."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from igen.aspects.server.parts import OtherClient
from igen.facts import SESSIONS_OTHERS, SESSIONS_OWN
from igen.facts.declaration import own_name
from igen.judge.run.measured import MeasuredRun


def other_clients(runs: Sequence[MeasuredRun]) -> list[OtherClient]:
    """Return the clients with active sessions that no agent of the run has opened, the most active first."""
    found: dict[tuple[str, str, str, str], OtherClient] = {}
    for run in runs:
        for each in _of_run(run.recording.facts):
            key = (each.server, each.user, each.address, each.application)
            known = found.get(key)
            if known is None or known.active_percent < each.active_percent:
                found[key] = each
    return sorted(found.values(), key=lambda each: -each.active_percent)


def sees_others(runs: Iterable[MeasuredRun]) -> bool | None:
    """Return False if sessions of other users were hidden in a run; None if nobody looked."""
    seen = [bool(look["sees_all"]) for run in runs for look in _looks(run.recording.facts)]
    return all(seen) if seen else None


def _of_run(facts: Mapping[str, Any]) -> Iterator[OtherClient]:
    own: dict[str, list[range]] = {}
    for name, by_server in facts.items():
        if own_name(name) == SESSIONS_OWN:
            for server, numbers in by_server.items():
                own.setdefault(server, []).extend(_ranges(numbers))
    for look in _looks(facts):
        server = str(look["server"])
        for client in look["clients"]:
            sessions = _count_outside(_ranges(client["sessions"]), own.get(server, []))
            if sessions > 0:
                yield OtherClient(
                    server=server,
                    user=client["user"],
                    address=client["from"],
                    application=client["application"],
                    sessions=sessions,
                    active_percent=client["active_percent"],
                )


def _looks(facts: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [value for name, value in facts.items() if SESSIONS_OTHERS.part(own_name(name))]


def _ranges(text: str) -> list[range]:
    """Return the ranges of `7 9-12`. They are never expanded: a recording of others may name any number."""
    parts = (part.partition("-") for part in text.split())
    return [range(int(first), int(last or first) + 1) for first, _, last in parts]


def _count_outside(ranges: Sequence[range], own: Sequence[range]) -> int:
    """Return how many numbers of `ranges` are not in `own`, whose ranges do not overlap."""
    numbers = sum(each.stop - each.start for each in ranges)
    shared = sum(
        max(min(each.stop, one.stop) - max(each.start, one.start), 0) for each in ranges for one in own
    )
    return numbers - shared
