"""A web server that is killed or freezes under load, over HTTP/1.1 and HTTP/2: requests are accounted for."""

from __future__ import annotations

import signal
from collections.abc import Callable

import pytest
from load_by_agent import Load, works

from igen.judge.record.recording import recording_from_events
from igen.judge.run.measured import measure
from igen.judge.trust.load_checks import lost
from tests.web import Web

Start = Callable[..., Web]
Begin = Callable[..., Load]
LATE = "GET /: no complete answer in time"
pytestmark = pytest.mark.parametrize("protocol", ["http/1.1", "h2"])


def test_a_server_that_is_killed_and_comes_back(nginx: Start, load: Begin, protocol: str) -> None:
    users, server = 64, nginx(http2=protocol == "h2")
    loading = load("http", server.target, users, think_time_s=0.05, protocol=protocol)
    loading.wait_for(works)
    server.stop()
    loading.wait_for(lambda snapshot: snapshot.get("failures"))
    server.start()
    for _ in range(2):
        loading.wait_for(works)
    loading.finish()
    server.stop(signal.SIGQUIT)
    assert loading.failures["connect: connection refused"] > 0
    (finding,) = lost(measure(recording_from_events(loading.events)))
    assert (finding.rule, finding.row.grade) == ("connections-lost", "INVALID")
    requests, answers = loading.asked()
    assert answers == loading.transactions() + 1
    assert requests - 1 == loading.counted("requests")
    # A request has an answer, is asked again over a new connection, or is why its transaction has failed.
    in_vain = sum(count for reason, count in loading.failures.items() if reason.startswith("GET /: "))
    assert requests == answers + loading.counted("stale_connections") + in_vain
    # Of those under way when it was killed, one a connection, nobody knows whether it has logged them.
    logged = server.asked()["200 GET /"]
    assert server.asked().total() == logged
    assert answers - users <= logged <= requests


def test_a_server_that_freezes_costs_each_request_its_limit(nginx: Start, load: Begin, protocol: str) -> None:
    users, server = 16, nginx(http2=protocol == "h2")
    loading = load("http", server.target, users, think_time_s=0.02, protocol=protocol, timeout_s=1)
    loading.wait_for(works)
    server.send(signal.SIGSTOP)
    loading.wait_for(
        lambda snapshot: any("no complete answer" in each["text"] for each in snapshot.get("failures", ()))
    )
    server.send(signal.SIGCONT)
    for _ in range(2):
        loading.wait_for(works)
    loading.finish()
    server.stop(signal.SIGQUIT)
    requests, answers = loading.asked()
    assert answers == loading.transactions() + 1
    # Each request has an answer or was too late; what nobody waited for the server logs as it likes, or not.
    assert requests == answers + loading.failures[LATE]
    assert set(loading.failures) <= {LATE, "connect: no complete answer in time"}
    assert answers <= server.asked().total() <= requests
