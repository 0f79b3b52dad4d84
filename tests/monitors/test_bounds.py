"""What another machine does to a study is bounded, whatever it says: readers say what a test wants."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from queue import Queue
from threading import Event
from typing import Any

import pytest

from igen.aspects.tier.tables import tiers_table
from igen.judge import result_of
from igen.judge.record.recording import recording_from_events
from igen.monitors.said import Datum, Machine, NotRead, Ready, Said, Sample, Say, Trouble
from igen.monitors.ship import Program
from igen.monitors.watch import MOST_WARNINGS, Watch
from tests.aspects.tier_hosts import judged, on_tiers
from tests.judge.synthetic import MEASURE_BEGIN_S, events

TIER = {"name": "db", "host": "ssh://db1", "match": {"process": "postgres"}}
PATIENCE_S = 120.0


@dataclass
class Reader:
    """A thread that reads a machine; the test speaks for it."""

    machine: Machine
    say: Say
    stop: Event


@pytest.fixture
def readers(monkeypatch: pytest.MonkeyPatch) -> Queue[Reader]:
    """Those that were started, in the order in which they were."""
    started: Queue[Reader] = Queue()

    def read(machine: Machine, _program: Program, say: Say, stop: Event) -> None:
        started.put(Reader(machine, say, stop))
        stop.wait()
        raise NotRead("the test is over")

    monkeypatch.setattr("igen.monitors.watch.read_over_ssh", read)
    return started


@pytest.fixture
def watch(readers: Queue[Reader]) -> Iterator[Watch]:
    """Waits for nobody: whoever waits is told of an interrupt."""
    held = Watch(Path(sys.executable), lambda: True)
    yield held
    held.close()


def begin(watch: Watch, *tiers: dict[str, Any]) -> list[dict[str, Any]]:
    watch.begin({"tiers": list(tiers or (TIER,)), "phases": {"interval_s": 0.1}})
    return list(watch.started(time.time() - MEASURE_BEGIN_S))


def warnings(found: list[dict[str, Any]]) -> list[str]:
    return [event["warning"]["text"].partition(" (at ")[0] for event in found if "warning" in event]


def facts(found: list[dict[str, Any]]) -> list[tuple[str, Any]]:
    return [(event["fact"]["name"], event["fact"]["value"]) for event in found if "fact" in event]


def sample(monitor: str = "cpu", at_s: float = 0.0, **counters: float) -> Sample:
    return Sample(monitor=monitor, subject="", at_s=at_s, counters=counters)


def until(watch: Watch, is_heard: Callable[[list[dict[str, Any]]], object]) -> list[dict[str, Any]]:
    found = list(watch.take())
    deadline_s = time.monotonic() + PATIENCE_S
    while not is_heard(found):
        assert time.monotonic() < deadline_s, found
        time.sleep(0.01)
        found += watch.take()
    return found


def test_of_many_warnings_some_are_told_and_that_there_are_more(watch: Watch, readers: Queue[Reader]) -> None:
    begin(watch)
    reader = readers.get(timeout=PATIENCE_S)
    for number in range(5000):
        reader.say(Trouble(f"the fan {number} is loud", lasts=True))
    told = warnings(list(watch.take()))
    assert told[:2] == ["db1: the fan 0 is loud", "db1: the fan 1 is loud"]
    assert len(told) == MOST_WARNINGS + 1
    assert told[-1] == "db1: says more warnings, which are left out"
    assert not list(watch.take()), "each once"
    (watched,) = watch._watched.values()
    assert len(watched._lasting) == MOST_WARNINGS + 1, "no look goes through more of them"
    begin(watch)
    assert warnings(list(watch.take())) == told, "they last"
    reader.stop.set()
    found = until(watch, warnings)
    assert warnings(found) == ["db1: cannot be read: the test is over"], "that is always told"


def test_of_troubles_that_come_and_go_there_are_no_more(watch: Watch, readers: Queue[Reader]) -> None:
    begin(watch)
    reader = readers.get(timeout=PATIENCE_S)
    told = []
    for number in range(100):
        reader.say(Trouble(f"{number} of its lines have no number"))
        told += warnings(list(watch.take()))
    assert len(told) == MOST_WARNINGS + 1
    assert told[-1] == "db1: says more warnings, which are left out"


def test_a_look_takes_what_waits_and_no_more(watch: Watch, readers: Queue[Reader]) -> None:
    begin(watch)
    reader = readers.get(timeout=PATIENCE_S)
    reader.say(sample())
    taken = 0
    for _ in watch.take():
        reader.say(sample())
        taken += 1
        assert taken == 1, "one that goes on speaking would never be heard out"
    assert taken == 1


def test_only_facts_of_its_own_tiers_are_kept(watch: Watch, readers: Queue[Reader]) -> None:
    begin(watch)
    reader = readers.get(timeout=PATIENCE_S)
    reader.say(Datum("tier.db.source", "processes postgres"))
    for name in ("tier.web.source", "tier.db.x.source", "tier.db", "tier.", "fleet.hosts", "tier_host.x.y"):
        reader.say(Datum(name, "hostile"))
    assert facts(begin(watch)) == [("tier.db.source", "processes postgres")]
    for number in range(100):
        reader.say(Datum(f"tier.db.{number}", "hostile"))
    reader.say(Datum("tier.db.source", "control group /db"))
    assert facts(begin(watch)) == [("tier.db.source", "control group /db")]


def test_the_largest_error_of_the_clock_within_a_job_is_the_one_that_is_told(
    watch: Watch, readers: Queue[Reader]
) -> None:
    """Scrapes take longer under load, and what was known before it is not how well times are known."""
    tier = {"name": "db", "host": "ssh://db1"}
    begin(watch, tier)
    reader = readers.get(timeout=PATIENCE_S)
    reader.say(Ready(0.00173, 3.0))
    found = begin(watch, tier)
    now_s = time.monotonic()
    for second in range(12):
        at_s = now_s + second
        reader.say(sample(at_s=at_s, user_s=2.0 * second, idle_s=2.0 * second))
        reader.say(
            Sample(monitor="cpu", subject="cpu0", at_s=at_s, counters={"user_s": second, "idle_s": second})
        )
        reader.say(Ready({3: 1.5, 5: 0.25}.get(second, 0.001), 3.0))
    found += watch.take()
    errors = [value for name, value in facts(found) if name == "tier_host.ssh://db1.clock_error_s"]
    assert errors == [0.00173, 1.5]
    load = on_tiers({})
    load.job["tiers"] = [tier]
    *lines, end, job_end = events(load)
    system = judged(recording_from_events([*lines, *found, end, job_end], "0.jsonl"))
    notes = tiers_table(result_of([system])).notes
    assert "Times of db1 are known on the load's clock to within 1.5 s." in notes
    again = [value for name, value in facts(begin(watch, tier)) if name.endswith("clock_error_s")]
    assert again == [0.001], "another job has its own"


def test_machines_of_one_name_are_called_by_their_address(watch: Watch, readers: Queue[Reader]) -> None:
    a, b = "ssh://gw:2201", "ssh://x@gw:2201"
    tiers = [{"name": name, "host": url} for name, url in (("web", a), ("db", b))]
    begin(watch, *tiers)
    for _ in tiers:
        reader = readers.get(timeout=PATIENCE_S)
        reader.say(Ready({a: 0.1, b: 0.2}[reader.machine.host]))
        reader.say(Trouble("is loud", lasts=True))
    assert dict(facts(begin(watch, *tiers))) == {
        f"tier_host.{a}.clock_error_s": 0.1,
        f"tier_host.{b}.clock_error_s": 0.2,
    }
    assert warnings(list(watch.take())) == [f"{a}: is loud", f"{b}: is loud"]


def test_who_was_not_ready_in_time_is_not_waited_for_again(
    readers: Queue[Reader], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("igen.monitors.watch.READY_S", 0.1)
    monkeypatch.setattr("igen.monitors.watch.AGAIN_S", -1.0)
    waits: list[bool] = []
    watch = Watch(Path(sys.executable), lambda: bool(waits.append(True)))
    late = ["db1: was not ready within 0.1 s, and is not waited for any more"]
    try:
        begin(watch)
        assert waits
        first = readers.get(timeout=PATIENCE_S)
        assert warnings(list(watch.take())) == late
        assert not list(watch.take()), "once"
        waits.clear()
        begin(watch)
        assert not waits
        assert warnings(list(watch.take())) == late, "the next job does without it, too"

        first.stop.set()
        until(watch, warnings)
        begin(watch)
        second = readers.get(timeout=PATIENCE_S)
        assert not waits, "nor is it when it is tried again"
        assert warnings(list(watch.take())) == late
        second.say(Ready(0.001))
        begin(watch)
        assert not list(watch.take()), "that is over"
    finally:
        watch.close()


def test_it_is_told_for_whom_a_job_waits(readers: Queue[Reader], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("igen.monitors.watch.TOLD_S", 0.0)
    told: list[list[str]] = []
    started: dict[str, Reader] = {}

    def waits(names: list[str]) -> None:
        told.append(names)
        while names and names[0] not in started:
            reader = readers.get(timeout=PATIENCE_S)
            started[reader.machine.name] = reader
        if names:
            started[names[0]].say(Ready(0.001))

    watch = Watch(Path(sys.executable), lambda: False)
    tiers = [{"name": name, "host": f"ssh://{name}"} for name in ("db1", "web1")]
    try:
        watch.begin({"tiers": tiers, "phases": {"interval_s": 0.1}}, waits)
        assert told == [["db1", "web1"], ["web1"], []]
        watch.begin({"tiers": tiers, "phases": {"interval_s": 0.1}}, waits)
        assert len(told) == 3, "they are read already"
    finally:
        watch.close()


def test_nothing_that_a_reader_says_is_lost_before_its_end(watch: Watch, readers: Queue[Reader]) -> None:
    begin(watch)
    reader = readers.get(timeout=PATIENCE_S)
    said: list[Said] = [Ready(0.001), *(sample(at_s=float(number)) for number in range(50))]
    for each in said:
        reader.say(each)
    reader.stop.set()
    found = until(watch, warnings)
    assert warnings(found) == ["db1: not read any more: the test is over"]
    assert len([event for event in found if "reading" in event]) == 50
