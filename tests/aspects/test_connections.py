"""Which version of HTTP was spoken, and how many connections that took."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from igen.aspects.connections.observe import balancer_observations, connection_observations
from igen.aspects.connections.repeated import repeated_observations, repeated_too_often
from igen.instances.shop import Shop
from igen.judge.result import CounterResult, Finding
from tests.aspects.observed import has

TLS = "TLSv1_3, TLS13_AES_256_GCM_SHA384"


def said(
    protocol: str | None, tls: str = TLS, workload: str = "http", more: Sequence[str] = (), **counts: int
) -> list[Finding]:
    """Return the findings about a level with 8 users that has counted so, on one target and perhaps more."""
    counters = {
        name: CounterResult(count=count, per_s=0, per_transaction=0) for name, count in counts.items()
    }
    facts: dict[str, Any] = {f"target.{workload}.tls": tls, f"target.{workload}.streams": "100"}
    if protocol:
        facts[f"target.{workload}.protocol"] = protocol
    level = SimpleNamespace(counters=counters, users=8, offered_per_s=None, load={"closed": {}})
    scheme = "http" if tls == "none" else "https"
    system: Any = SimpleNamespace(
        workload=workload,
        load_model="closed",
        facts=facts,
        targets=[f"{scheme}://web.lab", *more],
        levels=[level],
    )
    return list(connection_observations(system, []))


COUNTS = {"requests": 60_000, "connections": 10_000, "resumed_tls_handshakes": 9_999}


@pytest.mark.parametrize(
    ("workload", "rule", "streams"),
    [("web", "requests-at-once", ["100"]), ("http", "one-request-at-once", [])],
)
def test_one_connection_of_http_2_carries_many_requests_where_there_are_many(
    workload: str, rule: str, streams: list[str]
) -> None:
    (found,) = said("HTTP/2", workload=workload, **COUNTS)
    names = ("protocol", "tls", "load")
    assert tuple(found.part(name).text for name in names) == ("HTTP/2", TLS, "8 users")
    assert {name: found.figure(name) for name in COUNTS} == COUNTS
    (at_once,) = found.because
    assert (at_once.rule, [part.text for part in at_once.parts]) == (rule, streams)


def test_several_servers_may_differ_in_what_they_speak() -> None:
    (alike,) = said("HTTP/1.1", more=["https://b.lab"], requests=9, connections=3)
    assert (alike.figure("targets"), alike.figure("connections"), alike.because) == (2, 3, ())
    assert alike.figure("resumed_tls_handshakes") == 0
    (mixed,) = said("HTTP/1.1", more=["http://b.lab"], requests=9, connections=3, resumed_tls_handshakes=1)
    assert not has(mixed, "resumed_tls_handshakes")


@pytest.mark.parametrize(("counts", "made"), [({}, 0), ({"connections": 1}, 1)])
def test_without_tls_there_are_no_sessions(counts: dict[str, int], made: int) -> None:
    (found,) = said("HTTP/1.1", "none", "web", (), requests=6_000, **counts)
    assert (found.figure("connections"), found.figure("requests")) == (made, 6000)
    assert not has(found, "tls")
    assert not has(found, "resumed_tls_handshakes")


@pytest.mark.parametrize(
    ("repeated", "is_told", "is_suspect"),
    [(0, False, False), (10, False, False), (11, True, False), (100, True, False), (101, True, True)],
)
@pytest.mark.parametrize("cause", ["stale_connections", "refused_requests"])
def test_requests_that_were_sent_twice_have_a_price_and_a_limit(
    repeated: int, is_told: bool, is_suspect: bool, cause: str
) -> None:
    counts = {
        "requests": 10_000,
        "repeated_requests": repeated,
        cause: repeated,
        "repeated_us": 500 * repeated,
    }
    run: Any = SimpleNamespace(counters=Counter(counts))
    found = [*repeated_too_often(run)]
    assert [(each.row.grade, each.rule) for each in found] == [("SUSPECT", "repeated-requests")] * is_suspect
    for each in found:
        assert {part.name: part.figure for part in each.parts} == {"share_percent": 1.01, cause: 101}
    counters = {
        name: CounterResult(count=count, per_s=0, per_transaction=0) for name, count in counts.items()
    }
    level = SimpleNamespace(
        counters=counters,
        users=8,
        offered_per_s=None,
        load={"closed": {}},
        transactions=10_000 - repeated,
        response_time_ms=SimpleNamespace(mean=1.0),
    )
    system: Any = SimpleNamespace(load_model="closed", levels=[level])
    told = list(repeated_observations(system, []))
    assert [each.rule for each in told] == ["requests-sent-twice"] * is_told
    for each in told:
        assert (each.figure("lost_each_ms"), each.figure("repeated_requests")) == (0.5, repeated)
        assert each.figure("share_percent") == repeated / 100
        assert [name for name in ("stale_connections", "refused_requests") if has(each, name)] == [cause]


def test_what_is_not_told_is_not_said() -> None:
    assert not said(None, requests=1)
    assert not said("HTTP/2")
    assert not said("HTTP/2", workload="ldap", requests=1)


@pytest.mark.parametrize(
    ("workload", "instances", "targets"),
    [
        ("web", [1, 2, 4], [4]),
        ("http", [1], []),
        # Shards of a database have no balancer.
        ("oltp", [4], []),
        ("web", [], []),
    ],
)
def test_who_deals_users_to_several_servers_is_said(
    workload: str, instances: list[int], targets: list[int]
) -> None:
    found = dealt(workload, instances)
    assert [each.rule for each in found] == ["users-dealt-to-targets"] * len(targets)
    assert [each.figure("targets") for each in found] == targets


def dealt(workload: str, instances: list[int], **facts: object) -> list[Finding]:
    """Return the findings about who deals, of levels with so many targets."""
    levels = [SimpleNamespace(instances=count) for count in instances]
    targets = [f"http://web{number}.lab" for number in range(max(instances, default=1))]
    settings = {f"instances.settings.{name}": value for name, value in facts.items()}
    system: Any = SimpleNamespace(workload=workload, levels=levels, targets=targets, facts=settings)
    return list(balancer_observations(system, []))


def test_the_balancer_of_a_private_shop_is_said() -> None:
    assert "nodes" in Shop.options
    (one,) = dealt("web", [1], nodes="4", cache="on")
    assert (one.rule, one.figure("nodes"), one.figure("targets")) == ("requests-dealt-to-nodes", 4, 1)
    by_us, of_each = dealt("http", [1, 2], nodes="4")
    assert (by_us.rule, by_us.figure("targets")) == ("users-dealt-to-targets", 2)
    assert (of_each.rule, of_each.figure("targets")) == ("requests-dealt-to-nodes", 2)
    assert not dealt("web", [1], nodes="1")
    assert not dealt("web", [1], cache="on")
    assert not dealt("oltp", [1], nodes="4")
