"""What a form means: the study that is started, and the command that stands beside it."""

from __future__ import annotations

import shlex
from typing import Any

import pytest

from igen.console.forms import start_of, wish_of
from igen.console.route import Form
from igen.study.study import study_of
from igen.units import parse_time_s
from igen.workload_parameters import known_workload, known_workloads
from tests.console.site import Site, form_token
from tests.run_flags import run_study

FORM = {"mode": "users", "users": "1,2", "repeats": "2", "duration": "300ms"}
WORKLOADS = ("model", "mem", "web", "command")
"""All but the first have defaults of their own."""


def _in_seconds(value: Any) -> Any:
    match value:
        case dict():
            return {name: _in_seconds(each) for name, each in value.items()}
        case list():
            return [_in_seconds(each) for each in value]
        case str():
            return parse_time_s(value)
    return value


@pytest.mark.parametrize("workload", WORKLOADS)
@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"repeats": "", "duration": ""},
        {"repeats": "auto", "warmup": "50ms"},
        {"think_time": "10ms", "warmup": "auto"},
        {"think_time": "uniform:5s,15s"},
        {"threads": "2"},
        {"threads": "auto"},
        {"think_time": "exponential:8s", "name": "a b"},
        {"mode": "rate", "rate": "10,20", "think_time": "1s"},
        {"mode": "peak", "users": "1,8"},
        {
            "set.servers": "2",
            "set.text": "a 'b'",
            "set.flag": "true",
            "set.none": "null",
            "set.digits": '"5"',
        },
    ],
)
def test_the_command_means_the_study_that_is_started(workload: str, fields: dict[str, str]) -> None:
    known = known_workload(workload)
    assert known is not None
    defaults = known.get("run_defaults")
    wish = wish_of(Form([("workload", workload), *(FORM | fields).items()]), defaults)
    words = shlex.split(wish.command)
    assert words[:2] == ["igen", "run"]
    typed = run_study(words[2:], defaults)
    meant = study_of(wish.table, "study")
    assert (meant.plan, meant.axes, meant.system) == (typed.plan, typed.axes, typed.system)
    for part in ("load", "phases"):
        assert _in_seconds(meant.job.get(part)) == _in_seconds(typed.job.get(part)), part
    for part in ("params", "placement"):
        assert meant.job.get(part) == typed.job.get(part), part


def test_a_new_form_begins_as_the_workload_would() -> None:
    said = {each["name"]: start_of(each) for each in known_workloads()}
    assert said["cpu"]["users"] == "1,2,4"
    assert said["web"]["think_time"] == "uniform:5s,15s"
    assert (said["web"]["repeats"], said["web"]["duration"]) == ("1", "12s")


@pytest.mark.parametrize(
    ("field", "typed"),
    [
        ("users", "99999999"),
        ("think_time", "soon"),
        ("think_time", "uniform:1s"),
        ("repeats", "0"),
        ("duration", "soon"),
        ("warmup", "soon"),
        ("threads", "0"),
        ("targets", "ftp://127.0.0.1"),
        ("set.servers", "-1"),
    ],
)
def test_what_the_check_finds_wrong_is_marked_at_its_field(shown: Site, field: str, typed: str) -> None:
    client = shown.visitor("run")
    data = FORM | {"workload": "model", "csrf": form_token(client), field: typed}
    page = client.post("/new/check", data=data)
    assert page.status_code == 400
    (marked,) = [line for line in page.text.splitlines() if 'aria-invalid="true"' in line]
    assert f'name="{field}" value="{typed}"' in marked


def test_the_command_writes_where_the_console_looks(shown: Site) -> None:
    client = shown.visitor("run")
    data = FORM | {"workload": "model", "csrf": form_token(client)}
    assert (
        f"--duration 300ms --store {shown.console.folder}</pre>" in client.post("/new/check", data=data).text
    )


def test_no_study_is_the_form_again(shown: Site) -> None:
    page = shown.visitor("run").get("/new?study=")
    assert page.status_code == 200
    assert 'id="wish"' in page.text
