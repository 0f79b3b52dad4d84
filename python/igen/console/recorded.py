"""Conversion of a browser recording into a scenario, as by `igen study import`, and a study with it."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from igen.errors import InputError

if TYPE_CHECKING:
    from igen.har.scenario import Think

THINK: tuple[Think, ...] = ("recorded", "none")
"""Think times: as recorded, or none."""


class Wanted(NamedTuple):
    """Options of the conversion."""

    name: str
    """Name of the study, and of the recording in errors."""
    target: str = ""
    """Target of the load; the recorded server if empty."""
    hosts: tuple[str, ...] = ()
    """Additional hosts of the application."""
    think: str = THINK[0]


class Made(NamedTuple):
    """Result of a conversion, without secrets."""

    requests: int
    pages: int
    extracted: int
    secrets: list[tuple[str, str]]
    """Variables of the secrets, and the places at which they were recorded."""
    look_at: list[str]
    notes: list[str]
    left_out: dict[str, int]
    other_hosts: dict[str, int]
    text: str
    """Scenario as TOML."""
    study: str
    """Study with the scenario as TOML; empty if it is too long."""


def made_of(file: Path, wanted: Wanted, most_study_bytes: int) -> Made:
    """Return the scenario of the recording in a file. Raises `InputError` if the file has no scenario."""
    from igen.har.convert import Options, convert
    from igen.har.play import origin_of

    think = next((each for each in THINK if each == wanted.think), None)
    if think is None:
        raise InputError(
            f"unknown think time `{wanted.think[:20]}`", where="think", hint=f"use {' or '.join(THINK)}"
        )
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
    """Return a short sweep with the scenario, for the user to edit."""
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
