"""From the fields of the form for a new run to a study and the command that means the same, and back."""

from __future__ import annotations

import json
import shlex
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from igen.console.route import Form
from igen.errors import InputError
from igen.workbench.toml_text import toml_text
from igen.workload_parameters import choices_of, kind_of

PARAMETER = "set."
"""Begins the name of a field that is a parameter of the workload."""
NOT_IN_FORMS = ("TABLE",)
"""Kinds of parameters for which the study itself is written."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A field of the form: a parameter of the workload."""

    name: str
    kind: str
    help: str
    default: str
    choices: list[str]


@dataclass(frozen=True, slots=True)
class Wish:
    """What a form means."""

    table: dict[str, Any] = field(default_factory=dict)
    command: str = ""

    @property
    def text(self) -> str:
        """The study as TOML."""
        return toml_text(self.table)


def parameters_of(workload: Mapping[str, Any]) -> list[Parameter]:
    """The fields that a workload has, from its own schema."""
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


def wish_of(form: Form) -> Wish:
    """The study and the command of a form. Raises `InputError` with the name of the field in `where`."""
    workload = form.get("workload")
    words = ["igen", "run", workload]
    targets = form.get("targets").split()
    for target in targets:
        words += ["--target", target]
    job: dict[str, Any] = {"workload": workload, "targets": targets, "params": _params(form)}
    plan: dict[str, Any] = {"mode": "sweep"}
    axes: dict[str, Any] = {}
    if form.get("mode") == "rate":
        rates = axes["load.open.rate_per_s"] = _numbers(form, "rates", float)
        words += ["--rate", ",".join(map(_plain, rates))]
        job["load"] = {"open": {}}
    else:
        users = axes["load.closed.users"] = _numbers(form, "users", int)
        words += ["--users", ",".join(map(str, users))]
        job["load"] = {"closed": {}}
        if think := form.get("think").strip():
            job["load"]["closed"]["think_time_s"] = think
            words += ["--think-time", think]
    if form.get("mode") == "peak":
        plan["mode"] = "peak"
        words.append("--find-peak")
    elif repeats := form.get("repeats").strip():
        plan["repeats"] = _repeats(repeats)
        words += ["--repeats", repeats]
    phases = {}
    for name, path, option in (("duration", "measure_s", "--duration"), ("warmup", "warmup_s", "--warmup")):
        if value := form.get(name).strip():
            phases[path] = value
            words += [option, value]
    if phases:
        job["phases"] = phases
    for name, value in job["params"].items():
        words += ["--set", f"{name}={value if isinstance(value, str) else json.dumps(value)}"]
    table: dict[str, Any] = {"name": workload, "plan": plan, "job": job, "axes": axes}
    if system := form.get("system").strip():
        table["system"] = system
        words += ["--name", system]
    return Wish(table, shlex.join(words))


def table_of(text: str) -> dict[str, Any]:
    """The table that a study's text holds. Raises `InputError`."""
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"not TOML: {str(error).partition(';')[0]}", where="study") from error


def _params(form: Form) -> dict[str, Any]:
    params: dict[str, Any] = {}
    for name, text in form.pairs:
        if name.startswith(PARAMETER) and text.strip():
            params[name.removeprefix(PARAMETER)] = _scalar(text.strip())
    return params


def _scalar(text: str) -> Any:
    """A number, true, false; text where it is none of them."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return text if isinstance(value, list | dict) or value is None else value


def _numbers(form: Form, name: str, kind: type[int] | type[float]) -> list[Any]:
    words = form.get(name).replace(",", " ").split()
    try:
        found = [kind(word) for word in words]
    except ValueError:
        found = []
    if not found or any(not 0 < each < 1e12 for each in found) or len(set(found)) < len(found):
        raise InputError("numbers above 0, each once", where=name, hint="such as 1,2,4,8")
    return found


def _plain(number: float) -> str:
    """All digits and no exponent, which `--rate` does not take."""
    return f"{Decimal(repr(number)):f}"


def _repeats(text: str) -> int | str:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 5 else text
