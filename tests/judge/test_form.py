"""Events of another form than the schema's are left out and are damage; the judge meets none of them."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from igen.aspects.aspects import ASPECTS
from igen.judge import analyse
from igen.judge.record.form import FORMS, Job
from igen.judge.record.recording import Recording, recording_from_events
from tests.judge.synthetic import events, readings, recording

WRONG = [
    ("job_start", "level", "soon"),
    ("job_start", "system", 7),
    ("hello", "job", []),
    ("hello", "started_unix_s", None),
    ("fact", "name", 7),
    ("snapshot", "start_s", "soon"),
    ("snapshot", "users", {}),
    ("snapshot", "users", 2**70),
    ("snapshot", "transactions", None),
    ("snapshot", "transactions", {"count": "7", "failed": 0, "service_time": {"hdr": "", "sum_ns": 0}}),
    ("snapshot", "counters", {"rows": "7"}),
    ("snapshot", "arrivals", {"due": 1}),
    ("snapshot", "operations", {"select": []}),
    ("reading", "at_s", "soon"),
    ("reading", "counters", 7),
    ("reading", "gauges", {"used": []}),
    ("canary", "spins_per_s", "fast"),
    ("end", "unfinished_users", "x"),
    ("end", "unfinished_users", 2**40),
    ("job_end", "signal", "TERM"),
]


def told() -> list[dict[str, Any]]:
    made: Recording = recording([100] * 12, facts={"cpu.model": "Z80"}, canaries=[(False, 1.0), (True, 1.0)])
    made.readings.update(readings("cpu", {"user_s": 0.5}))
    return events(made)


@pytest.mark.parametrize(("kind", "name", "value"), WRONG)
def test_an_event_of_another_form_is_damage(kind: str, name: str, value: Any) -> None:
    lines = told()
    (place, *_) = [index for index, event in enumerate(lines) if kind in event]
    lines[place][kind][name] = value
    found = recording_from_events(lines, "0001.jsonl")
    (damage,) = found.damage
    assert (damage.lines, damage.of) == ((place + 1,), kind)
    (system,) = analyse([found], aspects=ASPECTS)
    assert system.findings or system.levels


def test_every_kind_that_is_read_has_a_form_which_real_events_have() -> None:
    kinds = {kind for event in told() for kind in event}
    assert kinds | {"warning", "error"} == set(FORMS)
    assert not recording_from_events(told()).damage


def test_every_field_of_a_placement_is_taken() -> None:
    placement = {"thread": {"pin": True}, "task": {"threads": 2}, "scheduling": "batch", "precise": False}
    job = {"workload": "noop", "load": {"closed": {"users": 1}}, "placement": placement}
    assert msgspec.convert(job, Job).placement is not None
