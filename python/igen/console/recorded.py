"""What a browser's recording becomes: the scenario of `igen study import`, and a study with it."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from igen.errors import InputError

if TYPE_CHECKING:
    from igen.har.scenario import Think

THINK: tuple[Think, ...] = ("recorded", "none")
"""Whether users think as long as was recorded, or not at all."""


class Wanted(NamedTuple):
    """What is asked for besides."""

    name: str
    """That of the study, and of the recording in errors."""
    target: str = ""
    """Where the load goes; where it was recorded if empty."""
    hosts: tuple[str, ...] = ()
    """Hosts that are parts of the application too."""
    think: str = THINK[0]


class Made(NamedTuple):
    """What a recording became, without what is secret in it."""

    requests: int
    pages: int
    extracted: int
    secrets: list[tuple[str, str]]
    """The variable of each, and where it was recorded."""
    look_at: list[str]
    notes: list[str]
    left_out: dict[str, int]
    other_hosts: dict[str, int]
    text: str
    """The scenario as TOML."""
    study: str
    """A study with it as TOML; empty where that is longer than was asked for."""


def made_of(file: Path, wanted: Wanted, most_study_bytes: int) -> Made:
    """The scenario of the recording in a file. Raises `InputError` where there is none in it."""
    from igen.har.convert import Options, convert
    from igen.har.play import origin_of

    think = next((each for each in THINK if each == wanted.think), None)
    if think is None:
        raise InputError(f"`{wanted.think[:20]}` is no way to think", where="think", hint=" or ".join(THINK))
    origin = origin_of(wanted.target, "target") if wanted.target else None
    options = Options(wanted.hosts, think, origin)
    converted = convert(file, options, called=Path(f"{wanted.name}.har"))
    study = ""
    if len(converted.text.encode()) <= most_study_bytes:
        study = _study_of(wanted.name, wanted.target or converted.origin, converted.text)
    return Made(
        requests=converted.requests,
        pages=converted.pages,
        extracted=converted.extracted,
        secrets=[(each.variable, each.where) for each in converted.secrets],
        look_at=converted.look_at,
        notes=converted.notes,
        left_out=dict(converted.left_out),
        other_hosts=dict(converted.other_hosts),
        text=converted.text,
        study=study if len(study.encode()) <= most_study_bytes else "",
    )


def _study_of(name: str, target: str, scenario: str) -> str:
    """A short sweep with it, to be changed before it runs."""
    from igen.workbench.toml_text import toml_text

    job = {
        "workload": "web",
        "targets": [target],
        "load": {"closed": {}},
        "phases": {"measure_s": "10s"},
        "params": {"scenario": tomllib.loads(scenario)},
    }
    plan = {"mode": "sweep", "repeats": 3}
    return toml_text({"name": name, "plan": plan, "job": job, "axes": {"load.closed.users": [1, 2, 4]}})
