"""Checks of a study before it is run, in addition to the checks of its jobs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from igen.judge.record.settings import flat
from igen.judge.trust.finding import Part, finding
from igen.lint.finding import Found

Job = Mapping[str, Any]


def repeats_finding(repeats: object) -> Found:
    """Check if each level is run only once."""
    if repeats == 1:
        yield finding("planned-once")


def differing_paths(job: Job, base: Job) -> list[str]:
    """Return the settings in which two jobs differ."""
    ours, theirs = dict(flat(job)), dict(flat(base))
    return [path for path in {**theirs, **ours} if ours.get(path) != theirs.get(path)]


def factor_finding(names: tuple[str, str], job: Job, base: Job) -> Found:
    """Check if a system differs from its base in more than one setting."""
    paths = differing_paths(job, base)
    if len(paths) > 1:
        parts = (Part(name="factor", text=path) for path in paths)
        yield finding("factors-differ", *parts, of=names[0], base=names[1])
