"""Words of others, such as servers, made harmless where they enter: for a terminal, a chart and a report."""

from __future__ import annotations

import json
import re
from typing import Any

MOST_CHARACTERS = 4096
"""Characters of one text; what is longer is cut."""
_NOT_WORDS = re.compile(
    # Control characters but tab and line feed, what turns the direction of reading or ends a line unseen, and
    # what no XML may hold.
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff\ufffe\uffff]"
)


def cleaned(text: str) -> str:
    r"""The text with each such character as it is written in Python (`\x1b`), cut where it is long."""
    if len(text) > MOST_CHARACTERS:
        text = f"{text[:MOST_CHARACTERS]}… (the first {MOST_CHARACTERS:,} of {len(text):,} characters)"
    return _NOT_WORDS.sub(_spelled, text)


def in_one_line(text: str) -> str:
    """Return a text of others, whole, so that it neither looks like the next line nor steers a terminal."""
    return text if text.isprintable() else json.dumps(text)


def _spelled(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape").decode("ascii")


def cleaned_event(event: dict[str, Any], line: bytes) -> dict[str, Any]:
    """An event with all its texts cleaned; `line` is what it was read from.

    Most lines have nothing to clean, and how those look is seen faster than their texts are.
    """
    if line.isascii() and b"\\" not in line and b"\x7f" not in line:
        if len(line) <= MOST_CHARACTERS:
            return event
        if "snapshot" in event:
            snapshot = event["snapshot"]
            if not isinstance(snapshot, dict) or not any(
                len(str(each)) > MOST_CHARACTERS for each in snapshot.get("failures") or ()
            ):
                return event
    cleaned_one: dict[str, Any] = _cleaned_value(event)
    return cleaned_one


def _cleaned_value(value: Any) -> Any:
    match value:
        case str():
            return cleaned(value)
        case list():
            return [_cleaned_value(each) for each in value]
        case dict():
            kept: dict[str, Any] = {}
            for name, each in value.items():
                # A payload is no text, and may be longer than one.
                new = each if name == "hdr" else _cleaned_value(each)
                name = cleaned(name)
                # Of reasons that begin alike the counts are added.
                kept[name] = kept[name] + new if name in kept and isinstance(new, int) else new
            return kept
    return value
