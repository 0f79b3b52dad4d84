"""Finds the dangers of a study, wherever they are in it, and changes them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from igen.ask.short import written_out
from igen.dangers.field import ONE_OR_MORE, WORDS, Field, Kind
from igen.dangers.fields import ALL_USERS, JOB, OF_WORKLOAD, STUDY
from igen.dangers.params import PARAMS
from igen.errors import InputError
from igen.foreign_text import in_one_line

Steps = tuple[str | int, ...]
"""The way to a value in a study: names of fields and numbers in lists."""
REMOVED: Final = object()
"""Stands for a value that is not there any more."""

_UNKNOWN = Field()
_STAGES = ("job", "systems", "tests", "axes")
"""In the order in which each is laid over the one before."""


@dataclass(frozen=True, slots=True)
class Danger:
    """A value of a study that is not known to be harmless."""

    kind: Kind
    steps: Steps
    value: Any

    @property
    def place(self) -> str:
        """Place in the study: `job.params.run`, `systems[0].job.targets[1]`."""
        named = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in self.steps)
        return "".join(named).removeprefix(".")

    @property
    def name(self) -> str:
        """Name of the field: `run`, `targets`."""
        return next((step for step in reversed(self.steps) if isinstance(step, str)), "")

    @property
    def word(self) -> str:
        """The target or file that it names; otherwise its place."""
        is_name = isinstance(self.value, str) and self.kind in ("file", "host", "login")
        return in_one_line(self.value if is_name else self.place)

    def __str__(self) -> str:
        return f"{self.word} ({WORDS[self.kind]})"


def dangers(study: Mapping[str, Any], folder: Path | None = None) -> list[Danger]:
    """Return the dangers of a study, each once; empty if the study is harmless.

    Paths are seen from `folder`, in which the study runs: the current one if None.
    """
    return list({(each.kind, each.word): each for each in all_dangers(study, folder)}.values())


def _with_paths(study: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the study without short keys. Keys that contradict each other stay, and are dangers."""
    try:
        return written_out(study)
    except InputError:
        return study


def all_dangers(study: Mapping[str, Any], folder: Path | None = None) -> list[Danger]:
    """Return the dangers of a study at each of their places."""
    found: list[Danger] = []

    def note(danger: Danger) -> Any:
        found.append(danger)
        return danger.value

    changed(study, note, folder)
    return found


def changed(
    study: Mapping[str, Any], change: Callable[[Danger], Any], folder: Path | None = None
) -> dict[str, Any]:
    """Return the study with what `change` returns in the place of each danger.

    A value for which it returns `REMOVED` is left out, with whatever means nothing without the value.
    """
    return _Walk(_with_paths(study), change, folder or Path()).all()


@dataclass(slots=True)
class _Walk:
    study: Mapping[str, Any]
    change: Callable[[Danger], Any]
    folder: Path
    workloads: Sequence[str] = ()
    """Workloads to which the parameters at this place may belong."""

    def all(self) -> dict[str, Any]:
        axes = self.study.get("axes")
        others = {name: value for name, value in self.study.items() if name != "axes"}
        made: dict[str, Any] = self._below(STUDY, others, ())
        if not isinstance(axes, Mapping):
            return made
        points = {path: self._along(path, values) for path, values in axes.items()}
        return made | {"axes": {path: values for path, values in points.items() if values}}

    def _along(self, path: str, values: Any) -> list[Any]:
        """Return the values of an axis."""
        values = values if isinstance(values, list) else [values]
        if path == ALL_USERS:
            return [self._below(ONE_OR_MORE, each, ("axes", path)) for each in values]
        names = path.split(".")
        made = [_inside(self._below(JOB, _nested(names, each), ("axes",)), names) for each in values]
        return [each for each in made if each is not REMOVED]

    def _below(self, field: Field, value: Any, steps: Steps) -> Any:
        """Return a value with all in it, changed; an absent value has no danger."""
        if field is OF_WORKLOAD:
            for each in self.workloads or [""]:
                if value is not REMOVED:
                    value = self._below(PARAMS.get(each, _UNKNOWN), value, steps)
            return value
        match value:
            case None:
                return None
            case Mapping():
                if field is JOB:
                    self.workloads = self._workloads_of(value, steps)
                made = {
                    name: self._below(
                        field.fields.get(name) or field.others or _UNKNOWN, each, (*steps, name)
                    )
                    for name, each in value.items()
                }
                kept = {name: each for name, each in made.items() if each is not REMOVED}
                return REMOVED if field.whole and len(kept) < len(made) else kept
            case list():
                items = [
                    self._below(field.items or _UNKNOWN, each, (*steps, number))
                    for number, each in enumerate(value)
                ]
                left = [each for each in items if each is not REMOVED]
                return REMOVED if field.whole and len(left) < len(items) else left
            case _:
                kind = "unknown" if field.value is None else field.value(value, self.folder)
                return value if kind is None else self.change(Danger(kind, steps, value))

    def _workloads_of(self, job: Mapping[str, Any], steps: Steps) -> list[str]:
        """Return the workloads that a part of the job may be for: its own one, and those laid over it."""
        if "workload" not in job:
            return self._named(_STAGES)
        later = _STAGES[_STAGES.index(str(steps[0])) + 1 :]
        return [str(job["workload"]), *self._named(later)]

    def _named(self, stages: Sequence[str]) -> list[str]:
        """Return the workloads that these parts of the study name."""
        found: list[Any] = []
        for stage in stages:
            part = self.study.get(stage)
            match stage, part:
                case "job", Mapping():
                    found.append(part.get("workload"))
                case "axes", Mapping():
                    found += [
                        each
                        for values in [part.get("workload")]
                        if isinstance(values, list)
                        for each in values
                    ]
                case _, list():
                    jobs = [each.get("job") for each in part if isinstance(each, Mapping)]
                    found += [job.get("workload") for job in jobs if isinstance(job, Mapping)]
        return list(dict.fromkeys(str(each) for each in found if each is not None))


def _nested(names: Sequence[str], value: Any) -> dict[str, Any]:
    """Return the part of a job in which the value is at this place."""
    name, *rest = names
    return {name: _nested(rest, value) if rest else value}


def _inside(part: Any, names: Sequence[str]) -> Any:
    """Return the value at this place of a part of a job; `REMOVED` if it is not there any more."""
    for name in names:
        part = part.get(name, REMOVED) if isinstance(part, Mapping) else REMOVED
    return part
