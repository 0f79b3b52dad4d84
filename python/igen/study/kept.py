"""What a run that ended early has measured already: when it goes on, that is not measured again."""

from __future__ import annotations

from pathlib import Path

from igen.fleet.local import JobExit
from igen.judge.recording import Recording
from igen.store.job_file import read_job_ends
from igen.store.run import FLOOR_FILE, Run
from igen.study.order import Execution

Place = tuple[str, int, int]
"""Purpose, level and repeat of an execution."""


def place_of(execution: Execution) -> Place:
    """By which an execution is found again."""
    return execution.purpose, execution.level.number, execution.repeat


def kept_executions(run: Run) -> dict[Place, Path]:
    """The jobs files of executions that came to their end, well or not.

    The last one, where it did not, is set aside: its execution is begun again.
    """
    paths = run.job_paths()
    if paths and not _has_ended(paths[-1]):
        run.set_aside(paths.pop())
    starts = [(read_job_ends(path)[0] or {}, path) for path in paths]
    return {
        (str(start.get("purpose")), int(start.get("level", 0)), int(start.get("repeat", 0))): path
        for start, path in starts
    }


def has_floor(run: Run) -> bool:
    """Whether the engine's own floor was measured; one that was cut off is set aside."""
    path = run.folder / FLOOR_FILE
    if path.exists() and not _has_ended(path):
        run.set_aside(path)
    return path.exists()


def exit_of(path: Path, recording: Recording) -> JobExit:
    """How the execution in a jobs file ended, as it was told then."""
    end = read_job_ends(path)[1] or {}
    error = {"text": recording.errors[-1]} if recording.errors else None
    return JobExit(exit_code=end.get("exit_code"), signal=end.get("signal"), error=error)


def _has_ended(path: Path) -> bool:
    end = read_job_ends(path)[1]
    return end is not None and not end.get("interrupted")
