"""Agents and a network on a simulated clock: each transaction of each user is known beforehand."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, count, takewhile
from random import Random
from typing import Any

import msgspec

from igen.fleet.coordinator import Coordinator
from igen.fleet.local import Command
from igen.fleet.member import Effect, Kill, Say, Tell
from igen.fleet.plan import OnLoss
from igen.fleet.share import shared
from igen.fleet.transport import Gone, Heard, Message, Place
from igen.hdr import encoded
from igen.judge.record.histogram import Histogram
from igen.protocol import PROTOCOL
from igen.version import VERSION

STEP_S = 0.05
UNIX_S = 1_000_000.0
"""The calendar where the simulated clock is 0."""
JOB: dict[str, Any] = {
    "workload": "simulated",
    "load": {"closed": {"users": 7}},
    "phases": {
        "ramp_s": 0.0,
        "warmup_s": 2.0,
        "measure_s": 6.0,
        "drain_s": 1.0,
        "interval_s": 1.0,
        "extendable": False,
    },
    "steps": ["measure"],
    "canary_s": 0.0,
}
Event = dict[str, Any]


def values_ns(user: int, interval: int) -> list[int]:
    """The times of a user's transactions in an interval, whichever agent drives it."""
    return [
        1_000 + 7_919 * ((31 * user + 17 * interval + 13 * each) % 97)
        for each in range((user + interval) % 5)
    ]


def statistics(users: list[int], interval: int) -> Event:
    values = [value for user in users for value in values_ns(user, interval)]
    times = Histogram.of(values) if values else Histogram()
    hdr = {"sum_ns": times.sum_ns, "hdr": encoded((times.buckets, times.counts))}
    return {"count": len(values), "failed": 0, "service_time": hdr}


@dataclass
class Agent:
    """Does its share of a job at the times of the job's timetable."""

    ready_after_s: float = 0.1
    sign_s: float = 10.0
    """It says something so often until it begins."""
    clock_offset_s: float = 0.0
    lines: list[bytes] = field(default_factory=list)
    heard: list[Any] = field(default_factory=list)
    dead: bool = False
    stopped: bool = False
    hangs_after: Callable[[Event], bool] = lambda _: False
    """Whether it falls silent when it has said this, and hears nothing any more."""
    hung: bool = False
    results: dict[str, Any] = field(default_factory=dict)
    """Facts about its work, told when the load is over."""
    used_s: float = 0.0
    """Processor time a second of another program on its machine; 0: nobody looks."""
    _work: Iterator[tuple[float, Event]] | None = None
    _next: tuple[float, Event] | None = None
    _number: int = 0
    """Number of the next interval."""

    def say(self, event: Event) -> None:
        self.lines.append(msgspec.json.encode({**event, "seq": len(self.lines)}))

    def hear(self, what: Any, now_s: float) -> None:
        if self.dead or self.hung:
            return
        self.heard.append(what)
        match what:
            case {"phases": _}:
                self.job = what
                self._work = self._prepare(now_s)
                hello = {"protocol": PROTOCOL, "version": VERSION, "host": "h", "pid": 1, "clock": "tsc"}
                self.say({"hello": hello | {"started_unix_s": UNIX_S + self.clock_offset_s, "job": what}})
            case {"begin": begin}:
                at_s = now_s if begin == "now" else begin["at_unix_s"] - UNIX_S - self.clock_offset_s
                self._work, self._next = self._load(at_s), None
            case "finish":
                self._work = self._drain(now_s)
            case {"extend": {"measure_s": length_s}}:
                self._work = chain(self._intervals("measure", now_s, length_s), self._after(now_s + length_s))
            case "stop":
                self.stopped = True

    def _prepare(self, now_s: float) -> Iterator[tuple[float, Event]]:
        sign = {"phase": "ramp", "text": "under way", "done": 0, "total": 0, "unit": "s"}
        signs = ((now_s + number * self.sign_s, {"progress": sign}) for number in count(1))
        ready_s = now_s + self.ready_after_s
        yield from takewhile(lambda each: each[0] < ready_s, signs)
        yield ready_s, {"ready": {"at_s": now_s}}
        yield from signs

    def _load(self, begin_s: float) -> Iterator[tuple[float, Event]]:
        at_s = begin_s
        for phase in ("warmup", "measure"):
            length_s = self.job["phases"][f"{phase}_s"]
            yield at_s, {"phase": {"phase": phase, "at_s": at_s}}
            yield from self._intervals(phase, at_s, length_s)
            at_s += length_s
        yield from self._after(at_s)

    def _intervals(self, phase: str, at_s: float, length_s: float) -> Iterator[tuple[float, Event]]:
        for second in range(round(length_s)):
            yield at_s + second + 1, self._snapshot(phase, at_s + second, at_s + second + 1)
            if self.used_s:
                counters = {"user_s": self.used_s * self._number}
                about = {"monitor": "processes", "subject": "7 rustc", "host": "h", "counters": counters}
                yield at_s + second + 1, {"reading": about | {"at_s": at_s + second + 1}}

    def _after(self, at_s: float) -> Iterator[tuple[float, Event]]:
        """What follows the measurement: the drain, or the wait for an answer."""
        if self.job["phases"]["extendable"]:
            yield at_s, {"measured": {"at_s": at_s}}
        else:
            yield from self._drain(at_s)

    def _drain(self, at_s: float) -> Iterator[tuple[float, Event]]:
        yield at_s, {"phase": {"phase": "drain", "at_s": at_s}}
        yield at_s, self._snapshot("drain", at_s, at_s)
        for name, value in self.results.items():
            yield at_s, {"fact": {"name": name, "value": value}}
        yield at_s, {"end": {"outcome": "complete", "at_s": at_s, "unfinished_users": 0}}

    def _snapshot(self, phase: str, start_s: float, end_s: float) -> Event:
        share, number = self.job["share"], self._number
        self._number += 1
        users = list(range(share["index"], self.job["load"]["closed"]["users"], share["of"]))
        each = {"phase": phase, "start_s": start_s, "end_s": end_s, "users": len(users), "think_time_ns": 0}
        return {
            "snapshot": {**each, "transactions": statistics(users, number), "counters": {"n": len(users)}}
        }

    def advance(self, now_s: float) -> None:
        while not self.dead and not self.hung and self._work is not None:
            if self.stopped:
                self.say({"end": {"outcome": "interrupted", "at_s": now_s}})
                self.dead = True
                return
            self._next = self._next or next(self._work, None)
            if self._next is None or self._next[0] > now_s:
                return
            _, event = self._next
            self._next = None
            self.say(event)
            self.dead = "end" in event
            self.hung = self.hangs_after(event)


