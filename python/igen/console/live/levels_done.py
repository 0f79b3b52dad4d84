"""The levels of a run that were measured, each with the judge's verdict, and never judged while something is
measured.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

from igen.console.live.follower import Follower
from igen.console.live.job_now import JobNow

MOST_EXECUTIONS = 20
"""Most executions of a level that are judged, the last ones."""
MOST_REASON = 200
"""Most characters of an error of the judge."""
MEASURED = "measure"

Ask = Callable[..., Awaitable[Any]]
"""Function that calls another function in the low-priority process for long computations."""


def judged(paths: Sequence[str], value: str) -> dict[str, Any]:
    """What the executions of a level came to; called in the process that is there for what takes time.

    `value` is what the study takes of a series. Raises `IgenError`.
    """
    from igen.aspects.aspects import ASPECTS
    from igen.judge import analyse
    from igen.judge.intent import Intent
    from igen.judge.trust.finding import reasons
    from igen.printed import printed
    from igen.say import say
    from igen.study.recordings import Recordings

    recordings = Recordings()
    intent = Intent.of({"value": value, "plan": {}}, Intent().reference)
    (system, *_) = analyse([recordings.of(Path(path)) for path in paths], intent=intent, aspects=ASPECTS)
    if not system.levels:
        return {"verdict": "INVALID", "reasons": ["nothing was measured"]}
    level = system.levels[0]
    times = level.response_time_ms
    return {
        "verdict": level.trust.verdict,
        "reasons": [printed(say(each)) for each in reasons(level.findings)[:3]],
        "per_s": level.throughput_per_s.value,
        "p50_ms": times.p50 if times else None,
        "p99_ms": times.p99 if times else None,
        "failed": level.errors,
    }


class LevelsDone:
    """Rows of levels, in the order of their first execution."""

    def __init__(self, run_folder: Path, value: str, ask: Ask) -> None:
        self._folder, self._value, self._ask = run_folder, value, ask
        self._rows: dict[tuple[int, str, str, bool], dict[str, Any]] = {}
        self._files: dict[tuple[int, str, str, bool], list[str]] = {}
        self._counted: set[int] = set()
        self._waiting: dict[tuple[int, str, str, bool], None] = {}
        self._judging: asyncio.Task[None] | None = None
        self.changes = 0
        """Grows with each change of a row."""

    @property
    def rows(self) -> list[dict[str, Any]]:
        """Return the rows, without a `verdict` until they are judged."""
        return list(self._rows.values())

    @property
    def is_judging(self) -> bool:
        """Return True if a verdict is pending."""
        return bool(self._waiting) or self._judging is not None

    def follow(self, follower: Follower, *, is_over: bool) -> None:
        """Add ended executions, and judge them while nothing is measured."""
        job = follower.now
        for each in (*follower.ended, *((job,) if job and (job.end or is_over) else ())):
            if each.number not in self._counted:
                self._add(each)
        measures = job is not None and job.phase == MEASURED and not (job.end or is_over)
        if self._waiting and self._judging is None and not measures:
            key = next(iter(self._waiting))
            del self._waiting[key]
            self._judging = asyncio.create_task(self._judge(key))

    def _add(self, job: JobNow) -> None:
        self._counted.add(job.number)
        key = job.level_key
        level, system, test, confirms = key
        row = self._rows.setdefault(
            key,
            {"level": level, "system": system, "test": test, "load": job.load, "confirms": confirms}
            | {"place": job.place},
        )
        files = self._files.setdefault(key, [])
        files.append(str(self._folder / "jobs" / f"{job.number:04d}.jsonl"))
        del files[:-MOST_EXECUTIONS]
        row["executions"] = row.get("executions", 0) + 1
        self._waiting[key] = None
        self.changes += 1

    async def _judge(self, key: tuple[int, str, str, bool]) -> None:
        files = list(self._files[key])
        try:
            found = await self._ask(judged, files, self._value)
        except Exception as error:
            # Whatever befell the judge, such as an end of its process: the run is watched all the same.
            found = {"verdict": "not judged", "reasons": [str(error)[:MOST_REASON] or type(error).__name__]}
        self._rows[key] |= found
        self._judging = None
        self.changes += 1
