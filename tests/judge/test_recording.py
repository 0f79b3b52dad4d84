from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from igen.errors import IgenError
from igen.failure import Failure
from igen.judge.record.form import Arrivals, Message
from igen.judge.record.recording import Recording, recording_from_events, throughput_series
from igen.judge.record.snapshot import Statistics
from igen.judge.run.measured import measure
from igen.judge.trust.damage import damage
from igen.judge.trust.machine_checks import fault
from tests.judge.synthetic import events, readings, recording, snapshot, statistics


def full() -> Recording:
    """A run with something of every kind."""
    arrivals = Arrivals(due=101, started=100, unsent=1, backlog=2)
    parts: dict[str, Any] = {
        "operations": {"select": statistics(200, 2.0)},
        "counters": {"rows": 7},
        "failures": Counter({Failure("other", "", "locked"): 3}),
        "arrivals": arrivals,
    }
    made = recording(
        snapshots=[
            snapshot(-1, statistics(50, 5.0), phase="warmup"),
            *(snapshot(i, statistics(100, 5.0, 9.0, failed=3), **parts) for i in range(3)),
        ],
        load={"open": {"rate_per_s": 100.0, "users": 4}},
        facts={"cpu.model": "Z80"},
        canaries=[(False, 100.0), (True, 99.0)],
        unfinished_users=2,
    )
    made.readings.update(readings("cpu", {"user_s": 1.0}))
    return made


def same(a: Statistics, b: Statistics) -> bool:
    pairs = [
        (getattr(a, name), getattr(b, name)) for name in ("service_time", "response_time", "failed_time")
    ]
    alike = all(np.array_equal(x.counts, y.counts) and x.sum_ns == y.sum_ns for x, y in pairs)
    return alike and (a.count, a.failed) == (b.count, b.failed)


def test_what_was_written_is_read() -> None:
    written = full()
    read = recording_from_events(events(written), written.job_file)
    for name in (
        "job",
        "facts",
        "canaries",
        "readings",
        "level",
        "run",
        "system",
        "started_unix_s",
        "job_file",
    ):
        assert getattr(read, name) == getattr(written, name), name
    assert not any(fault(read))
    assert read.unfinished_users == 2
    for a, b in zip(read.snapshots, written.snapshots, strict=True):
        assert same(a.transactions, b.transactions)
        assert a.arrivals == b.arrivals
        assert (a.phase, a.start_s, a.counters, a.failures) == (b.phase, b.start_s, b.counters, b.failures)
    assert same(read.snapshots[1].operations["select"], written.snapshots[1].operations["select"])


def test_the_response_time_is_the_service_time_where_no_other_was_sent() -> None:
    read = recording_from_events(events(recording([100])))
    transactions = read.snapshots[0].transactions
    assert transactions.response_time is transactions.service_time


def test_a_file_cut_off_after_any_line_opens() -> None:
    lines = events(full())
    for length in range(len(lines)):
        read = recording_from_events(lines[:length])
        assert read.truncated
        assert any(fault(read))
        assert len(throughput_series(read)) <= 3


@pytest.mark.parametrize(
    ("changes", "rule", "parts"),
    [
        ({}, None, {}),
        ({"outcome": "interrupted"}, "interrupted", {}),
        (
            {"outcome": "failed", "errors": [Message("no space left")]},
            "agent-failed",
            {"error": "no space left"},
        ),
        ({"outcome": None, "signal": 9}, "agent-died", {"signal": 9}),
        (
            {"outcome": None, "exit_code": 1, "stderr": "a\nout of memory\n"},
            "agent-died",
            {"exit_code": 1, "error": "out of memory"},
        ),
        ({"outcome": None, "truncated": True}, "cut-off", {}),
    ],
)
def test_a_fault_says_how_it_ended(changes: dict[str, Any], rule: str | None, parts: dict[str, Any]) -> None:
    found = [*fault(recording([100], **changes))]
    assert [each.rule for each in found] == ([] if rule is None else [rule])
    assert [{part.name: part.text or part.figure for part in each.parts} for each in found] == (
        [] if rule is None else [parts]
    )


def test_an_agent_that_was_killed_at_the_users_wish_did_not_die() -> None:
    lines = [line for line in events(recording([100])) if not {"end", "job_end"} & line.keys()]
    end = {"exit_code": None, "signal": 9, "stderr": ""}
    killed = recording_from_events([*lines, {"job_end": end | {"interrupted": True}}])
    assert [each.rule for each in fault(killed)] == ["interrupted"]
    died = recording_from_events([*lines, {"job_end": end | {"interrupted": False}}])
    assert [(each.rule, each.figure("signal")) for each in fault(died)] == [("agent-died", 9)]


