"""The whole way from what another machine says to the finding of the report, over a stand-in for ssh."""

from __future__ import annotations

import json
import os
import re
import shlex
import socket
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from igen.aspects.aspects import ASPECTS
from igen.aspects.tier.parts import Tiers, tiers_at
from igen.aspects.tier.tables import tiers_table
from igen.judge import analyse, result_of
from igen.judge.record.recording import Recording, recording_from_events
from igen.judge.result import Finding, System
from igen.monitors.watch import Watch
from tests.aspects.observed import observed
from tests.aspects.tier_hosts import on_tiers
from tests.judge.synthetic import MEASURE_BEGIN_S, events
from tests.monitors.exporters import exporter, says
from tests.monitors.node_text import TEXT
from tests.said import rules

PATIENCE_S = 120.0
TIER = {"name": "db", "host": "ssh://igen@db1", "match": {"process": "postgres"}}
SECONDS = 11
GO = "go"
"""The file after which the stand-in plays its readings: not before the job has begun."""

Play = Callable[..., None]


@pytest.fixture
def play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Play:
    """Says what the machine behind ssh does from now on."""
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    remote = Path(__file__).with_name("remote.py")

    def write(**script: Any) -> None:
        program = tmp_path / "ssh"
        words = [
            sys.executable,
            "-I",
            "-S",
            str(remote),
            json.dumps({"busy": 3.0, "seconds": SECONDS, "go": str(tmp_path / GO)} | script),
        ]
        program.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/asked\nexec {shlex.join(words)}\n')
        program.chmod(0o755)
        (tmp_path / GO).unlink(missing_ok=True)

    # Further questions about the clock come at once: the stand-in plays its readings after one of them.
    monkeypatch.setattr("igen.monitors.over_ssh.PING_S", 0.05)
    write()
    return write


@pytest.fixture
def watch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Watch]:
    """With no agent worth sending: the stand-in has one."""
    monkeypatch.chdir(tmp_path)
    held = Watch(Path(sys.executable), lambda: False)
    yield held
    held.close()


def job(*tiers: dict[str, Any]) -> dict[str, Any]:
    return {"tiers": list(tiers), "phases": {"interval_s": 0.1}}


def heard(
    watch: Watch, until: Callable[[list[dict[str, Any]]], bool], *tiers: dict[str, Any]
) -> list[dict[str, Any]]:
    """What a job hears whose measurement began when it was first heard."""
    watch.begin(job(*tiers))
    found = list(watch.started(time.time() - MEASURE_BEGIN_S))
    Path(GO).touch()
    deadline_s = time.monotonic() + PATIENCE_S
    while not until(found):
        assert time.monotonic() < deadline_s, found
        time.sleep(0.01)
        found += watch.take()
    return found


