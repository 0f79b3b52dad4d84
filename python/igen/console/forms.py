"""Conversion between the form for a new run, a study, and the equivalent command."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from igen.ask.asked import QUESTIONS, Asked, read_answers
from igen.ask.command import command_of
from igen.ask.kinds import scalar, think_text
from igen.ask.study import study_of_asked
from igen.console.route import Form
from igen.errors import InputError
from igen.workbench.run_defaults import with_run_defaults
from igen.workbench.toml_text import toml_text
from igen.workload_parameters import choices_of, kind_of

PARAMETER = "set."
"""Start of the name of a field that is a parameter of the workload."""
NOT_IN_FORMS = ("TABLE",)
"""Kinds of parameters that are not in the form, only in a study."""
FIRST_LOOK = {"workload": "cpu", "mode": "users", "users": "1,2,4", "repeats": "3", "duration": "2s"}
"""Short enough for a first look, long enough to be judged."""
ASKED = ("users", "rate", "think_time", "repeats", "duration", "warmup", "threads", "name")
"""Questions of `igen.ask` that are fields of the form, besides targets and parameters."""
_NOT_OF = {
    "users": ("rate",),
    "rate": ("users", "peak"),
    "think_time": ("rate",),
    "repeats": ("peak",),
}
"""Modes of the form that do not use a field."""
_WRITTEN = ("name", "system", "plan", "job", "axes")
"""Keys of the study that a form can set."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A field of the form for a parameter of the workload."""

    name: str
    kind: str
    help: str
    default: str
    choices: list[str]


@dataclass(frozen=True, slots=True)
class Wish:
    """Meaning of a form."""

    table: dict[str, Any] = field(default_factory=dict)
    command: str = ""

    @property
    def text(self) -> str:
        """Return the study as TOML."""
        return toml_text(self.table)


def parameters_of(workload: Mapping[str, Any]) -> list[Parameter]:
    """Return the fields of a workload, from its schema."""
    schema = dict(workload["params"])
    found = []
    for name, said in schema.get("properties", {}).items():
        choices, kind = choices_of(said, schema), kind_of(said, schema)
        if kind in NOT_IN_FORMS or said.get("type") == "array" or name == "scenario":
            continue
        default = said.get("default")
        shown = "" if default is None else default if isinstance(default, str) else json.dumps(default)
        found.append(Parameter(name, kind, " ".join(said.get("description", "").split()), shown, choices))
    return found


def start_of(workload: Mapping[str, Any]) -> dict[str, str]:
    """Return the fields of a new form, with the defaults of a workload that needs another load."""
    given = {**FIRST_LOOK, "workload": str(workload["name"])}
    if defaults := workload.get("run_defaults"):
        given |= {
            "users": ",".join(map(str, defaults["users"])),
            "repeats": str(defaults["repeats"]),
            "duration": f"{defaults['measure_s']:g}s",
            "warmup": f"{defaults['warmup_s']:g}s",
        }
        if think := defaults.get("think_time"):
            given["think_time"] = think_text(think)
    return given


def wish_of(form: Form, run_defaults: Mapping[str, Any] | None = None) -> Wish:
    """Return the study and the command of a form. Raises `InputError` with the name of the field in `where`.

    The workload's `run_defaults` fill open fields, as they do for the command.
    """
    workload, asked = form.get("workload"), asked_of(form)
    study = msgspec.to_builtins(study_of_asked(workload, with_run_defaults(asked, run_defaults)))
    return Wish({name: study[name] for name in _WRITTEN if study[name] != ""}, command_of(workload, asked))


def asked_of(form: Form) -> Asked:
    """Return the answers in a form. Raises `InputError` about a field."""
    mode = form.get("mode")
    texts = {name: form.get(name).strip() for name in ASKED if mode not in _NOT_OF.get(name, ())}
    for name in ("users", "rate"):
        texts[name] = ",".join(texts.get(name, "").replace(",", " ").split())
    if mode == "rate" and not texts["rate"]:
        raise InputError(
            "an open load needs a rate of arrivals per second", where="rate", hint="such as 100,200"
        )
    return replace(
        read_answers(texts),
        targets=form.get("targets").split(),
        find_peak=mode == "peak",
        params=_params(form),
    )


def field_of(where: str) -> str:
    """Return the field of the form at the place of a fault; empty if there is none."""
    place = where.rpartition(": ")[2].removeprefix("job.").partition("[")[0]
    for name, question in QUESTIONS.items():
        if place in (question.option, *question.at):
            return name
    return place.replace("params.", PARAMETER)


def table_of(text: str) -> dict[str, Any]:
    """Return the table in the text of a study. Raises `InputError`."""
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"not TOML: {str(error).partition(';')[0]}", where="study") from error


def _params(form: Form) -> dict[str, Any]:
    params: dict[str, Any] = {}
    for name, text in form.pairs:
        if name.startswith(PARAMETER) and text.strip():
            value = scalar(text.strip())
            # A parameter without a value is an empty field, not null.
            params[name.removeprefix(PARAMETER)] = text.strip() if value is None else value
    return params
