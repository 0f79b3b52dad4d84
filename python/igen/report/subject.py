"""What a report is about: which systems, against what, and when."""

from __future__ import annotations

from collections.abc import Sequence

from igen.judge.result import Result, System
from igen.loads import SEVERAL
from igen.units import date_text

MOST_TARGETS = 4
"""More than these are not named one by one at the top of a report."""
MOST_SYSTEMS = 8
"""More than these have no sentences and no figures of their own there."""


def targets_text(targets: Sequence[str]) -> list[str]:
    """The targets one by one; of many the first, the last and their number."""
    if len(targets) <= MOST_TARGETS:
        return list(targets)
    return [f"{targets[0]} … {targets[-1]} ({len(targets)} targets)"]


def first_in_study(result: Result) -> list[System]:
    """The systems without those that are another one in a further test."""
    found = {(system.run, system.system or system.name) if system.test else system.name: system
             for system in reversed(result.systems)}  # fmt: skip
    return [*reversed(found.values())]


def are_many(result: Result) -> bool:
    """Whether the systems are the points of a picture, such as of a sweep over sizes."""
    return len(first_in_study(result)) > MOST_SYSTEMS


def what_ran(result: Result) -> list[tuple[System, str, list[str]]]:
    """What ran against what, and when: system, name and facts for each line; of many systems one line."""
    systems = first_in_study(result)
    names = [system.system if system.test else system.name for system in systems]
    if are_many(result):
        systems, names = systems[:1], [f"{len(systems)} systems, from {names[0]} to {names[-1]}"]
    return [
        (
            system,
            name,
            [
                system.workload,
                *targets_text(system.targets),
                f"{system.load_model} load{'s' if system.load_model == SEVERAL else ''}",
                date_text(system.started_unix_s),
            ],
        )
        for system, name in zip(systems, names, strict=True)
    ]
