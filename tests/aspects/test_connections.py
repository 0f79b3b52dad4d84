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
from igen.judge.result import CounterResult

TLS = "TLSv1_3, TLS13_AES_256_GCM_SHA384"


def said(
    protocol: str | None, tls: str = TLS, workload: str = "http", more: Sequence[str] = (), **counts: int
) -> list[str]:
    """The sentences about a level with 8 users that has counted so, on one target and perhaps more."""
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
    return [each.text for each in connection_observations(system, [])]


@pytest.mark.parametrize(
    ("workload", "each"),
    [
        ("web", "one connection at a time for each user, with up to 100 requests at once"),
        ("http", "one connection and one request at a time for each user"),
    ],
)
def test_one_connection_of_http_2_carries_many_requests_where_there_are_many(
    workload: str, each: str
) -> None:
    (text,) = said(
        "HTTP/2", workload=workload, requests=60_000, connections=10_000, resumed_tls_handshakes=9_999
    )
    assert text == (
        f"The server spoke HTTP/2 under {TLS}: {each}; at 8 users 10,000 connections were made for 60,000 "
        "requests, 9,999 of them with a resumed TLS session."
    )


def test_several_servers_may_differ_in_what_they_speak() -> None:
    (alike,) = said("HTTP/1.1", more=["https://b.lab"], requests=9, connections=3)
    assert alike.startswith("The first server spoke HTTP/1.1 under ")
    assert alike.endswith("3 connections were made for 9 requests, none of them with a resumed TLS session.")
    (mixed,) = said("HTTP/1.1", more=["http://b.lab"], requests=9, connections=3, resumed_tls_handshakes=1)
    assert mixed.endswith("3 connections were made for 9 requests.")


@pytest.mark.parametrize(
    ("counts", "made"),
    [
        ({}, "no connection was made for 6,000 requests"),
        ({"connections": 1}, "1 connection was made for 6,000 requests"),
    ],
)
def test_without_tls_there_are_no_sessions(counts: dict[str, int], made: str) -> None:
    (text,) = said("HTTP/1.1", "none", "web", (), requests=6_000, **counts)
    assert text == f"The server spoke HTTP/1.1 without TLS; at 8 users {made}."


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
    found = [(each.verdict, each.rule) for each in repeated_too_often(run)]
    assert found == [("SUSPECT", "repeated requests")] * is_suspect
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
    told = [each.text for each in repeated_observations(system, [])]
    assert len(told) == is_told
    # Half a millisecond each.
    assert all("0.50 ms" in text for text in told)


def test_what_is_not_told_is_not_said() -> None:
    assert not said(None, requests=1)
    assert not said("HTTP/2")
    assert not said("HTTP/2", workload="ldap", requests=1)


@pytest.mark.parametrize(
    ("workload", "instances", "texts"),
    [
        (
            "web",
            [1, 2, 4],
            ["iGen was the balancer: it dealt its users to the 4 targets in turn, each to one."],
        ),
        ("http", [1], []),
        # Shards of a database have no balancer.
        ("oltp", [4], []),
        ("web", [], []),
    ],
)
def test_who_deals_users_to_several_servers_is_said(
    workload: str, instances: list[int], texts: list[str]
) -> None:
    assert dealt(workload, instances) == texts


def dealt(workload: str, instances: list[int], **facts: object) -> list[str]:
    """What is said of who deals, of levels with so many targets."""
    levels = [SimpleNamespace(instances=count) for count in instances]
    targets = [f"http://web{number}.lab" for number in range(max(instances, default=1))]
    settings = {f"instances.settings.{name}": value for name, value in facts.items()}
    system: Any = SimpleNamespace(workload=workload, levels=levels, targets=targets, facts=settings)
    return [each.text for each in balancer_observations(system, [])]


def test_the_balancer_of_a_private_shop_is_said() -> None:
    assert "nodes" in Shop.options
    (one,) = dealt("web", [1], nodes="4", cache="on")
    assert one == (
        "The shop had a balancer of its own, its web tier: it dealt requests to 4 applications in turn."
    )
    by_us, of_each = dealt("http", [1, 2], nodes="4")
    assert by_us.startswith("iGen was the balancer: it dealt its users to the 2 targets")
    assert of_each.startswith("Each shop had a balancer of its own")
    assert not dealt("web", [1], nodes="1")
    assert not dealt("web", [1], cache="on")
    assert not dealt("oltp", [1], nodes="4")
