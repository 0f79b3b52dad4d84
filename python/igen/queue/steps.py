"""What is to be done next, and what becomes of an entry: pure functions, the clock is the caller's."""

from __future__ import annotations

import signal
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from igen.errors import Interrupted
from igen.queue.entry import ENDED, Entry
from igen.queue.order import last_rank, ordered
from igen.queue.times import next_time
from igen.store.state import RunState


@dataclass(frozen=True, slots=True)
class Start:
    """This one's turn has come."""

    entry: Entry


@dataclass(frozen=True, slots=True)
class Refuse:
    """What this one waits for will never be."""

    entry: Entry
    reason: str


@dataclass(frozen=True, slots=True)
class Wait:
    """Nothing is to be done."""

    until_unix_s: float | None
    """When something is; None where only a change of the queue brings something."""


def next_step(
    entries: Sequence[Entry], now_unix_s: float, damaged: Collection[int] = ()
) -> Start | Refuse | Wait:
    """What a runner does now. While one is running, no other starts.

    A job that waits for a `damaged` one goes on waiting: how that one ended may yet be repaired.
    """
    by_job = {entry.job: entry for entry in entries}
    waiting = [entry for entry in ordered(entries) if entry.state == "waiting"]
    for entry in waiting:
        if entry.after is not None and entry.after not in damaged:
            reason = _never(entry.after, by_job.get(entry.after))
            if reason:
                return Refuse(entry, reason)
    if any(entry.state == "running" for entry in entries):
        return Wait(None)
    later: list[float] = []
    for entry in waiting:
        if entry.after is not None and (entry.after in damaged or by_job[entry.after].state != "done"):
            continue
        if entry.at_unix_s is None or entry.at_unix_s <= now_unix_s:
            return Start(entry)
        later.append(entry.at_unix_s)
    return Wait(min(later, default=None))


def _never(job: int, entry: Entry | None) -> str:
    """Why a job that was to run after this one will not; empty where it may yet, or now."""
    if entry is None:
        return f"job {job}, after which it was to run, is not in the queue"
    if entry.state in ("failed", "stopped", "lost"):
        words = {"failed": "has failed", "stopped": "was stopped", "lost": "is lost"}[entry.state]
        return f"job {job}, after which it was to run, {words}"
    return ""


def started(entry: Entry, now_unix_s: float) -> Entry:
    """The entry as it is written before its study begins: from here on it never begins again."""
    return replace(entry, state="running", started_unix_s=now_unix_s)


def refused(entry: Entry, reason: str, now_unix_s: float) -> Entry:
    """The entry where it does not begin."""
    return replace(entry, state="failed", reason=reason, ended_unix_s=now_unix_s)


def ended(entry: Entry, exit_code: int, now_unix_s: float, *, run: str, reason: str) -> Entry:
    """The entry when its study has ended; below 0 the code is the signal that ended it."""
    interrupted = exit_code in (Interrupted.exit_code, -signal.SIGINT)
    state = "done" if exit_code == 0 else "stopped" if interrupted else "failed"
    how = f"signal {-exit_code}" if exit_code < 0 else f"exit code {exit_code}"
    return replace(
        entry,
        state=state,
        exit_code=exit_code,
        ended_unix_s=now_unix_s,
        run=run,
        reason="" if exit_code == 0 else reason or how,
    )


def ended_unseen(entry: Entry, state: RunState | None, now_unix_s: float, *, run: str) -> Entry:
    """Return the entry if its runner did not see the end: its state is the state of its run in the store.

    `state` is None if the store has no run of this entry.
    """
    over = {"complete": "done", "interrupted": "stopped", "failed": "failed"}
    if state is None:
        how = f"run {run} is not in the store" if run else "no run was begun"
    else:
        how = f"its run is {state}"
    return replace(
        entry,
        state=over.get(state or "", "lost"),
        ended_unix_s=now_unix_s,
        run=run,
        reason="" if state == "complete" else f"the runner ended before it; {how}",
    )


def without_successor(entries: Sequence[Entry]) -> list[Entry]:
    """Those that have ended and are to be repeated, and of which no repetition was written down yet."""
    return [
        entry
        for entry in entries
        if entry.state in ENDED and entry.every_s is not None and entry.successor is None
    ]


def successor(entry: Entry, job: int, entries: Sequence[Entry], now_unix_s: float) -> Entry:
    """The next repetition: as the entry was when it was added, at its next time, behind all others."""
    assert entry.every_s is not None
    base_unix_s = entry.at_unix_s or entry.started_unix_s or entry.added_unix_s
    return Entry(
        job=job,
        rank=last_rank(entries),
        study=entry.study,
        folder=entry.folder,
        params=entry.params,
        group=entry.group,
        at_unix_s=next_time(base_unix_s, entry.every_s, now_unix_s),
        every_s=entry.every_s,
        follows=entry.job,
        console=entry.console,
        guarded=entry.guarded,
        added_unix_s=now_unix_s,
    )
