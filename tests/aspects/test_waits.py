from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from igen.aspects.server.waits import Samples, Wait, samples_between, shares_by_event, shares_by_kind
from igen.judge.figure.interval import wilson_interval

EVENTS = ["IO.WALSync", "LWLock.WALWrite", "Lock.tuple", "LWLock.BufferContent", "running", "client"]


@pytest.mark.parametrize(
    ("counter", "wait", "kind"),
    [
        ("wait_samples.IO.WALSync", Wait("IO.WALSync"), "log flush"),
        ("wait_samples.LWLock.WALWrite", Wait("LWLock.WALWrite"), "log flush"),
        ("wait_samples.LWLock.WALInsert", Wait("LWLock.WALInsert"), "log insertion"),
        (
            "wait_samples.Lock.tuple@lock:table orders",
            Wait("Lock.tuple", "table orders", "lock"),
            "lock",
        ),
        (
            "wait_samples.LWLock.BufferContent@statement:table a:b@c",
            Wait("LWLock.BufferContent", "table a:b@c", "statement"),
            "hot page",
        ),
        ("wait_samples.IO.DataFileRead", Wait("IO.DataFileRead"), "data read"),
        ("wait_samples.LWLock.ProcArray", Wait("LWLock.ProcArray"), "latch"),
        ("wait_samples.Client.ClientRead", Wait("Client.ClientRead"), "client"),
        ("wait_samples.Extension.Extension", Wait("Extension.Extension"), "other"),
        ("wait_samples.running", Wait("running"), "running"),
        (
            "wait_samples.lock.innodb@lock:index by_day of orders",
            Wait("lock.innodb", "index by_day of orders", "lock"),
            "lock",
        ),
        ("wait_samples.state.Updating status", Wait("state.Updating status"), "log flush"),
        ("wait_samples.state.Updating", Wait("state.Updating"), "running"),
        (
            "wait_samples.state.Waiting for table metadata lock",
            Wait("state.Waiting for table metadata lock"),
            "lock",
        ),
        (
            "wait_samples.io/file/innodb/innodb_log_file",
            Wait("io/file/innodb/innodb_log_file"),
            "log flush",
        ),
        ("wait_samples.synch/mutex/innodb/x", Wait("synch/mutex/innodb/x"), "latch"),
    ],
)
def test_the_name_of_a_counter_tells_event_relation_and_kind(counter: str, wait: Wait, kind: str) -> None:
    assert Wait.of(counter) == wait
    assert wait.kind == kind


def test_samples_are_the_growth_between_two_readings() -> None:
    first = {"sampled_moments": 10.0, "sampled_active": 30.0, "wait_samples.running": 30.0}
    last = {
        "sampled_moments": 20.0,
        "sampled_active": 70.0,
        "sampled_idle_in_transaction": 15.0,
        "sampled_idle": 90.0,
        "wait_samples.running": 45.0,
        "wait_samples.IO.WALSync": 25.0,
    }
    counts = {Wait("running"): 15, Wait("IO.WALSync"): 25, Wait("client"): 15}
    assert samples_between(first, last, None) == Samples(10, Counter(counts))
    busy = samples_between(first, last, 8)
    assert busy.waits[Wait("client")] == 40, "8 users at 10 moments, 40 of them active"
    crowded = samples_between(first, last, 80)
    assert crowded.waits[Wait("client")] == 105, "no more than were seen"


def test_nothing_was_seen_before_a_restarted_server() -> None:
    assert samples_between({"sampled_moments": 5.0}, {"sampled_moments": 2.0}, 4).sessions == 0


def test_a_kind_names_what_most_of_it_has_in_common() -> None:
    orders = "table orders"
    waits = {
        Wait("Lock.tuple", orders, "lock"): 60,
        Wait("Lock.transactionid", orders, "statement"): 30,
        Wait("Lock.transactionid"): 10,
        Wait("running"): 50,
    }
    locks, running = shares_by_kind(Samples(20, Counter(waits)))
    assert (locks.kind, locks.event, locks.relation) == ("lock", "", orders)
    assert locks.told_by == "lock or statement"
    assert (locks.samples, locks.share.value) == (100, pytest.approx(2 / 3))
    assert (running.kind, running.event, running.relation, running.told_by) == ("running", "running", "", "")


@given(
    moments=st.integers(1, 10_000),
    counts=st.dictionaries(st.sampled_from(EVENTS), st.integers(1, 10_000), min_size=1),
)
def test_shares_add_up_and_lie_in_their_intervals(moments: int, counts: dict[str, int]) -> None:
    samples = Samples(moments, Counter({Wait(event): count for event, count in counts.items()}))
    for shares in (shares_by_event(samples), shares_by_kind(samples)):
        assert sum(each.share.value for each in shares) == pytest.approx(1)
        assert sum(each.samples for each in shares) == samples.sessions
        assert [each.samples for each in shares] == sorted((each.samples for each in shares), reverse=True)
        for each in shares:
            low, high = each.share.ends() or (1.0, 0.0)
            assert 0 <= low <= each.share.value + 1e-12
            assert each.share.value - 1e-12 <= high <= 1


def test_wilsons_interval_of_known_cases() -> None:
    # Newcombe (1998), table I, method 3: 81/263, 15/148, 0/20, 1/29.
    for successes, n, low, high in (
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ):
        assert wilson_interval(successes / n, n).ends() == (
            pytest.approx(low, abs=1e-4),
            pytest.approx(high, abs=1e-4),
        )
    assert wilson_interval(0.5, 0).ends() == (0.0, 1.0)
