"""Executions that a resumed run has measured already and does not repeat."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from igen.errors import InputError
from igen.fleet.local import JobExit
from igen.judge.record.recording import Recording
from igen.store.job_file import has_measured, read_job_ends
from igen.store.run import FLOOR_FILE, Run
from igen.study.order import Execution

Place = tuple[str, int, int]
"""Purpose, level and repeat of an execution."""
_MAY_DIFFER = ("force", "repeat", "protocol", "pids")
"""What of two jobs of one place is no difference: said anew, known by the place, the agent's own, or of
processes that have other numbers when they were started again."""


ENDED_BY_ITSELF = (0, 1)
"""Exit codes of an agent whose job is complete, or failed."""


@dataclass(slots=True, kw_only=True)
class Begun:
    """Executions of a run from earlier sessions; empty for a new run."""

    run: Run
    ended: dict[Place, Path] = field(default_factory=dict)
    """Jobs files of executions that measured and ended, successfully or not."""
    lost: dict[Place, list[Path]] = field(default_factory=lambda: defaultdict(list))
    """Jobs files of all other executions, which are repeated."""

    @classmethod
    def of(cls, run: Run) -> Begun:
        """Return the executions of all jobs files."""
        begun = cls(run=run)
        for path in run.job_paths():
            start, end = read_job_ends(path)
            start = start or {}
            place = str(start.get("purpose")), int(start.get("level", 0)), int(start.get("repeat", 0))
            if came_to_its_end(end) and has_measured(path):
                begun.ended[place] = path
            else:
                begun.lost[place].append(path)
        return begun

    def take(self, execution: Execution) -> Path | None:
        """The jobs file of an execution that is not carried out again.

        Raises `InputError` where it was of another job.
        """
        path = self.ended.get(_place_of(execution))
        if path is None:
            return None
        before = (read_job_ends(path)[0] or {}).get("job") or {}
        now = execution.job
        differs = _difference(_comparable(before), _comparable(now))
        if differs is not None:
            raise InputError(
                f"{execution.level.label} differs from its job in {path.name}: `{differs}` has changed",
                where="resume",
                hint="old and new results would not belong to one study: start a new run",
            )
        Replaced(run=self.run, paths=self.lost.pop(_place_of(execution), [])).set_aside()
        return path

    def replaced(self, execution: Execution) -> Replaced:
        """Return the files that this execution replaces."""
        return Replaced(run=self.run, paths=self.lost.pop(_place_of(execution), []))


@dataclass(slots=True, kw_only=True)
class Replaced:
    """Files of an execution that is repeated: they count until the new execution has measured."""

    run: Run
    paths: list[Path]

    def set_aside(self) -> None:
        """Set the files aside: the new execution has measured."""
        while self.paths:
            self.run.set_aside(self.paths.pop())

    def settle(self, path: Path) -> Path:
        """When the new one, at `path`, has ended; the file that counts from now on.

        Where it has not measured, and an earlier one has, that one stays, and the new one is set aside.
        """
        before = next(filter(has_measured, reversed(self.paths)), None)
        if before is not None:
            self.paths.remove(before)
            self.paths.append(path)
        self.set_aside()
        return before or path


def came_to_its_end(end: dict[str, Any] | None) -> bool:
    """Return true if an execution with this `job_end` ended by itself, well or not.

    False if nobody wrote its end, if the user stopped it, or if a signal ended its agent in any phase.
    """
    return end is not None and not end.get("interrupted") and end.get("exit_code") in ENDED_BY_ITSELF


def has_floor(run: Run) -> bool:
    """Return True if the engine's floor was measured; a floor that was cut off is set aside."""
    path = run.folder / FLOOR_FILE
    if path.exists() and not came_to_its_end(read_job_ends(path)[1]):
        run.set_aside(path)
    return path.exists()


def exit_of(path: Path, recording: Recording) -> JobExit:
    """Return how the execution in a jobs file ended."""
    end = read_job_ends(path)[1] or {}
    error = {"text": recording.errors[-1].whole} if recording.errors else None
    return JobExit(exit_code=end.get("exit_code"), signal=end.get("signal"), error=error)


def _place_of(execution: Execution) -> Place:
    return execution.purpose, execution.level.number, execution.repeat


def _comparable(job: dict[str, Any]) -> dict[str, Any]:
    """Return True if two tiers have the same number of processes, with any process ids."""
    kept = {name: value for name, value in job.items() if name not in _MAY_DIFFER}
    if isinstance(tiers := kept.get("tiers"), list):
        kept["tiers"] = [{**tier, "match": _counted(tier.get("match") or {})} for tier in tiers]
    return kept


def _counted(source: dict[str, Any]) -> dict[str, Any]:
    return {**source, "pids": len(source["pids"])} if isinstance(source.get("pids"), list) else source


def _difference(before: Any, now: Any, path: str = "") -> str | None:
    """Return the path of the first difference."""
    if isinstance(before, dict) and isinstance(now, dict):
        inside = [(f"{path}.{name}" if path else name, name) for name in sorted({*before, *now})]
        found = (_difference(before.get(name), now.get(name), at) for at, name in inside)
    elif isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        pairs = enumerate(zip(before, now, strict=True))
        found = (_difference(one, other, f"{path}[{place}]") for place, (one, other) in pairs)
    else:
        return None if before == now else path
    return next((each for each in found if each is not None), None)
