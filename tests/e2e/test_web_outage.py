"""A thousand users of a shop that is killed, frozen and comes back: every request is accounted for."""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Callable
from typing import Any

from load_by_agent import Load, works
from shop_server import Shop

USERS = 1_000
THINK_TIME_S = {"uniform": [1, 2]}
LOGIN = {
    "name": "login",
    "request": [
        {"get": "/login", "extract": {"csrf": {"input": "csrf_token"}}},
        {
            "post": "/login",
            "form": {"user": "user{user.id}", "password": "shop", "csrf_token": "{csrf}"},
            "expect": {"contains": "Welcome"},
        },
    ],
}
OF_LOGIN = Counter({200: 2, 302: 1})
"""Answers: the form, a redirect, and where that leads to."""
SEARCHES = {
    "once": [{"page": "login"}],
    "session": {"steps": [{"page": "search"}], "on_failure": "next page"},
    "page": [
        LOGIN,
        {"name": "search", "request": [{"get": "/search?q=oak", "expect": {"contains": "<h1>Search</h1>"}}]},
    ],
}
STARTS = {
    "session": {"steps": [{"page": "start"}], "on_failure": "next page"},
    "page": [{"name": "start", "request": [{"get": "/"}]}],
}
Begin = Callable[..., Load]


def begun(load: Begin, shop: Shop, scenario: dict[str, Any]) -> Load:
    """The users, at work."""
    loading = load("web", shop.target, USERS, think_time_s=THINK_TIME_S, scenario=scenario)
    loading.wait_for(works)
    return loading


def freeze(loading: Load, shop: Shop) -> int:
    """Stops the application for an interval or more, so that requests wait for it; which process that is."""
    frozen = shop.send("app", signal.SIGSTOP)
    since_s = loading.snapshots[-1]["end_s"]
    loading.wait_for(lambda snapshot: snapshot and snapshot["end_s"] >= since_s + 1)
    return frozen


def test_an_application_that_is_killed_and_frozen(load: Begin, shop: Shop) -> None:
    loading = begun(load, shop, SEARCHES)
    # Killed while requests wait for it: one that is busy with none may be back before anybody asks.
    killed = freeze(loading, shop)
    assert shop.send("app", signal.SIGKILL) == killed
    loading.wait_for(lambda snapshot: works(snapshot) and shop.pid("app") != killed)
    frozen = freeze(loading, shop)
    assert shop.send("app", signal.SIGCONT) == frozen
    for _ in range(2):
        loading.wait_for(works)
    loading.finish()
    requests, answers = loading.asked()
    statuses = shop.statuses()
    # The web tier was there all the time: what it has counted is what users have counted.
    assert requests == answers == statuses.total()
    refused = sum(count for status, count in statuses.items() if status >= 500)
    assert loading.failures.total() == refused == loading.counted("status_5xx")
    assert set(loading.failures) == {"search: status 502"}
    for status, count in OF_LOGIN.items():
        statuses[status] -= count * USERS
    assert loading.transactions() == statuses[200]
    assert statuses[302] == 0


def test_a_web_server_that_is_killed(load: Begin, shop: Shop) -> None:
    loading = begun(load, shop, STARTS)
    killed = shop.send("web", signal.SIGKILL)
    loading.wait_for(lambda snapshot: works(snapshot) and shop.pid("web") != killed)
    for _ in range(2):
        loading.wait_for(works)
    loading.finish()
    requests, answers = loading.asked()
    # A request has an answer, is sent again on a new connection, or is why its page has failed.
    in_vain = {
        reason: count
        for reason, count in loading.failures.items()
        if ": status " not in reason and ": connect: " not in reason
    }
    assert requests == answers + loading.counted("stale_connections") + sum(in_vain.values())
    assert loading.transactions() <= answers
    # What the new one has counted is a part of it.
    assert 0 < shop.statuses().total() <= answers
