"""Lines of a jobs file: each has its number and a checksum, so that what is damaged or missing is seen.

Both are the last members of the object that the line is, `…,"line":17,"crc32":"0badcafe"}`: it stays JSON.
The checksum is that of all bytes before it, from the line's begin to the comma. Files of earlier versions of
iGen have neither.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple
from zlib import crc32

import msgspec

from igen.foreign_text import cleaned_event

Event = dict[str, Any]
"""Content of a line: an object with a single key, the kind of the event."""

_END = re.compile(rb',"line":([0-9]{1,15})(,"crc32":"([0-9a-f]{8})"})$')
_LONGEST_END = 43
"""Bytes of a number of 15 digits and a checksum, with their names."""
_MOST = 10**15 - 1
_SEQUENCE = "seq"
"""The agent's own number of a line, from 0."""
_decoder = msgspec.json.Decoder()


class Line(NamedTuple):
    """A line that could be read."""

    event: Event
    number: int | None
    """Number from 1; None if the line has neither number nor checksum."""
    sequence: int | None
    """The agent's."""


def sealed(line: bytes, number: int) -> bytes:
    """Return a line with its number and checksum; a line that is not an object is unchanged."""
    if not line.endswith(b"}"):
        return line
    numbered = b'%s,"line":%d' % (line[:-1], number)
    return b'%s,"crc32":"%08x"}' % (numbered, crc32(numbered))


def read_line(line: bytes) -> Line | None:
    """Return the content of a line; None if it is damaged or not an event."""
    number = None
    if end := _END.search(line, max(len(line) - _LONGEST_END, 0)):
        if crc32(line[: end.start(2)]) != int(end[3], 16):
            return None
        number = int(end[1])
        line = line[: end.start()] + b"}"
    try:
        event = _decoder.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    if not isinstance(event, dict):
        return None
    sequence = event.pop(_SEQUENCE, None)
    if len(event) != 1:
        return None
    is_number = isinstance(sequence, int) and 0 <= sequence <= _MOST
    return Line(cleaned_event(event, line), number, sequence if is_number else None)
