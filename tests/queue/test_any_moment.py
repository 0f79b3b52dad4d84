"""Whatever is done to a queue, and at whatever write the power fails: nothing runs twice, nothing is lost."""

from __future__ import annotations

import os
import signal
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from queue_entries import NOW_UNIX_S, made

from igen.errors import InputError
from igen.fleet.interrupts import Interrupts
from igen.queue.changes import check_removal, chosen, first_open, held, moved, released
from igen.queue.entry import ENDED, Entry
from igen.queue.folder import QueueFolder
from igen.queue.order import last_rank, ordered
from igen.queue.runner import Runner

EVERY_S = 100.0
JOB = st.integers(1, 8)
CHANGES = st.one_of(
    st.tuples(st.just("add"), st.sampled_from([None, EVERY_S]), st.one_of(st.none(), JOB)),
    st.tuples(st.sampled_from(["hold", "release", "remove", "first", "last"]), JOB, st.none()),
    st.tuples(st.just("before"), JOB, JOB),
    st.tuples(st.just("run"), st.sampled_from([0, 1, 130, -9]), st.none()),
    st.tuples(st.just("later"), st.sampled_from([1.0, 150.0]), st.none()),
)
WRITES = st.one_of(st.none(), st.integers(0, 5))
"""After how many writes the power fails."""


class PowerFails(BaseException):
    """Ends everything that goes on."""


class Mortal(QueueFolder):
    """A queue whose power fails after so many writes."""

    def __init__(self, store: Path, writes: int | None) -> None:
        super().__init__(store)
        self._left = writes

    def write(self, entry: Entry) -> None:
        self.spend()
        super().write(entry)

    def spend(self) -> None:
        """One step that the power outlasts, or not."""
        if self._left is not None:
            self._left -= 1
            if self._left < 0:
                raise PowerFails


class World:
    """A store, what was started in it, and what must still be there."""

    def __init__(self, store: Path) -> None:
        self.store = store
        self.now_unix_s = NOW_UNIX_S
        self.starts: Counter[int] = Counter()
        self.there: set[int] = set()
        self.followed: set[tuple[int, int]] = set()

    def act(self, change: tuple[str, Any, Any], writes: int | None) -> None:
        """One change, after which the power may be gone."""
        queue = Mortal(self.store, writes)
        before = self.open_jobs()
        with suppress(InputError, PowerFails):
            self._change(queue, *change)
        self._check(change[0], before)

    def _change(self, queue: Mortal, what: str, first: Any, second: Any) -> None:
        match what:
            case "later":
                self.now_unix_s += first
            case "run":
                Runner(
                    queue=queue,
                    say=lambda _text: None,
                    now_unix_s=lambda: self.now_unix_s,
                    carry_out=lambda entry, _queue, _interrupts: self._started(entry, queue, first),
                ).run(once=True)
            case "add":
                with queue.locked() as content:
                    if first and second:
                        return
                    number = queue.new_number()
                    queue.keep_files(number, {"a.toml": b""})
                    queue.write(made(number, rank=last_rank(content.entries), every_s=first, after=second))
                    self.there.add(number)
            case _:
                with queue.locked() as content:
                    self._change_one(queue, content.entries, what, first, second)

    def _change_one(self, queue: Mortal, entries: list[Entry], what: str, first: Any, second: Any) -> None:
        (entry,) = chosen(entries, [str(first)])
        match what:
            case "hold":
                queue.write(held(entry))
            case "release":
                queue.write(released(entry))
            case "first":
                queue.write(moved(entry, entries, first_open(entries, entry)))
            case "last":
                queue.write(moved(entry, entries, None))
            case "before":
                queue.write(moved(entry, entries, chosen(entries, [str(second)])[0]))
            case "remove":
                content = queue.repeat_ended(queue.read(), self.now_unix_s)
                (entry,) = chosen(content.entries, [str(first)])
                check_removal(content.entries, [entry])
                self.there.discard(entry.job)
                queue.remove(entry)

    def _started(self, entry: Entry, queue: Mortal, exit_code: int) -> int:
        running = [each.job for each in queue.read().entries if each.state == "running"]
        assert running == [entry.job]
        self.starts[entry.job] += 1
        queue.spend()
        return exit_code

    def open_jobs(self) -> list[int]:
        """In the order in which they stand."""
        return [entry.job for entry in ordered(QueueFolder(self.store).read().entries) if entry.is_open]

    def _check(self, what: str, before: list[int]) -> None:
        content = QueueFolder(self.store).read()
        assert content.damaged == {}
        jobs = {entry.job for entry in content.entries}
        assert self.there <= jobs
        assert all(count == 1 for count in self.starts.values())
        self.there = jobs
        self.followed |= {(entry.follows, entry.job) for entry in content.entries if entry.follows}
        assert all(count == 1 for count in Counter(origin for origin, _ in self.followed).values())
        if what not in ("first", "last", "before"):
            after = self.open_jobs()
            assert [job for job in after if job in before] == [job for job in before if job in after]


@contextmanager
def a_world() -> Iterator[World]:
    with TemporaryDirectory() as folder:
        yield World(Path(folder))


@pytest.fixture(autouse=True)
def _no_flushes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda _descriptor: None)


@settings(max_examples=150)
@given(st.lists(st.tuples(CHANGES, WRITES), max_size=30))
def test_nothing_runs_twice_and_nothing_is_lost(changes: list[tuple[tuple[str, Any, Any], Any]]) -> None:
    with a_world() as world:
        for change, writes in changes:
            world.act(change, writes)
        world.act(("run", 0, None), None)
        entries = QueueFolder(world.store).read().entries
        assert not [entry for entry in entries if entry.state == "running"]
        # Whatever repeats itself has a next one, unless that was removed.
        assert all(entry.successor for entry in entries if entry.every_s and entry.state in ENDED)


@pytest.mark.parametrize("writes", range(8))
def test_a_repetition_survives_each_moment_of_a_run(writes: int) -> None:
    with a_world() as world:
        world.act(("add", EVERY_S, None), None)
        world.act(("run", 0, None), writes)
        world.act(("run", 0, None), None)
        first, second = QueueFolder(world.store).read().entries
        assert (first.job, second.follows, first.successor) == (1, 1, second.job)
        assert first.state in ("done", "lost")
        assert world.starts[1] == 1
        assert second.state == "waiting"


def test_an_interrupt_ends_the_runner_after_its_study() -> None:
    with a_world() as world:
        world.act(("add", None, None), None)
        world.act(("add", None, None), None)

        def interrupted(_entry: Entry, _queue: QueueFolder, _interrupts: Interrupts) -> int:
            signal.raise_signal(signal.SIGTERM)
            return 130

        queue = QueueFolder(world.store)
        assert Runner(queue=queue, say=lambda _text: None, carry_out=interrupted).run(once=False)
        assert [entry.state for entry in queue.read().entries] == ["stopped", "waiting"]
