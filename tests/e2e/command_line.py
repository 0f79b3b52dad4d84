"""What tests know of a command line that ran, and of what it records while it runs."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from igen.failure import failures_of
from igen.store.job_file import read_job_file
from tests.obeys import obeying
from tests.waiting import PATIENCE_S as PATIENCE_S
from tests.waiting import wait_for as wait_for

ROOT = Path(__file__).parents[2]
"""Longer than anything here takes on a busy machine; only a defect waits that long."""
LONG = "--duration 1h --warmup 0s"
"""A measurement that a test ends by what it does, however busy the machine is."""
GENTLE = f"{LONG} --think-time 10ms"
"""The same with users who leave the processors to others between two transactions."""
UNWATCHED = "monitors = []\ncanary_s = 0\n"
"""In a study's job: nothing looks at the machine, so that what else runs there makes no level INVALID."""


@dataclass(frozen=True)
class Done:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> dict[str, Any]:
        """The result document, which obeys its schema."""
        return document_of(self.out)


def document_of(out: str) -> dict[str, Any]:
    """A result document, which obeys its schema."""
    document: dict[str, Any] = obeying(json.loads(out), "result")
    return document


def aspect(of: dict[str, Any], kind: str) -> dict[str, Any]:
    """What the aspect of that kind says of a level or a system of a document."""
    (part,) = [part for part in of["aspects"] if part["kind"] == kind]
    return dict(part)


def about(amount: float, level: dict[str, Any]) -> Any:
    """An amount for each transaction: at either end of a measured time, a transaction of each user may be
    counted and its amount not, or the other way round."""
    ends = 2 * (level["users"] or 1) * len(level["repeats"])
    return pytest.approx(amount, rel=(ends + 0.01) / level["transactions"])


def state(igen: Callable[[str], Done]) -> str:
    """What `igen list runs` says of the only run."""
    (row,) = json.loads(igen("list runs --json").out)
    return str(row["state"])


def has_ended(pid: int) -> bool:
    """Whether a process that is not a child is gone, or only waits to be buried."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def events(store: Path, kind: str, job: str = "*") -> list[Any]:
    """The bodies of all events of a kind that the store's jobs hold so far."""
    return [
        event[kind]
        for path in sorted(store.glob(f"*/jobs/{job}.jsonl"))
        for event in read_job_file(path).events
        if kind in event
    ]


def measured(store: Path, job: str = "*") -> list[Any]:
    """The intervals of MEASURE so far."""
    return [each for each in events(store, "snapshot", job) if each["phase"] == "measure"]


def reasons_of(told: dict[str, Any]) -> set[str]:
    """Return why transactions of a level or a snapshot failed: `search 1: 2 entries instead of 1`."""
    return {str(each) for each in failures_of(told.get("failures", ()))}