def bodies(found: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [event[kind] for event in found if kind in event]


def has_all_readings(found: list[dict[str, Any]]) -> bool:
    return len([each for each in bodies(found, "reading") if each["monitor"] == "tier"]) == SECONDS


def run_with(found: list[dict[str, Any]], repeat: int, *tiers: dict[str, Any]) -> Recording:
    """A load on another machine, with what was heard beside it, as its file would say it."""
    load = on_tiers({}, repeat=repeat)
    load.job["tiers"] = list(tiers)
    *lines, end, job_end = events(load)
    return recording_from_events([*lines, *found, end, job_end], f"{repeat}.jsonl")


def judged(*made: Recording) -> System:
    (system,) = analyse(list(made), aspects=ASPECTS)
    return system


def tiers_of(system: System) -> Tiers:
    found = tiers_at(system.levels[0])
    assert found is not None
    return found


def seen(system: System) -> list[Finding]:
    return observed(system, "no-tier-half-full", "tiers-share-processors", "tier-fills-first", "tier-fills")


def test_what_a_machine_says_over_ssh_becomes_a_finding(play: Play, watch: Watch, tmp_path: Path) -> None:
    runs = []
    for repeat, busy in enumerate((2.97, 3.0, 3.03)):
        play(busy=busy)
        found = heard(watch, has_all_readings, TIER)
        runs.append(run_with(found, repeat, TIER))
        watch.close()
    system = judged(*runs)
    (tier,) = tiers_of(system).tiers
    assert (tier.name, tier.host, tier.source) == ("db", "db1", "processes postgres")
    assert tier.busy_processors.value == pytest.approx(3.0)
    assert tier.cpu_percent.value == pytest.approx(75)
    assert tier.memory_bytes == 2e9
    (found,) = seen(system)
    assert (found.rule, found.part("tier").text, found.part("host").text) == ("tier-fills", "db", "db1")
    assert (found.part("load").text, found.figure("processors")) == ("64 users", 4)
    assert found.figure("cpu_percent") == pytest.approx(75)
    assert found.part("cpu_percent").span == pytest.approx((73, 77), abs=0.5)

    (machine,) = tiers_of(system).hosts
    assert machine.processors == 4
    assert machine.cpu_percent == pytest.approx(100 * 3.25 / 4, rel=0.02)
    assert machine.monitor_cpu_percent == pytest.approx(100 * 0.05 / 4)
    assert machine.unattributed_cpu_percent == pytest.approx(100 * 0.2 / 4, rel=0.02)
    assert not rules(system.levels[0]), "5 % of its processors were used by others, and no more"
    assert machine.clock_error_ms is not None
    table = tiers_table(result_of([system]))
    columns = {column.title: list(column.cells) for column in table.columns}
    assert columns["tier"] == [
        "db",
        "all tiers",
        "driver",
        "host",
        "monitor",
        "interrupts",
        "unattributed",
        "host",
    ]
    assert columns["host"] == ["db1", "–", *["load machine"] * 2, *["db1"] * 4]
    assert any(
        note.startswith("Times of db1 are known on the load's clock to within ") for note in table.notes
    )

    asked = (tmp_path / "asked").read_text()
    assert "BatchMode=yes" in asked
    assert "LogLevel=ERROR" in asked, "the banner of a login is no reason of an end"
    assert "-- ssh://igen@db1 " in asked
    assert '"host"' not in asked, "there it is a tier like any other"


def test_readings_have_the_times_of_the_loads_clock(play: Play, watch: Watch) -> None:
    play()
    begin_s = time.monotonic()
    found = heard(watch, has_all_readings, TIER)
    first = next(each for each in bodies(found, "reading") if each["monitor"] == "tier")
    assert first["host"] == TIER["host"]
    facts = {fact["name"]: fact["value"] for fact in bodies(found, "fact")}
    error_s = facts["tier_host.ssh://igen@db1.clock_error_s"]
    # It was read after the job had begun, and before it was heard.
    assert MEASURE_BEGIN_S - error_s - 0.01 <= first["at_s"]
    assert first["at_s"] <= MEASURE_BEGIN_S + (time.monotonic() - begin_s) + error_s + 0.01
    assert facts["tier_host.ssh://igen@db1.clock_ahead_s"] == pytest.approx(100, abs=error_s + 1.0)
    assert facts["tier.db.source"] == "processes postgres"
    assert not {"tier.web.source", "fleet.hosts"} & facts.keys(), "it knows nothing of those"


@pytest.mark.parametrize(
    ("then", "why"),
    [
        ("die", "db1: not read any more: the machine goes down (at "),
        (
            "boast",
            'db1: not read any more: it says what is no line of a monitor: {"reading": {"host": ',
        ),
        ("babble", r"db1: not read any more: it says what is no line of a monitor: \x1b[2J what (at "),
    ],
)
def test_a_machine_that_is_lost_is_a_warning_with_its_time(
    play: Play, watch: Watch, then: str, why: str
) -> None:
    play(then=then)
    found = heard(watch, lambda found: bool(bodies(found, "warning")), TIER)
    (warning,) = bodies(found, "warning")
    assert warning["text"].startswith(why)
    assert warning["text"].endswith(" UTC)")
    assert has_all_readings(found), "what it said before stays"
    system = judged(run_with(found, 0, TIER))
    assert tiers_of(system).tiers
    notes = [each for each in system.findings if each.rule == "agent-warning"]
    assert any(why in each.part("text").text for each in notes)
    # The next job says so too, and nothing is tried again at once.
    again = heard(watch, lambda found: bool(bodies(found, "warning")), TIER)
    assert bodies(again, "warning") == [warning]


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("echo 'ssh: connect to host db1 port 22: No route to host' >&2; exit 255", "No route to host"),
        ("exit 3", "it ended with code 3"),
        ("exit 255", "the connection to it was cut, or the agent there was ended"),
        ("exec sleep 0", "it ended with code 0"),
        (
            'echo \'{"error":{"text":"the control group /x does not exist"}}\'; exit 2',
            "the control group /x does not exist",
        ),
        ("exit 44", "the agent that was sent there is not found"),
    ],
)
def test_a_machine_that_cannot_be_read_is_a_warning(
    play: Play, watch: Watch, tmp_path: Path, script: str, why: str
) -> None:
    (tmp_path / "ssh").write_text(
        f'#!/bin/sh\ncase "$*" in *sha256sum*) exec cat > /dev/null;; esac\n{script}\n'
    )
    found = heard(watch, lambda found: bool(bodies(found, "warning")), TIER)
    (warning,) = bodies(found, "warning")
    assert warning["path"] == "tiers"
    assert warning["text"].startswith("db1: cannot be read: ")
    assert why in warning["text"]
    other = {"name": "web", "host": "ssh://web1"}
    here = on_tiers({"app": (4, 0.9, 1e8)})
    here.job["tiers"] = [{"name": "app", "match": {"pids": [1]}}, TIER, other]
    *lines, end, job_end = events(here)
    system = judged(recording_from_events([*lines, *found, end, job_end], "0.jsonl"))
    tiers = tiers_of(system)
    assert [tier.name for tier in tiers.tiers] == ["app"]
    assert tiers.not_read == ["db", "web"]
    assert tiers.busy_processors is None
    assert not seen(system), "which one is the first to fill up is not known"
    table = tiers_table(result_of([system]))
    assert "all tiers" not in next(column for column in table.columns if column.title == "tier").cells
    assert "Nothing was read of db and web: no sum of all tiers stands there." in table.notes


