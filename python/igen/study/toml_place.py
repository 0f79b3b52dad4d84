"""Line numbers of keys in a TOML file, which tomllib does not report."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice

Step = str | int
"""Step of a path: a key, or the number of an entry from 0."""

_MOST_WORDS = 32
"""Most words of a name that is looked up."""
_WORD = r"""(?:[A-Za-z0-9_-]+|"(?:[^"\\]|\\.)*"|'[^']*')"""
_NAME = rf"{_WORD}(?:\s*\.\s*{_WORD})*"
_HEADER = re.compile(rf"\s*(?P<open>\[\[?)\s*(?P<name>{_NAME})\s*\]")
_KEY = re.compile(rf"\s*(?P<name>{_NAME})\s*=")
_STRINGS = re.compile(r'"""|\'\'\'|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'|#[^\n]*')


def line_of(text: str, path: Sequence[Step]) -> int | None:
    """The line, from 1, at which a value is written, or the innermost table or list that holds it; None where
    not even that is found."""
    lines = dict(_places(text))
    return next(
        (lines[tuple(path[:end])] for end in range(len(path), 0, -1) if tuple(path[:end]) in lines), None
    )


def _places(text: str) -> Iterator[tuple[tuple[Step, ...], int]]:
    """Yield each table and each key at the start of a line, with its line number."""
    table: tuple[Step, ...] = ()
    entries: Counter[tuple[Step, ...]] = Counter()
    # A value that goes on over several lines holds no keys of the table.
    open_string, depth = "", 0
    for number, line in enumerate(text.splitlines(), start=1):
        if not (open_string or depth):
            if header := _HEADER.match(line):
                table = _resolved(_words(header["name"]), entries)
                if header["open"] == "[[":
                    entries[table] += 1
                    table = (*table, entries[table] - 1)
                yield table, number
                continue
            if key := _KEY.match(line):
                yield (*table, *_words(key["name"])), number
        open_string, depth = _rest(line, open_string, depth)


def _resolved(words: Sequence[str], entries: Counter[tuple[Step, ...]]) -> tuple[Step, ...]:
    """Return the path of a header; an entry of a list is the last entry."""
    path: tuple[Step, ...] = ()
    for number, word in enumerate(words, start=1):
        path = (*path, word)
        if entries[path] and number < len(words):
            path = (*path, entries[path] - 1)
    return path


def _words(name: str) -> list[str]:
    found = islice(re.finditer(_WORD, name), _MOST_WORDS)
    return [word[0].strip("\"'") for word in found]


def _rest(line: str, open_string: str, depth: int) -> tuple[str, int]:
    """Return if a string of several lines is open after a line, and the number of open brackets."""
    if open_string:
        _, closed, line = line.partition(open_string)
        if not closed:
            return open_string, depth
    bare = _STRINGS.sub(lambda found: found[0] if len(found[0]) == 3 else "", line)
    found = re.search(r'"""|\'\'\'', bare)
    if found:
        before, _, after = bare.partition(found[0])
        return _rest(after, found[0], depth + _opened(before))
    return "", max(depth + _opened(bare), 0)


def _opened(text: str) -> int:
    return sum(text.count(sign) for sign in "[{") - sum(text.count(sign) for sign in "]}")
