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
from igen.study.thread_count import threads_of
from igen.workbench.run_defaults import with_run_defaults
from igen.workbench.toml_text import toml_text
from igen.workload_parameters import choices_of, kind_of

PARAMETER = "set."
"""Begins the name of a field that is a parameter of the workload."""
NOT_IN_FORMS = ("TABLE",)
"""Kinds of parameters for which the study itself is written."""
FIRST_LOOK = {"workload": "cpu", "mode": "users", "users": "1,2,4", "repeats": "3", "duration": "2s"}
"""Short enough for a first look, long enough to be judged."""
_SAID = (
    ("think", "--think-time"),
    ("repeats", "--repeats"),
    ("duration", "--duration"),
    ("warmup", "--warmup"),
    ("threads", "--threads"),
)
_NOT_OF = {"think": ("rate",), "repeats": ("peak",)}
"""Fields that a way to load has no use for."""
_FIELDS = {
    "load.closed.users": "users",
    "load.closed.think_time_s": "think",
    "load.open.rate_per_s": "rates",
    "phases.measure_s": "duration",
    "phases.warmup_s": "warmup",
    "placement.task.threads": "threads",
}
"""By the place of a fault in a study."""


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


def start_of(workload: Mapping[str, Any]) -> dict[str, str]:
    """What a new form says: of a workload that needs another load than others to be judged, that."""
    given = {**FIRST_LOOK, "workload": str(workload["name"])}
    if defaults := workload.get("run_defaults"):
        given |= {
            "users": ",".join(map(str, defaults["users"])),
            "repeats": str(defaults["repeats"]),
            "duration": f"{defaults['measure_s']:g}s",
            "warmup": f"{defaults['warmup_s']:g}s",
        }
        if think := defaults.get("think_time"):
            given["think"] = _think_text(think)
    return given


def wish_of(form: Form, run_defaults: Mapping[str, Any] | None = None) -> Wish:
    """The study and the command of a form. Raises `InputError` with the name of the field in `where`.

    What the form leaves open `run_defaults` of the workload fill in, as they do for the command.
    """
    workload, mode = form.get("workload"), form.get("mode")
    words = ["igen", "run", workload]
    targets = form.get("targets").split()
    for target in targets:
        words += ["--target", target]
    job: dict[str, Any] = {"workload": workload, "targets": targets, "params": _params(form)}
    axes: dict[str, Any] = {}
    if mode == "rate":
        rates = axes["load.open.rate_per_s"] = _numbers(form, "rates", float)
        words += ["--rate", ",".join(map(_plain, rates))]
    else:
        users = axes["load.closed.users"] = _numbers(form, "users", int)
        words += ["--users", ",".join(map(str, users))]
    if mode == "peak":
        words.append("--find-peak")
    said = {name: form.get(name).strip() for name, _ in _SAID if mode not in _NOT_OF.get(name, ())}
    if said.get("warmup") == "auto":
        said["warmup"] = ""
    for name, option in _SAID:
        if said.get(name):
            words += [option, said[name]]
    meant = with_run_defaults(
        {
            "rate": mode == "rate",
            "find_peak": mode == "peak",
            "pace": None,
            "users": axes.get("load.closed.users"),
            "repeats": _repeats(said.get("repeats", "")),
            "think_time": _think(said.get("think", "")),
            "duration": said["duration"] or None,
            "warmup": said["warmup"] or "auto",
        },
        run_defaults,
    )
    think = {} if meant["think_time"] is None else {"think_time_s": meant["think_time"]}
    job["load"] = {"open": {}} if mode == "rate" else {"closed": think}
    phases = {
        "measure_s": meant["duration"],
        "warmup_s": None if meant["warmup"] == "auto" else meant["warmup"],
    }
    if any(phases.values()):
        job["phases"] = {name: value for name, value in phases.items() if value}
    threads = threads_of(said["threads"] or "auto", "threads")
    if threads is not None:
        job["placement"] = {"task": {"threads": threads}}
    plan = {"mode": "peak" if mode == "peak" else "sweep"}
    if meant["repeats"] is not None:
        plan["repeats"] = meant["repeats"]
    for name, value in job["params"].items():
        words += ["--set", f"{name}={_word(value)}"]
    table: dict[str, Any] = {"name": workload, "plan": plan, "job": job, "axes": axes}
    if system := form.get("system").strip():
        table["system"] = system
        words += ["--name", system]
    return Wish(table, shlex.join(words))


def field_of(where: str) -> str:
    """The field of the form to which the place of a fault belongs; empty where there is none."""
    place = where.rpartition(": ")[2].removeprefix("job.").partition("[")[0]
    return _FIELDS.get(place, place.replace("params.", PARAMETER))


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


def _word(value: Any) -> str:
    """A value as `--set` reads it: a text that would be read as something else stands in quotes."""
    if isinstance(value, str):
        try:
            json.loads(value)
        except (ValueError, RecursionError):
            return value
    return json.dumps(value)


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


def _think_text(think: float | dict[str, Any]) -> str:
    if not isinstance(think, dict):
        return f"{think:g}s"
    ((kind, times),) = think.items()
    return f"{kind}:{','.join(f'{each:g}s' for each in (times if isinstance(times, list) else [times]))}"


def _think(text: str) -> str | dict[str, Any] | None:
    """A time, or what times are drawn from, as `--think-time` has it."""
    kind, is_drawn, times = text.partition(":")
    if not is_drawn:
        return text or None
    drawn = times.split(",")
    if (kind, len(drawn)) not in (("uniform", 2), ("exponential", 1)):
        hint = "a time such as 1s, uniform:5s,15s or exponential:8s"
        raise InputError("is no think time", where="think", hint=hint)
    return {kind: drawn if kind == "uniform" else drawn[0]}


def _repeats(text: str) -> int | str | None:
    if text in ("", "auto"):
        return text or None
    if not (text.isascii() and text.isdecimal() and len(text) < 5 and int(text)):
        raise InputError("a number above 0, or auto", where="repeats", hint="such as 5")
    return int(text)
