"""What the monitors read last: the machine of the first agent, and the tiers that serve together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import msgspec

from igen.aspects.tier.places import MONITOR as TIER
from igen.aspects.tier.places import TIMES
from igen.judge.record.recording import Reading, Recording
from igen.judge.run.resources import BUSY, NOT_BUSY, Host, resources
from igen.store.checked_line import read_line

_TIMES = (*BUSY, *NOT_BUSY)
_AT = b',"at_s"'
_CPU = b'"monitor":"cpu"'
_TIER = b'"monitor":"%s"' % TIER.encode()
_ELSEWHERE = (b'{"reading":{"host":"ssh://', b'{"reading":{"host":"http')
"""Readings of machines that only serve: of those only tiers are shown."""
_NAMED = b'{"reading":{"host":'
_FLEETING = b'"monitor":"processes"'
"""Its subjects come and go: over many hours they would never end."""
_BOTH = 1.9
"""Intervals between readings that are looked at together: no more than two, whatever their jitter."""


class Machine:
    """Keeps the last two lines of each monitor and subject as they came; they are read when asked for."""

    def __init__(self) -> None:
        self._own = b""
        """How lines about the machine of the first agent begin; empty where that is not known."""
        self._lines: dict[bytes, tuple[bytes, bytes]] = {}
        self._cpu: bytes | None = None
        """The line of all processors that was not looked at yet."""
        self._counted: dict[str, float] = {}
        self._cpu_percent: float | None = None

    def is_on(self, host: str) -> None:
        """Where the first agent is, of which the report tells, too: other load machines are left out."""
        self._own = _NAMED + msgspec.json.encode(host) + b","

    def take(self, line: bytes) -> None:
        """The line of a reading."""
        place = line[: line.find(_AT)]
        if line.startswith(_ELSEWHERE):
            is_shown = _TIER in place
        else:
            is_shown = not self._own or not line.startswith(_NAMED) or line.startswith(self._own)
        if _FLEETING in place or not is_shown:
            return
        self._lines[place] = (self._lines.get(place, (b"", b""))[1], line)
        if place.endswith(_CPU):
            self._cpu = line

    def look_at_cpu(self) -> float | None:
        """How busy the host's processors were since the look before, in percent, or before that where nothing
        was read since then; None where that is not known.
        """
        if self._cpu is not None:
            body, self._cpu = _body(self._cpu), None
            counters = (body or {}).get("counters") or {}
            grown = {name: counters.get(name, 0.0) - self._counted.get(name, 0.0) for name in _TIMES}
            total = sum(grown.values())
            known = self._counted and counters and total > 0
            # The kernel's estimates of idle time may go back a little.
            busy = sum(grown[name] for name in BUSY)
            self._cpu_percent = min(max(100 * busy / total, 0.0), 100.0) if known else None
            self._counted = counters
        return self._cpu_percent

    def figures(self) -> dict[str, float]:
        """All that is known of the host, by the names of `Resources`."""
        found = asdict(resources(self._host(lambda _: True)))
        return {name: value for name, value in found.items() if value is not None}

    def tiers(self) -> dict[str, float]:
        """How busy each tier was, in percent of what it may use."""
        host = self._host(lambda place: _TIER in place)
        found = {}
        for name in host.subjects(TIER):
            busy = host.sum_per_s(TIER, TIMES, [name])
            capacity = host.mean_gauge(TIER, "capacity_processors", name) or 1.0
            if busy is not None:
                found[name] = 100 * busy / capacity
        return found

    def _host(self, wanted: Callable[[bytes], bool]) -> Host:
        recording = Recording()
        for place, lines in self._lines.items():
            if not wanted(place):
                continue
            bodies = [body for line in lines if line and (body := _body(line)) is not None]
            if bodies:
                about = str(bodies[-1].get("monitor")), str(bodies[-1].get("subject") or "")
                recording.readings[about] = [_reading(body) for body in bodies]
        pairs = [readings for readings in recording.readings.values() if len(readings) > 1]
        end_s = max((last.at_s for _, last in pairs), default=0.0)
        length_s = min((last.at_s - first.at_s for first, last in pairs), default=0.0)
        # Of some the last reading may not be there yet: theirs are one interval older.
        return Host(recording, end_s - _BOTH * length_s, end_s)


def _body(line: bytes) -> dict[str, Any] | None:
    """A reading; None where the line has not the form of one."""
    found = read_line(line)
    body = found.event.get("reading") if found else None
    if not isinstance(body, dict) or not _is_number(body.get("at_s")):
        return None
    series = (body.get("counters") or {}, body.get("gauges") or {})
    readable = all(isinstance(each, dict) and all(map(_is_number, each.values())) for each in series)
    return body if readable else None


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float)


def _reading(body: dict[str, Any]) -> Reading:
    return Reading(body["at_s"], body.get("counters") or {}, body.get("gauges") or {})
