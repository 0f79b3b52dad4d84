"""Finds the dangers of a study, wherever they are in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from igen.dangers.field import ONE_OR_MORE, WORDS, Field, Kind
from igen.dangers.fields import ALL_USERS, JOB, OF_WORKLOAD, STUDY
from igen.dangers.params import PARAMS
from igen.foreign_text import in_one_line

_UNKNOWN = Field()
_STAGES = ("job", "systems", "tests", "axes")
"""In the order in which each is laid over the one before."""


@dataclass(frozen=True, slots=True)
class Danger:
    """A value of a study that is not known to be harmless."""

    kind: Kind
    place: str
    """Place in the study: `job.params.run`, `systems[0].job.targets[1]`."""
    value: Any

    @property
    def word(self) -> str:
        """The target or file that it names; otherwise its place."""
        is_name = isinstance(self.value, str) and self.kind in ("file", "host")
        return in_one_line(self.value if is_name else self.place)

    def __str__(self) -> str:
        return f"{self.word} ({WORDS[self.kind]})"


def dangers(study: Mapping[str, Any], folder: Path | None = None) -> list[Danger]:
    """Return the dangers of a study, each once; empty if the study is harmless.

    Paths are seen from `folder`, in which the study runs: the current one if None.
    """
    seen = {(each.kind, each.word): each for each in _Search(study, folder or Path()).all()}
    return list(seen.values())


@dataclass(slots=True)
class _Search:
    study: Mapping[str, Any]
    folder: Path
    workloads: Sequence[str] = ()
    """Workloads to which the parameters at this place may belong."""

    def all(self) -> Iterator[Danger]:
        yield from self._below(STUDY, {**self.study, "axes": None}, "")
        axes = self.study.get("axes")
        for path, values in axes.items() if isinstance(axes, Mapping) else ():
            if path == ALL_USERS:
                yield from self._below(ONE_OR_MORE, values, f"axes.{path}")
                continue
            for value in values if isinstance(values, list) else [values]:
                yield from self._below(JOB, _nested(path, value), "axes")

    def _below(self, field: Field, value: Any, place: str) -> Iterator[Danger]:
        """Yield the dangers of a value and of all in it; an absent value has none."""
        if field is OF_WORKLOAD:
            for each in self.workloads or [""]:
                yield from self._below(PARAMS.get(each, _UNKNOWN), value, place)
            return
        match value:
            case None:
                return
            case Mapping():
                if field is JOB:
                    self.workloads = self._workloads_of(value, place)
                for name, each in value.items():
                    inside = field.fields.get(name) or field.others or _UNKNOWN
                    yield from self._below(inside, each, f"{place}.{name}" if place else name)
            case list():
                for number, each in enumerate(value):
                    yield from self._below(field.items or _UNKNOWN, each, f"{place}[{number}]")
            case _:
                kind = "unknown" if field.value is None else field.value(value, self.folder)
                if kind is not None:
                    yield Danger(kind, place, value)

    def _workloads_of(self, job: Mapping[str, Any], place: str) -> list[str]:
        """Return the workloads that a part of the job may be for: its own one, and those laid over it."""
        if "workload" not in job:
            return self._named(_STAGES)
        later = _STAGES[_STAGES.index(place.partition("[")[0]) + 1 :]
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


def _nested(path: str, value: Any) -> dict[str, Any]:
    """Return the part of a job in which the value is at a dotted path."""
    name, _, rest = path.partition(".")
    return {name: _nested(rest, value) if rest else value}
