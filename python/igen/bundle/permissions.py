"""A study of somebody else: without permissions of its own, and with secrets that the reader has named."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from igen.dangers.field import WORDS, Kind
from igen.dangers.find import REMOVED, Danger, Steps, all_dangers, changed
from igen.errors import InputError
from igen.first_use import ready
from igen.foreign_text import in_one_line
from igen.judge.record.settings import value_text
from igen.study.study import Study

OF_THE_USER: tuple[Kind, ...] = ("permission", "login")
"""Dangers that a study of somebody else does not keep."""
PLACES = ("env:", "file:", "@")
"""Starts of a text that says where a secret is."""


@dataclass(frozen=True, slots=True)
class Line:
    """A setting of a study, as the study says it."""

    text: str
    dangers: tuple[Danger, ...] = ()

    def __str__(self) -> str:
        kinds = dict.fromkeys(WORDS[each.kind] for each in self.dangers)
        return f"! {', '.join(kinds)}: {self.text}" if kinds else f"  {self.text}"


def without_permissions(study: Study) -> Study:
    """Return the study without permissions and without connections to other machines as the user."""
    return _changed(study, lambda each: REMOVED if each.kind in OF_THE_USER else each.value)


def secrets_of(studies: Sequence[Study]) -> dict[str, list[str]]:
    """Return the places of the secrets that the studies send, by name of the secret."""
    found = [each for study in studies for each in all_dangers(msgspec.to_builtins(study))]
    places: dict[str, list[str]] = {}
    for name, place in dict.fromkeys((each.name, each.place) for each in found if each.kind == "secret"):
        places.setdefault(name, []).append(place)
    return places


def with_secrets(study: Study, given: Mapping[str, str]) -> Study:
    """Return the study with the user's secrets, by name, in the place of those that it names.

    Raises `InputError` if the user has not given all of them.
    """
    missing = [name for name in secrets_of([study]) if name not in given]
    if missing:
        raise InputError(
            f"the study sends secrets, and you have not given them: {', '.join(map(in_one_line, missing))}",
            where="--secret",
            hint=" ".join(f"--secret {in_one_line(name)}=env:IGEN_NAME" for name in missing)
            + ", or file:PATH in the place of env:IGEN_NAME",
        )
    return _changed(study, lambda each: given[each.name] if each.kind == "secret" else each.value)


def _changed(study: Study, change: Callable[[Danger], Any]) -> Study:
    return msgspec.convert(changed(msgspec.to_builtins(study), change), ready(Study))


def what_it_does(study: Study) -> Iterator[Line]:
    """Yield all settings of the study, with their dangers."""
    settings = {steps: text for text, steps in _settings(study)}
    found: dict[Steps, list[Danger]] = {steps: [] for steps in settings}
    for each in all_dangers(msgspec.to_builtins(study)):
        starts = (each.steps[:length] for length in range(len(each.steps), 0, -1))
        setting = next((steps for steps in starts if steps in settings), each.steps)
        settings.setdefault(setting, f"{each.place} = {value_text(each.value)}")
        found.setdefault(setting, []).append(each)
    for steps, text in settings.items():
        yield Line(in_one_line(text), tuple(found[steps]))


def _settings(study: Study) -> Iterator[tuple[str, Steps]]:
    """Yield each setting in words, and its place."""
    workload = str(study.job.get("workload", ""))
    yield f"{study.name}: workload {workload}, {study.plan.mode}", ("job", "workload")
    others = {name: value for name, value in study.job.items() if name != "workload"}
    jobs: list[tuple[str, Steps, dict[str, Any]]] = [("", ("job",), others)]
    for number, system in enumerate(study.systems):
        jobs.append((f"{system.name}: ", ("systems", number, "job"), system.job))
    for number, test in enumerate(study.tests):
        jobs.append((f"{test.name}: ", ("tests", number, "job"), test.job))
    for owner, place, job in jobs:
        for steps, value in _leaves(job, place):
            yield f"{owner}{'.'.join(map(str, steps[len(place) :]))} = {value_text(value)}", steps
    if study.fleet.agents > 1:
        yield f"fleet.agents = {study.fleet.agents}", ("fleet", "agents")
    for path, values in study.axes.items():
        yield f"{path} = {', '.join(map(value_text, values))}", ("axes", *path.split("."))


def _leaves(table: Mapping[str, Any], place: Steps) -> Iterator[tuple[Steps, Any]]:
    for name, value in table.items():
        if isinstance(value, Mapping):
            yield from _leaves(value, (*place, name))
        else:
            yield (*place, name), value
