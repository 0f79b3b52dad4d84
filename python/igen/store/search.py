"""Search for runs: words and conditions, as an SQL condition over the catalog."""

from __future__ import annotations

import re
import time
from typing import NamedTuple

from igen.errors import InputError
from igen.store.notes import HIDDEN

_FIELDS = {"workload": "workload", "system": "system", "name": "name", "state": "state", "verdict": "verdict"}
_SEEN = ("run", "system", "name", "title", "workload", "tags")
"""Columns that a word without a field is searched in."""
MOST_WORDS, MOST_CHARACTERS = 50, 1000
"""Most words and characters in a search: SQLite bounds the depth and length of a condition."""
_SIGNS = {">": ">", "<": "<", ">=": ">=", "<=": "<="}
_PEAK = re.compile(r"peak(>=|<=|>|<)(.+)")
HINT = (
    "words, workload:oltp, system:NAME, tag:NAME, state:complete, verdict:VALID, peak>5000, "
    "after:2026-09-01, before:2026-10-01; a minus negates a condition"
)


class Condition(NamedTuple):
    """A condition of SQL and its values."""

    sql: str
    values: list[object]


def condition_of(search: str) -> Condition:
    """Return the condition that all words hold; only `tag:hidden` finds hidden runs. Raises `InputError`."""
    words = search.split()
    if len(search) > MOST_CHARACTERS or len(words) > MOST_WORDS:
        text = f"a search has at most {MOST_WORDS} words and {MOST_CHARACTERS} characters"
        raise InputError(text, where="search", hint="shorten the search")
    parts = [_part(word) for word in words]
    if f"tag:{HIDDEN}" not in words:
        parts.append(Condition("NOT tags LIKE ?", [f"% {HIDDEN} %"]))
    return Condition(
        " AND ".join(part.sql for part in parts), [each for part in parts for each in part.values]
    )


def _part(word: str) -> Condition:
    bare = word.lstrip("-")
    if bare and bare != word:
        found = _part(bare)
        turned = (len(word) - len(bare)) % 2
        return Condition(f"NOT ifnull({found.sql}, 0)", found.values) if turned else found
    if match := _PEAK.fullmatch(word):
        return Condition(f"peak_per_s {_SIGNS[match[1]]} ?", [_number(match[2])])
    field, colon, value = word.partition(":")
    if not colon or not value:
        pattern = f"%{_literal(word)}%"
        return Condition(
            "(" + " OR ".join(f"{each} LIKE ? ESCAPE '\\'" for each in _SEEN) + ")", [pattern] * len(_SEEN)
        )
    if field == "tag":
        return Condition("tags LIKE ? ESCAPE '\\'", [f"% {_literal(value)} %"])
    if field in ("after", "before"):
        return Condition(f"created_unix_s {'>=' if field == 'after' else '<'} ?", [_day(value)])
    if field in _FIELDS:
        # A state or a verdict may have a blank, a word of the search has none.
        return Condition(
            f"{_FIELDS[field]} LIKE ? ESCAPE '\\'",
            [_literal(value.replace("_", " ") if field in ("state", "verdict") else value)],
        )
    raise InputError(f"`{field}:` is not a search field", where="search", hint=HINT)


def _literal(text: str) -> str:
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


def _number(text: str) -> float:
    try:
        return float(text.replace(",", ""))
    except ValueError:
        raise InputError(f"`{text}` is not a number", where="search", hint="such as peak>5000") from None


def _day(text: str) -> float:
    try:
        return time.mktime(time.strptime(text, "%Y-%m-%d"))
    except (ValueError, OverflowError):
        raise InputError(f"`{text}` is not a date", where="search", hint="such as after:2026-09-01") from None