def test_load_models() -> None:
    paced = recording([1], load={"paced": {"users": 5, "rate_per_user_per_s": 10.0}})
    opened = recording([1], load={"open": {"rate_per_s": 70.0}})
    assert (paced.load_model, paced.users, paced.offered_per_s) == ("paced", 5, 50.0)
    assert (opened.load_model, opened.users, opened.offered_per_s) == ("open", None, 70.0)
    assert recording([1], users=3).users == 3


def test_the_last_interval_counts_only_if_it_is_whole() -> None:
    made = recording([100, 100, 30])
    made.snapshots[-1] = replace(made.snapshots[-1], end_s=made.snapshots[-1].start_s + 0.3)
    assert throughput_series(made) == pytest.approx([100.0, 100.0])


def test_a_late_tick_leaves_no_time_out() -> None:
    made = recording([110, 90, 100])
    late_s = made.snapshots[0].end_s + 0.1
    made.snapshots[:2] = [
        replace(made.snapshots[0], end_s=late_s),
        replace(made.snapshots[1], start_s=late_s),
    ]
    assert throughput_series(made) == pytest.approx([100.0, 100.0, 100.0])


def test_an_unknown_event_is_left_out_and_so_is_a_broken_one_which_is_told() -> None:
    assert recording_from_events([{"surprise": {"x": 1}}]).snapshots == []
    told = recording_from_events([{"surprise": {}}, {"snapshot": {"phase": "measure"}}], "0001.jsonl")
    assert [(each.kind, each.file, each.lines, each.of) for each in told.damage] == [
        ("event-malformed", "0001.jsonl", (2,), "snapshot")
    ]
    assert told.snapshots == []


def test_time_that_no_interval_tells_of_is_told_and_does_not_count() -> None:
    made = recording([100, 60, 110, 90, 100, 100, 100])
    assert not any(damage(measure(made)))
    del made.snapshots[1]
    run = measure(made)
    assert run.throughput_per_s == pytest.approx(100.0)
    (found,) = damage(run)
    assert found.figure("missing_s") == pytest.approx(1)
    assert found.figure("first_missing_s") == pytest.approx(4.0)


def test_an_interval_that_is_there_twice_is_told() -> None:
    made = recording([100, 100, 100])
    made.snapshots.insert(1, made.snapshots[1])
    (finding,) = damage(measure(made))
    assert finding.figure("first_overlap_s") == pytest.approx(4.0)
    assert (finding.rule, finding.row.grade) == ("damaged", "INVALID")


@pytest.mark.parametrize("protocol", [99, 0, None, "4", 1, 3])
def test_files_of_a_protocol_that_is_not_known_are_refused(protocol: object) -> None:
    lines = events(recording([100]))
    lines[1]["hello"]["protocol"] = protocol
    with pytest.raises(IgenError, match=f"of protocol {protocol}; this igen reads 4") as caught:
        recording_from_events(lines, "jobs/0001.jsonl")
    assert caught.value.where == "jobs/0001.jsonl:2"
    assert "the release of igen" in caught.value.hint


def test_an_agent_drives_its_share_of_the_users() -> None:
    users = [
        recording([100], users=7, job={"share": {"index": index, "of": 3}}).own_users for index in range(3)
    ]
    assert users == [3, 2, 2]
    assert recording([100], users=7).own_users == 7
    assert recording([100], load={"open": {"rate_per_s": 5.0}}).own_users is None


def test_readings_of_other_load_machines_are_kept_apart() -> None:
    def reading(host: str) -> dict[str, Any]:
        return {"reading": {"host": host, "monitor": "cpu", "at_s": 1.0, "counters": {}, "gauges": {}}}

    job = {"workload": "noop", "load": {"closed": {"users": 1}}}
    hello = {"hello": {"protocol": 4, "version": "0", "host": "a", "started_unix_s": 1.0, "job": job}}
    hosts = {"fact": {"name": "fleet.hosts", "value": ["a", "b"]}}
    made = recording_from_events([hello, hosts, reading("a"), reading("b"), reading("db")])
    assert len(made.readings["cpu", ""]) == 2, "a monitor may look at the target's host"
    assert len(made.elsewhere["b"]["cpu", ""]) == 1
