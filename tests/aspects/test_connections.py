"""Which version of HTTP was spoken, and how many connections that took."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from igen.aspects.connections.observe import connection_observations
from igen.judge.result import CounterResult

TLS = "TLSv1_3, TLS13_AES_256_GCM_SHA384"


def said(protocol: str | None, tls: str = TLS, workload: str = "http", **counts: int) -> list[str]:
    """The sentences about a level with 8 users that has counted so."""
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
        targets=[f"{scheme}://web.lab"],
        levels=[level],
    )
    return [each.text for each in connection_observations(system, [])]


def test_one_connection_of_http_2_carries_many_requests() -> None:
    (text,) = said("HTTP/2", requests=6_000, connections=1_200, resumed_tls_handshakes=1_188)
    assert text == (
        f"The server spoke HTTP/2 under {TLS}: one connection for each user, with up to 100 requests at "
        "once; at 8 users 1,200 connections were made for 6,000 requests, 99 % of them with a resumed TLS "
        "session."
    )


@pytest.mark.parametrize(
    ("counts", "made"),
    [
        ({}, "no connection was made for 6,000 requests"),
        ({"connections": 1}, "1 connection was made for 6,000 requests"),
    ],
)
def test_without_tls_there_are_no_sessions(counts: dict[str, int], made: str) -> None:
    (text,) = said("HTTP/1.1", "none", "web", requests=6_000, **counts)
    assert text == f"The server spoke HTTP/1.1 without TLS; at 8 users {made}."


def test_what_is_not_told_is_not_said() -> None:
    assert not said(None, requests=1)
    assert not said("HTTP/2")
    assert not said("HTTP/2", workload="ldap", requests=1)