@dataclass
class Network:
    """Carries lines late, twice and out of order, as `random` has it; nothing of agents that are cut off."""

    random: Random
    late_s: float = 0.0
    cut_off: set[int] = field(default_factory=set)
    polls: bool = False
    _due: list[tuple[float, int, Message]] = field(default_factory=list)
    _number: Iterator[int] = field(default_factory=count)
    _sent: dict[int, int] = field(default_factory=dict)

    def carry(self, agent: int, lines: list[bytes], now_s: float) -> None:
        if agent in self.cut_off:
            return
        sent = self._sent.get(agent, 0)
        again = max(sent - self.random.randrange(4), 0) if self.late_s else sent
        if len(lines) > sent or self.polls:
            self._send(Heard(agent, lines[again:]), now_s + self.random.uniform(0, self.late_s))
            self._sent[agent] = len(lines)
            if self.late_s and self.random.random() < 0.3:
                self._send(Heard(agent, lines[again:]), now_s + self.random.uniform(0, self.late_s))

    def _send(self, message: Message, at_s: float) -> None:
        heapq.heappush(self._due, (at_s, next(self._number), message))

    def gone(self, message: Gone, now_s: float) -> None:
        """After everything that was sent before."""
        self._send(message, now_s + self.late_s)

    def arrived(self, now_s: float) -> Iterator[Message]:
        while self._due and self._due[0][0] <= now_s:
            yield heapq.heappop(self._due)[2]


@dataclass
class Ran:
    """What came of a job."""

    told: list[Event]
    at_s: list[float]
    agents: list[Agent]
    coordinator: Coordinator

    def of_kind(self, kind: str) -> list[Any]:
        return [event[kind] for event in self.told if kind in event]

    def fact(self, name: str) -> Any:
        return {fact["name"]: fact["value"] for fact in self.of_kind("fact")}.get(name)

    def told_at_s(self, matches: Callable[[Event], bool]) -> float:
        return next(at_s for event, at_s in zip(self.told, self.at_s, strict=True) if matches(event))


def ran(
    agents: list[Agent],
    *,
    network: Network | None = None,
    on_loss: OnLoss = "fail",
    job: dict[str, Any] = JOB,
    happens: Callable[[float, list[Agent], Network], None] = lambda *_: None,
    away: tuple[float, float] = (0.0, 0.0),
    clocks_known: bool = True,
    answers: Sequence[Command] = (),
    machines: Sequence[tuple[str, str]] = (),
) -> Ran:
    """Runs `job` on these agents until it is over.

    `machines` are the name and the identity of each agent's machine; others than that have one each.
    `answers` are those to `measured`. `happens` is called at each step; in the time `away` nobody asks the
    coordinator for anything.
    """
    network = network or Network(Random(0))
    places = [
        Place(
            host=machines[number][0] if machines else f"h{number}",
            machine=machines[number][1] if machines else f"h{number}",
            process_id=number,
            clock_offset_s=each.clock_offset_s if clocks_known else None,
        )
        for number, each in enumerate(agents)
    ]
    coordinator = Coordinator(
        dict(enumerate(shared(job, places, 5.0))),
        dict(enumerate(places)),
        whole=job,
        on_loss=on_loss,
        now_s=0.0,
        unix_s=UNIX_S,
        origin_unix_s=UNIX_S,
        polls=network.polls,
    )
    found = Ran([], [], agents, coordinator)
    gone: set[int] = set()
    to_answer = list(answers)

    def perform(effects: list[Effect], now_s: float) -> None:
        for effect in effects:
            match effect:
                case Say(agent, what) if agent not in network.cut_off:
                    agents[agent].hear(what, now_s)
                case Kill(agent) if agent not in network.cut_off:
                    agents[agent].dead = True
                case Tell(event):
                    found.told.append(event)
                    found.at_s.append(now_s)
                    if "measured" in event:
                        perform(coordinator.answer(to_answer.pop(0), now_s), now_s)

    perform(coordinator.start(), 0.0)
    for step in range(1, 10_000):
        now_s = step * STEP_S
        happens(now_s, agents, network)
        for number, agent in enumerate(agents):
            agent.advance(now_s)
            network.carry(number, agent.lines, now_s)
            if agent.dead and number not in gone and number not in network.cut_off:
                gone.add(number)
                ended = b'"complete"' in agent.lines[-1]
                network.gone(Gone(number, 0 if ended else None, None if ended else 9), now_s)
        if away[0] <= now_s < away[1]:
            continue
        for message in network.arrived(now_s):
            perform(coordinator.take(message, now_s), now_s)
        perform(coordinator.tick(now_s), now_s)
        if coordinator.over:
            perform(coordinator.close(), now_s)
            return found
    raise AssertionError("the job did not end")
