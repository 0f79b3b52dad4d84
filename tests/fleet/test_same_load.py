"""Three agents send what one sends, and what they measured is added up without loss: the real program.

Each user is answered a fixed number of times and then no more, so that what is sent does not depend on how
fast anything is. How long an answer takes does, and is no second time the same: of histograms it is shown
that those told are the sum of those that the agents wrote, bucket by bucket, by another reader of the format.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from typing import Any

import msgspec
import pytest
from hdrh.histogram import HdrHistogram

from igen.fleet.local import Command
from igen.fleet.processes import Processes
from igen.fleet.transport import Heard, Message
from tests.fleet.counting_server import CountingServer
from tests.fleet.test_processes import run
from tests.own_ports import own_ports

USERS, ANSWERS = 12, 9
SCENARIO = """
[session]
steps = [{ choose = [
  { weight = 60, steps = [{ page = "search" }] },
  { weight = 40, steps = [{ page = "edit" }] },
] }]

[[page]]
name = "search"
[[page.request]]
get = "/search?user={user.id}&key={random.1-100000}"

[[page]]
name = "edit"
[[page.request]]
post = "/edit?user={user.id}&key={random.1-100000}"
"""
_TIMES = ("service_time", "response_time")


class Listener:
    """Lets the load go on until each user waits for an answer that does not come."""

    def __init__(self, servers: list[CountingServer]) -> None:
        self._servers = servers
        self.snapshots: list[dict[str, Any]] = []
        self.end: dict[str, Any] = {}

    def line(self, line: bytes) -> None:
        pass

    def event(self, event: dict[str, Any]) -> Command | None:
        if "snapshot" in event:
            self.snapshots.append(event["snapshot"])
        self.end = event.get("end", self.end)
        if "measured" not in event:
            return None
        asked = [len(paths) for server in self._servers for paths in server.asked.values()]
        return "finish" if asked == [ANSWERS + 1] * USERS else {"extend": {"measure_s": 0.5}}


def totals(snapshots: list[dict[str, Any]]) -> dict[str, Any]:
    """Counts of all intervals: of transactions, by operation, by target, and counters."""
    found: Counter[tuple[str, ...]] = Counter()
    for snapshot in snapshots:
        statistics = {("transactions",): snapshot["transactions"]}
        statistics |= {("operations", name): each for name, each in snapshot.get("operations", {}).items()}
        statistics |= {("targets", str(place)): each for place, each in enumerate(snapshot["targets"])}
        for name, each in statistics.items():
            for count in ("count", "failed"):
                found[(*name, count)] += each[count]
        found.update({("counters", name): count for name, count in snapshot["counters"].items()})
    return dict(found)


def buckets(snapshots: list[dict[str, Any]]) -> Counter[tuple[str, int]]:
    """How many times of each length all histograms of transactions hold, as another reader reads them."""
    found: Counter[tuple[str, int]] = Counter()
    for snapshot in snapshots:
        for name in _TIMES:
            statistics = snapshot["transactions"]
            times = statistics.get(name) or statistics.get("service_time")
            if not times or not times["hdr"]:
                continue
            histogram = HdrHistogram.decode(times["hdr"].encode())
            for item in histogram.get_recorded_iterator():
                found[name, item.value_iterated_to] += item.count_at_value_iterated_to
    return found


def load(agents: int, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, Any, list[dict[str, Any]], Listener]:
    """What the servers were asked, what was told, and what each agent wrote."""
    written: list[dict[str, Any]] = []
    wait = Processes.wait

    def recorded(self: Processes, timeout_s: float) -> list[Message]:
        messages = wait(self, timeout_s)
        lines = [line for each in messages if isinstance(each, Heard) for line in each.lines]
        events = [msgspec.json.decode(line) for line in lines]
        written.extend(event["snapshot"] for event in events if "snapshot" in event)
        return messages

    monkeypatch.setattr(Processes, "wait", recorded)
    port = own_ports(2)
    with CountingServer(port, ANSWERS) as one, CountingServer(port + 1, ANSWERS) as other:
        listener = Listener([one, other])
        exit = run(
            agents,
            listener,  # type: ignore[arg-type]
            workload="web",
            targets=[f"http://127.0.0.1:{port}", f"http://127.0.0.1:{port + 1}"],
            params={"scenario": tomllib.loads(SCENARIO)},
            load={"closed": {"users": USERS}},
            phases={"measure_s": 0.5, "warmup_s": 0.0, "drain_s": 0.2, "interval_s": 0.1, "extendable": True},
        )
        assert exit.ok, exit
        return (one.asked, other.asked), totals(listener.snapshots), written, listener


def test_three_agents_send_and_count_what_one_does(monkeypatch: pytest.MonkeyPatch) -> None:
    asked_one, told_one, _, end_one = load(1, monkeypatch)
    asked, told, written, listener = load(3, monkeypatch)
    assert asked == asked_one, "each user asks for the same, in the same order, of the same server"
    assert [len(of_server) for of_server in asked] == [USERS // 2] * 2
    assert told == told_one
    assert told["transactions", "count"] == USERS * ANSWERS
    assert listener.end["unfinished_users"] == end_one.end["unfinished_users"] == USERS
    # Each of them drove its third.
    assert {snapshot["users"] for snapshot in written} == {USERS // 3}
    assert totals(written) == told
    assert buckets(written) == buckets(listener.snapshots)
    assert (
        sum(count for (name, _), count in buckets(written).items() if name == "service_time")
        == USERS * ANSWERS
    )
