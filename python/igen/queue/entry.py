"""One study in the queue, and the states it goes through."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Literal

import msgspec

QUEUE_FORMAT = 1

State = Literal["waiting", "held", "running", "done", "failed", "stopped", "lost"]
"""`waiting` for its turn · `held` back until released · `running` · `done` with exit code 0 · `failed` ·
`stopped` by a user · `lost`: the runner ended before it, and the store has no run that says how it ended."""

ENDED: tuple[State, ...] = ("done", "failed", "stopped", "lost")


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """A study that was added: what is in the file of a job of the queue."""

    format: int = QUEUE_FORMAT
    job: int
    """Its number, which no other job of this queue ever gets."""
    state: State = "waiting"
    rank: str
    """Its place: lower ones come first. A fraction, so that there is always a place between two."""
    study: str
    """The study's copy, as a path below the job's folder in the queue."""
    folder: str
    """Where it runs: the folder in which it was added, so that relative targets mean the same."""
    params: dict[str, Any] = {}
    """Parameters of the workload, laid over those of the study."""
    group: str = ""
    at_unix_s: float | None = None
    """Not before then."""
    after: int | None = None
    """Only if this job ended well."""
    every_s: float | None = None
    """When it has ended, the same study is added again, for the next multiple of this."""
    follows: int | None = None
    """The job of which it is the repetition."""
    successor: int | None = None
    """The job that repeats it."""
    console: dict[str, str] = {}
    """Who added it in a console: its version, their role and name. Empty for the command line."""
    guarded: bool = False
    """Added by somebody who may only run harmless studies: checked again before it runs."""
    added_unix_s: float
    started_unix_s: float | None = None
    ended_unix_s: float | None = None
    run: str = ""
    """Id of its run in the store; empty where none was begun."""
    exit_code: int | None = None
    reason: str = ""
    """Why it did not end well."""

    @property
    def place(self) -> Fraction:
        """The rank as a number. Raises `ValueError` or `ZeroDivisionError` where it is none."""
        return Fraction(self.rank)

    @property
    def is_open(self) -> bool:
        """Whether it has yet to run."""
        return self.state in ("waiting", "held")


class Damaged(msgspec.Struct, frozen=True, kw_only=True):
    """A file of the queue that cannot be read: it is told and left alone."""

    file: str
    reason: str


class Listing(msgspec.Struct, frozen=True, kw_only=True):
    """All that is in a queue: what `igen queue list --json` prints."""

    jobs: list[Entry]
    """In the order in which they run; before them those that have ended."""
    damaged: list[Damaged]
