"""The text of a new study: a kind of question about a workload, with comments for those who edit it."""

from __future__ import annotations

import textwrap
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from igen.ask.asked import QUESTIONS, Asked
from igen.ask.short import SHORT
from igen.ask.study import study_of_asked
from igen.ask.study_kind import USUAL, StudyKind, completed
from igen.errors import InputError
from igen.fleet.agent import Agent
from igen.nearest import suggestion
from igen.study.planned import planned_levels
from igen.study.scenario import with_scenario
from igen.study.study import WRITTEN, study_of
from igen.workbench.private_instance import with_planned_target
from igen.workbench.run_defaults import with_run_defaults
from igen.workbench.toml_text import assignment
from igen.workload_parameters import choices_of, kind_of, known_workloads, summary_of

_WIDTH = 100
"""Characters of a line of comment."""
_KEYS = {*SHORT, *WRITTEN} - {"name"}
"""Questions that are keys of a study. Its plan has the repeats, its job the parameters."""


@dataclass(frozen=True, slots=True)
class NewStudy:
    """A study that is yet to be written."""

    kind: StudyKind
    workload: Mapping[str, Any]
    """The agent's description of the workload."""
    asked: Asked
    file: Path


def checked_text(kind: StudyKind, name: str, given: Asked, file: Path) -> str:
    """Return the text (TOML) of a new study, which passes `igen study check`.

    `given` are targets and parameters. Raises `InputError` if they are not right for the workload, or a
    missing one is necessary.
    """
    known = {str(each["name"]): each for each in known_workloads()}
    if name not in known:
        hint = suggestion(name, known)
        raise InputError(f"there is no workload `{name}`", where="WORKLOAD", hint=hint)
    text = _text(NewStudy(kind, known[name], _answers(kind, known[name], given), file))
    table = tomllib.loads(text)
    with_scenario(table, file.parent)
    planned_levels(with_planned_target(study_of(table, file.stem)), Agent())
    return text


def _answers(kind: StudyKind, workload: Mapping[str, Any], given: Asked) -> Asked:
    """Return the answers: those given, those of the kind and of the workload, and the usual ones."""
    asked = completed(given, kind.asked)
    if workload["default_target"]:
        asked = completed(asked, Asked(targets=[workload["default_target"]]))
    asked = with_run_defaults(asked, workload.get("run_defaults"))
    # The level that fills a server is searched for one system only.
    asked = replace(asked, fill=asked.fill and not kind.systems)
    unused = {"users": asked.rate, "repeats": asked.find_peak}
    usual = {name: value for name, _, value in USUAL.given() if not unused.get(name)}
    return completed(asked, Asked(**usual))


def _text(new: NewStudy) -> str:
    return "\n".join([*_head(new), *_job(new), *_systems(new)]).rstrip() + "\n"


def _head(new: NewStudy) -> Iterator[str]:
    """Yield the question, the next commands, and the keys of the study."""
    name, summary = new.workload["name"], new.workload["summary"]
    plan = study_of_asked(name, new.asked).plan
    yield from _comment(f"{new.kind.question} {name}: {summary}.")
    yield "#"
    yield f"#   igen study check {new.file}"
    yield f"#   igen study run {new.file}"
    yield "#"
    yield from _comment("Comments show parameters with their defaults: remove the # to change one.")
    yield assignment("title", f"{name}: {new.kind.question}")
    for key, question, value in new.asked.given():
        if key in _KEYS:
            yield from ("", *_comment(question.help), assignment(key, value))
    yield from ("", *_comment(QUESTIONS["repeats" if plan.repeats else "find_peak"].help))
    yield assignment("plan", msgspec.to_builtins(plan))


def _job(new: NewStudy) -> Iterator[str]:
    """Yield the job: the workload and its parameters, as comments unless they are given."""
    yield from ("", "[job]", assignment("workload", new.workload["name"]))
    schema, given = new.workload["params"], dict(new.asked.params or {})
    lines = []
    for name, field in schema.get("properties", {}).items():
        if name in given:
            lines += [*_comment(summary_of(field)), assignment(name, given[name])]
        elif example := _example(name, field, schema):
            lines += [*_comment(summary_of(field)), f"# {example}"]
    if lines:
        yield from ("", "[job.params]", *lines)


def _systems(new: NewStudy) -> Iterator[str]:
    """Yield the systems, each with an example of a difference."""
    schema = new.workload["params"]
    examples = (_example(name, field, schema) for name, field in schema.get("properties", {}).items())
    params = next(filter(None, examples), "")
    difference = f"params = {{ {params} }}" if params else 'targets = ["URL"]'
    if new.kind.systems:
        yield ""
        yield from _comment(
            "Systems take turns, and each is compared with the first one. Write into the job of a system "
            "how it differs from [job]."
        )
    for name in new.kind.systems:
        yield from ("[[systems]]", assignment("name", name), f"# job = {{ {difference} }}", "")


def _example(name: str, field: dict[str, Any], schema: dict[str, Any]) -> str:
    """Return the assignment of a default, or of the first of some words; empty for other parameters."""
    default, words = field.get("default"), choices_of(field, schema)
    if default is None and words:
        default = words[0]
    is_one_value = isinstance(default, str | int | float) and kind_of(field, schema) != "TABLE"
    return assignment(name, default) if is_one_value else ""


def _comment(text: str) -> list[str]:
    """Return the text as lines of comment."""
    return textwrap.wrap(
        text,
        _WIDTH,
        initial_indent="# ",
        subsequent_indent="# ",
        break_long_words=False,
        break_on_hyphens=False,
    )
