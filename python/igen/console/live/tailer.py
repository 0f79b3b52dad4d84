"""The only reader of a watched run: its files are read and decoded once for all viewers."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import msgspec

from igen.console.live.documents import digest, figures_of, plan_of, state_of, top_of
from igen.console.live.follower import Follower
from igen.console.live.history import History
from igen.console.live.levels_done import Ask, LevelsDone
from igen.console.live.lines import GrowingLines
from igen.console.live.point import Point, cells, thinned
from igen.console.live.position import Position
from igen.console.live.run_state import GOES_ON, State, state_of_run
from igen.console.live.viewer import Message, Viewer
from igen.store.run import Run

POLL_S = 0.2
SLICE_BYTES = 1 << 18
"""Read at once; all else that the process does waits some 10 ms for what it takes to decode them."""
STATE_EVERY = 5
"""Looks between two at the run's lock and record: once a second."""
STATE_S, FIGURES_S = 1.0, 2.0
"""At least between two tellings of the state, and of operations, failures and monitors."""
MOST_DIGESTS = 32
"""Most digests of one look: where the file has grown faster, intervals are put together."""
MISSED_DIGESTS = 1_000
"""Most digests of what a viewer has missed."""

_encode = msgspec.json.Encoder().encode


class Tailer:
    """Reads a run from its start to its end."""

    def __init__(self, run_folder: Path, ask: Ask, poll_s: float = POLL_S) -> None:
        self.run = Run(run_folder)
        self.ready = asyncio.Event()
        """Set when the initial content is read."""
        self.state: State = "running"
        self.is_over = False
        """True if the run has ended."""
        record = self.run.read_record()
        self._plan = plan_of(record.study)
        self._lines = GrowingLines(run_folder, SLICE_BYTES)
        self._follower, self._history = Follower(), History()
        self._levels = LevelsDone(run_folder, str(record.study.get("value") or ""), ask)
        self._viewers: set[Viewer] = set()
        self._told_changes: tuple[int, int, State] | None = None
        self._state_at_s = self._figures_at_s = 0.0
        self._looks = 0
        self._poll_s = poll_s

    async def follow(self) -> None:
        """Run until the run has ended and is judged, or the task is cancelled."""
        try:
            await self._follow()
            for viewer in self._viewers:
                viewer.put(Message(self.run.id, b""))
        finally:
            self.ready.set()
            if not self.is_over:
                # They come back by their places, where there is a console to come back to.
                for viewer in self._viewers:
                    viewer.drop()

    async def _follow(self) -> None:
        while not self.is_over:
            lines = await asyncio.to_thread(self._read)
            # Without a pause between both: whoever attaches has seen what is not told any more.
            self._tell(self._follower.take(lines))
            if not self._lines.has_more:
                await self._look_at_state()
                self._levels.follow(self._follower, is_over=self.state not in GOES_ON)
                self.ready.set()
                await asyncio.sleep(0 if self.is_over else self._poll_s)
        self._tell([])

    def attach(self, viewer: Viewer, after: Position) -> list[Message]:
        """Send the missed messages to a viewer, then every new message: without gaps and repetitions."""
        self._viewers.add(viewer)
        return [self._state_message(), *self._figures(), *self.missed(after)]

    def detach(self, viewer: Viewer) -> None:
        """Remove a viewer."""
        self._viewers.discard(viewer)

    def missed(self, after: Position) -> list[Message]:
        """Return the digests after a position, merged if there are many."""
        return [self._message(point) for point in self._history.after(after, MISSED_DIGESTS)]

    def series(self, most: int) -> dict[str, Any]:
        """Return all points as columns, and the position to continue from."""
        return {**self._told(), "points": self._history.series(most)}

    def polled(self, since: Position) -> dict[str, Any]:
        """Return new digests after a position, and the next position."""
        return {
            **self._told(),
            "digests": [cells(each) for each in self._history.after(since, MISSED_DIGESTS)],
        }

    def _told(self) -> dict[str, Any]:
        return {"next": str(self._follower.place), "is_over": self.is_over, **self.now()}

    def last_point(self) -> dict[str, Any] | None:
        """Return the last interval under load and the failures of the last minute; None before it."""
        last = self._history.last_under_load
        return cells(last) | {"failed": self._history.failed_since(60.0)} if last else None

    def now(self) -> dict[str, Any]:
        """Return current state and figures."""
        state = state_of(self._follower, self.state, self._levels.rows, self._plan)
        return {"state": state, "figures": figures_of(self._follower.now) if self._follower.now else None}

    def _read(self) -> list[tuple[Position, bytes]]:
        try:
            return self._lines.read()
        except OSError:
            # Deleted, or out of reach for a moment: the state tells.
            return []

    async def _look_at_state(self) -> None:
        self._looks += 1
        if self._looks % STATE_EVERY and self.ready.is_set():
            return
        before, self.state = self.state, await asyncio.to_thread(state_of_run, self.run)
        # Twice, because a run is there a moment before its lock, and its last lines after its last look.
        if self.state == before and self.state not in GOES_ON:
            self.is_over = not self._levels.is_judging or self.state == "deleted"

    def _tell(self, points: list[Point]) -> None:
        for point in points:
            self._history.add(point)
        if not self.ready.is_set() or not self._viewers:
            return
        messages, now_s = [], time.monotonic()
        changes = self._follower.changes, self._levels.changes, self.state
        if changes != self._told_changes and (now_s >= self._state_at_s + STATE_S or self.is_over):
            self._told_changes, self._state_at_s = changes, now_s
            messages.append(self._state_message())
        job = self._follower.now
        fresh = thinned(points, MOST_DIGESTS)
        if job and fresh:
            last = digest(fresh[-1], top_of(job), job.machine.tiers())
            messages += [*map(self._message, fresh[:-1]), self._digest_message(fresh[-1], last)]
        if points and now_s >= self._figures_at_s + FIGURES_S:
            self._figures_at_s = now_s
            messages += self._figures()
        for viewer in list(self._viewers):
            for message in messages:
                viewer.put(message)

    def _message(self, point: Point) -> Message:
        return self._digest_message(point, digest(point, [], {}))

    def _digest_message(self, point: Point, told: bytes) -> Message:
        body = b'"%s","digest":%s' % (str(point.place).encode(), told)
        return Message(self.run.id, b'{"run":%s,"place":%s}' % (_encode(self.run.id), body), point.place)

    def _state_message(self) -> Message:
        state = state_of(self._follower, self.state, self._levels.rows, self._plan)
        return Message(self.run.id, self._wrapped(b"state", _encode(state)))

    def _figures(self) -> list[Message]:
        job = self._follower.now
        return [Message(self.run.id, self._wrapped(b"figures", _encode(figures_of(job))))] if job else []

    def _wrapped(self, kind: bytes, body: bytes) -> bytes:
        return b'{"run":%s,"%s":%s}' % (_encode(self.run.id), kind, body)
