"""Several targets in one pattern: `db{1,2,5}.lab` and `:{5501..5504}`, much as a shell expands braces."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Mapping
from typing import Any

from igen.errors import InputError

MOST_TARGETS = 1000
_BRACES = re.compile(r"[{}]")
_RANGE = re.compile(r"([0-9]+)\.\.([0-9]+)")
_HINT = (
    "write {1..4}, {01..04}, {1,2,5} or {1..3,5}; write %7B for a brace in the URL of a server;"
    " the path of a file cannot have one"
)


def expand_targets(targets: Any) -> Any:
    """Every target that the patterns stand for, in order; several braces multiply, the last one fastest.

    The path of a file is taken as it is (`file://`, `sqlite://`: nothing in it is decoded), so it cannot have
    braces of its own. What is not a list of texts comes back as it is, for the agent to refuse. Raises
    `InputError` for braces that make no sense and for more than 1,000 targets.
    """
    if not isinstance(targets, list) or not all(isinstance(target, str) for target in targets):
        return targets
    patterns = [_parts(target) for target in targets]
    count = sum(math.prod(map(len, parts)) for parts in patterns)
    if count > MOST_TARGETS:
        raise _too_many(count)
    return ["".join(words) for parts in patterns for words in itertools.product(*parts)]


def named_targets(job: Mapping[str, Any]) -> list[str]:
    """Return the expanded targets of a job; empty if they are malformed, which the agent refuses."""
    targets = expand_targets(job.get("targets") or [])
    return [target for target in targets if isinstance(target, str)] if isinstance(targets, list) else []


def _parts(pattern: str) -> list[list[str]]:
    """Return the alternatives of each part of a pattern, split at its braces."""
    braces = "".join(_BRACES.findall(pattern))
    if braces != "{}" * (len(braces) // 2):
        raise _wrong(pattern, "its braces are unbalanced or nested")
    return [
        [word for item in text.split(",") for word in _words(pattern, item)] if number % 2 else [text]
        for number, text in enumerate(_BRACES.split(pattern))
    ]


def _words(pattern: str, item: str) -> list[str]:
    """Return the values of an item between commas: itself, or the numbers of a range."""
    if not item:
        raise _wrong(pattern, "an item between its commas or braces is empty")
    ends = _RANGE.fullmatch(item)
    if ends is None:
        if ".." in item:
            raise _wrong(pattern, f"`{item}` is not a range of numbers")
        return [item]
    first, last = int(ends[1]), int(ends[2])
    if last < first:
        raise _wrong(pattern, f"the range `{item}` ends before it starts")
    if last - first >= MOST_TARGETS:
        raise _too_many(last - first + 1)
    padded = any(len(end) > 1 and end[0] == "0" for end in ends.groups())
    width = max(map(len, ends.groups())) if padded else 0
    return [f"{number:0{width}}" for number in range(first, last + 1)]


def _wrong(pattern: str, why: str) -> InputError:
    return InputError(f"`{pattern}` is not a pattern of targets: {why}", where="targets", hint=_HINT)


def _too_many(count: int) -> InputError:
    return InputError(
        f"{count:,} targets are too many", where="targets", hint=f"use at most {MOST_TARGETS:,}"
    )
