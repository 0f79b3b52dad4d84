"""What the judge does with the intervals of many agents: simulated ones, so that nothing else takes time."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass
from typing import Any

import msgspec

from igen.fleet.coordinator import Coordinator
from igen.fleet.member import Tell
from igen.fleet.share import shared
from igen.fleet.transport import Heard, Place
from igen.protocol import PROTOCOL
from igen.version import VERSION
from tests.judge.synthetic import encoded, histogram

VALUES = 1_000
OPERATIONS = 5
JOB: dict[str, Any] = {
    "workload": "simulated",
    "load": {"closed": {"users": 2_000}},
    "phases": {"warmup_s": 0.0, "measure_s": 1e6, "drain_s": 1.0, "interval_s": 1.0},
    "steps": ["measure"],
    "canary_s": 0.0,
}


@dataclass(frozen=True, slots=True)
class Taken:
    """What an interval of all agents has taken."""

    cpu_s: float
    wall_s: float


class Judge:
    """A coordinator whose agents have begun, and the lines that they write."""

    def __init__(self, agents: int) -> None:
        self._random = random.Random(1)
        self._encoder = msgspec.json.Encoder()
        places = [Place(host=f"h{n}", machine=f"h{n}", process_id=n) for n in range(agents)]
        self._coordinator = Coordinator(
            dict(enumerate(shared(JOB, places, 5.0))),
            dict(enumerate(places)),
            whole=JOB,
            on_loss="fail",
            now_s=0.0,
            unix_s=0.0,
            origin_unix_s=0.0,
        )
        self._lines = [0] * agents
        self._coordinator.start()
        hello = {"protocol": PROTOCOL, "version": VERSION, "host": "h", "started_unix_s": 0.0, "job": {}}
        for agent in range(agents):
            lines = [self._line(agent, {"hello": hello}), self._line(agent, {"ready": {"at_s": 0.0}})]
            self._coordinator.take(Heard(agent, lines), 0.1)
        self._loads = [self._load() for _ in range(agents)]
        self._number = 0
        self.snapshot_bytes = 0

    def _line(self, agent: int, event: dict[str, Any]) -> bytes:
        line = self._encoder.encode({**event, "seq": self._lines[agent]})
        self._lines[agent] += 1
        return line

    def _statistics(self) -> dict[str, Any]:
        names = ("service_time", "response_time")
        return {"count": VALUES, "failed": 0, **{name: self._times() for name in names}}

    def _times(self) -> dict[str, Any]:
        return encoded(histogram([int(self._random.lognormvariate(13, 0.6)) for _ in range(VALUES)]))

    def _load(self) -> dict[str, Any]:
        operations = {f"operation {number}": self._statistics() for number in range(OPERATIONS)}
        return {"transactions": self._statistics(), "operations": operations, "counters": {"rows": 5}}

    def interval(self) -> Taken:
        """The next interval of all agents, whose lines have just arrived."""
        start_s = float(self._number)
        common = {"phase": "measure", "start_s": start_s, "end_s": start_s + 1, "users": 10}
        self._random.shuffle(self._loads)
        heard = [
            Heard(agent, [self._line(agent, {"snapshot": common | load})])
            for agent, load in enumerate(self._loads)
        ]
        self.snapshot_bytes = len(heard[0].lines[0])
        self._number += 1
        now_s = start_s + 1.6
        cpu_s, wall_s = time.process_time(), time.monotonic()
        effects = [effect for each in heard for effect in self._coordinator.take(each, now_s)]
        effects += self._coordinator.tick(now_s)
        told = [self._encoder.encode(effect.event) for effect in effects if isinstance(effect, Tell)]
        taken = Taken(time.process_time() - cpu_s, time.monotonic() - wall_s)
        if not any(line.startswith(b'{"snapshot"') for line in told):
            raise RuntimeError("the interval was not told")
        return taken
