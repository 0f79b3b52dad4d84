"""Who else loads a server under test, and what that costs."""

from __future__ import annotations

import pytest

from igen.judge.record.recording import Reading, Recording
from igen.judge.run.measured import measure
from igen.judge.trust.other_clients import other_clients
from tests.judge.hosts import on_host
from tests.judge.synthetic import MEASURE_BEGIN_S, recording
from tests.judge.test_price import LOCAL, causes

CLIENTS = "other-clients"


def loaded(own: float, **others: float) -> Recording:
    """A server and the segments that came from each client in the 10 s between the two looks."""
    made = on_host(recording([1000] * 10, users=8, job=LOCAL), own=0.5)
    for client, came in {"own": own, **others}.items():
        looks = [(0.0, 0.0), (10.0, came)]
        made.readings["clients", client.replace("_", " ")] = [
            Reading(MEASURE_BEGIN_S + at_s, {"received": count}, {"connections": 1.0})
            for at_s, count in looks
        ]
    return made


def test_another_load_on_the_same_server_is_named_and_priced() -> None:
    made = loaded(20_000, **{"17_wrk": 30_000, "18_psql": 10})
    found = other_clients(measure(made))
    assert found is not None
    assert found.share == pytest.approx(30_010 / 50_010)
    named = [part.text for part in found.finding.parts if part.name == "client_percent"]
    assert named == ["17 wrk", "18 psql"]
    throughput, times = causes(made)[CLIENTS]
    assert throughput.high_percent == pytest.approx(100 * 1.5005)
    assert times.low_percent == pytest.approx(-60, abs=0.1)


def test_a_client_that_sends_nothing_costs_nothing() -> None:
    assert other_clients(measure(loaded(20_000, pool=0))) is None
    assert CLIENTS not in causes(loaded(20_000))


def test_a_client_that_came_after_the_first_look_is_charged_with_all_that_it_sent() -> None:
    made = loaded(20_000)
    made.readings["clients", "19 ab"] = [Reading(MEASURE_BEGIN_S + 10, {"received": 20_000}, {})]
    found = other_clients(measure(made))
    assert found is not None
    assert found.share == pytest.approx(0.5)


def test_own_requests_are_counted_also_on_connections_that_were_closed() -> None:
    """Each transaction had a connection of its own: at the second look two were open."""
    found = other_clients(measure(loaded(2, **{"17_wrk": 100})))
    assert found is not None
    assert found.share == pytest.approx(100 / 10_100)


def test_other_machines_are_others_only_if_none_of_them_shares_the_load() -> None:
    made = loaded(20_000, **{"from_10.0.0.7": 20_000})
    assert other_clients(measure(made)) is not None
    made.facts["fleet.machines"] = 2
    assert other_clients(measure(made)) is None