def test_an_exporter_is_read_and_what_it_says_wrong_is_a_warning(watch: Watch) -> None:
    hostile = f'{TEXT}node_disk_read_bytes_total{{device="\x1b[2J"}} NaN\n'
    with exporter(says(hostile)) as url:
        tier = {"name": "db", "host": url}
        found = heard(watch, lambda found: bool(bodies(found, "warning") and bodies(found, "reading")), tier)
    (warning,) = bodies(found, "warning")
    name = url.removeprefix("http://").removesuffix("/metrics")
    assert warning["text"].startswith(
        f"{name}: 1 of its lines are too long, or have no number within 1e18 or odd labels"
    )
    assert "\x1b" not in warning["text"]
    readings = {(each["monitor"], each["subject"]) for each in bodies(found, "reading")}
    assert {("cpu", "cpu1"), ("memory", ""), ("disk", "vda"), ("network", "eth0")} <= readings


def test_sums_of_what_a_hostile_exporter_counts_stay_finite(watch: Watch) -> None:
    """Each of these is a number, and their sum is none that a report could be made of."""
    hostile = re.sub(r'(node_cpu_seconds_total\{cpu="[01]",mode="(?:idle|user)"\}) .*', r"\1 1e308", TEXT)
    with exporter(says(hostile)) as url:
        tier = {"name": "db", "host": url}
        found = heard(watch, lambda found: len(bodies(found, "reading")) > 20, tier)
    (warning,) = bodies(found, "warning")
    assert ": 4 of its lines are too long, or have no number" in warning["text"]
    assert tiers_at(judged(run_with(found, 0, tier)).levels[0]) is None


def test_an_exporter_that_comes_back_is_read_again(watch: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("igen.monitors.scrape.AGAIN_S", 0.05)
    answers = iter([says("", "503 Service Unavailable")] * 2)

    def first_busy(held: socket.socket, over: Event) -> None:
        next(answers, says(TEXT))(held, over)

    with exporter(first_busy) as url:
        tier = {"name": "db", "host": url}
        found = heard(watch, lambda found: bool(bodies(found, "reading")), tier)
        (warning,) = bodies(found, "warning")
        assert "it answered 503" in warning["text"], "once, with the time at which it began"
        again = heard(watch, lambda found: bool(bodies(found, "reading")), tier)
    assert not bodies(again, "warning"), "that is over"


def test_nothing_is_done_for_a_job_without_other_machines(watch: Watch) -> None:
    watch.begin(job({"name": "app", "match": {"pids": [1]}}))
    assert not list(watch.started(time.time()))
    assert not list(watch.take())
