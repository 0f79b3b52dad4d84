"""What a user may do with entries of the queue: pure functions that refuse what cannot be."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from msgspec.structs import replace

from igen.errors import InputError
from igen.queue.entry import Entry
from igen.queue.order import last_rank, ordered, rank_before

LISTED = "`igen queue list` shows all jobs"


def chosen(entries: Sequence[Entry], references: Iterable[str]) -> list[Entry]:
    """The entries that are meant: by number, or all of a group by its name. Raises `InputError`."""
    found: dict[int, Entry] = {}
    for reference in references:
        some = [entry for entry in ordered(entries) if reference in (str(entry.job), entry.group or None)]
        if not some:
            raise InputError(f"there is no job or group `{reference}`", where="JOB", hint=LISTED)
        found |= {entry.job: entry for entry in some}
    return list(found.values())


def chosen_open(entries: Sequence[Entry], references: Iterable[str]) -> list[Entry]:
    """The same, of a group those that have not begun; where it has none all, so that it is told why."""
    found: dict[int, Entry] = {}
    for reference in references:
        some = chosen(entries, [reference])
        found |= {entry.job: entry for entry in [entry for entry in some if entry.is_open] or some}
    return list(found.values())


def held(entry: Entry) -> Entry:
    """Kept back until it is released. Raises `InputError` unless it waits or is held."""
    return replace(_still_open(entry, "held"), state="held")


def released(entry: Entry) -> Entry:
    """Waits again. Raises `InputError` unless it is held or waits."""
    return replace(_still_open(entry, "released"), state="waiting")


def moved(entry: Entry, entries: Sequence[Entry], before: Entry | None) -> Entry:
    """Directly before another one; behind all where that is None. Raises `InputError` unless both wait."""
    _still_open(entry, "moved")
    others = [each for each in entries if each.job != entry.job]
    if before is None:
        return replace(entry, rank=last_rank(others))
    if before.job == entry.job:
        raise InputError("a job cannot stand before itself", where="--before", hint=LISTED)
    return replace(entry, rank=rank_before(others, _still_open(before, "stood before")))


def first_open(entries: Sequence[Entry], but: Entry) -> Entry | None:
    """The one that would be next, apart from one; None where there is none."""
    return next((each for each in ordered(entries) if each.is_open and each.job != but.job), None)


def check_removal(entries: Sequence[Entry], removed: Sequence[Entry]) -> None:
    """Raises `InputError` for one that is running, and where one that stays waits for it."""
    numbers = {entry.job for entry in removed}
    for entry in removed:
        if entry.state == "running":
            hint = "`igen stop RUN` ends it; it is no longer running then"
            raise InputError(f"job {entry.job} is running", where="JOB", hint=hint)
    for entry in entries:
        if entry.is_open and entry.after in numbers and entry.job not in numbers:
            text = f"job {entry.job} waits for job {entry.after}"
            raise InputError(text, where="JOB", hint=f"remove job {entry.job} too")


def group_params(entries: Sequence[Entry], group: str) -> dict[str, Any]:
    """The parameters that a group has in common: those of the job that was last added to it."""
    members = [entry for entry in entries if group and entry.group == group]
    return max(members, key=lambda entry: entry.job).params if members else {}


def check_group(group: str) -> None:
    """Raises `InputError` for a name that could be a job's number."""
    if group.isdecimal():
        raise InputError(f"`{group}` is a number", where="--group", hint="jobs have numbers, groups names")


def _still_open(entry: Entry, what: str) -> Entry:
    if entry.is_open:
        return entry
    raise InputError(f"job {entry.job} is {entry.state} and cannot be {what}", where="JOB", hint=LISTED)
