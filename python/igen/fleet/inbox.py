"""Output of an agent, each line once and in order, even if lines arrive late or repeatedly."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from igen.foreign_text import cleaned_event

Event = dict[str, Any]


class NotAnEvent(Exception):
    """Error for a line that is not an event of an agent."""


class Inbox:
    """Lines of an agent; repeated lines are ignored, early lines wait."""

    def __init__(self) -> None:
        self.expected = 0
        """Number of the next line."""
        self._early: dict[int, Event] = {}

    def take(self, lines: Iterable[bytes]) -> Iterator[Event]:
        """Return the next events. Raises `NotAnEvent`."""
        for line in lines:
            number, event = _read(line)
            if number >= self.expected:
                self._early[number] = event
            while (following := self._early.pop(self.expected, None)) is not None:
                self.expected += 1
                yield following


def _read(line: bytes) -> tuple[int, Event]:
    try:
        event = msgspec.json.decode(line)
        number = event.pop("seq")
    except (msgspec.DecodeError, AttributeError, KeyError, TypeError) as error:
        shown = line[:80].decode(errors="replace")
        raise NotAnEvent(f"the agent wrote a line that is not an event: {shown!a}") from error
    if not isinstance(number, int) or len(event) != 1:
        raise NotAnEvent(
            f"the agent wrote a line without exactly one event: {line[:80].decode(errors='replace')!a}"
        )
    return number, cleaned_event(event, line)
