"""What can be said of a study before it is run, beside what its jobs say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from igen.judge.record.settings import flat
from igen.lint.finding import Finding

Job = Mapping[str, Any]


def repeats_finding(repeats: object) -> Iterator[Finding]:
    """Whether each level is run once."""
    if repeats == 1:
        yield Finding(
            subject="one run",
            found="each level is run once",
            matters="one run has no interval: nobody can tell the figure from noise",
            remedy="plan the default of 5 repeats, or 3 at least",
        )


def factor_finding(names: tuple[str, str], job: Job, base: Job) -> Iterator[Finding]:
    """Whether a system differs from its base in more than one setting."""
    ours, theirs = dict(flat(job)), dict(flat(base))
    paths = [path for path in {**theirs, **ours} if ours.get(path) != theirs.get(path)]
    if len(paths) > 1:
        yield Finding(
            subject="factors",
            of=names,
            found=f"{len(paths)} factors differ: {', '.join(paths)}",
            matters="no difference can be put down to one of them",
            remedy="change one at a time",
        )
