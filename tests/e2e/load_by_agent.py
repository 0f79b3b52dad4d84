"""An agent that loads a web server until a test has seen enough."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from collections.abc import Callable
from typing import Any

from command_line import PATIENCE_S

from igen.failure import failures_of
from igen.fleet.agent import find_agent

STEP_S = 1.0


def run_job(job: dict[str, Any]) -> list[dict[str, Any]]:
    """Run a whole job in an agent of the test's own; return its events."""
    done = subprocess.run(
        [find_agent(), "run"], input=json.dumps(job), capture_output=True, text=True, timeout=PATIENCE_S
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


class Load:
    """An agent of the test's own, whose load goes on until the test has seen enough."""

    def __init__(
        self, workload: str, target: str, users: int, *, think_time_s: Any = 0, **params: Any
    ) -> None:
        self._workload = workload
        job = {
            "workload": workload,
            "targets": [target],
            "params": params,
            "load": {"closed": {"users": users, "think_time_s": think_time_s}},
            "phases": {
                "warmup_s": 0,
                "measure_s": STEP_S,
                "interval_s": STEP_S / 5,
                "extendable": True,
                "drain_s": 60,
            },
            "monitors": [],
        }
        pipe = subprocess.PIPE
        self._agent = subprocess.Popen([find_agent(), "run"], stdin=pipe, stdout=pipe, text=True, bufsize=1)
        self.events: list[dict[str, Any]] = []
        self._say(job)

    def wait_for(self, what: Callable[[dict[str, Any]], Any]) -> None:
        """Reads on until an interval is so."""
        assert self._agent.stdout is not None
        while line := self._agent.stdout.readline():
            self.events.append(json.loads(line))
            if "measured" in self.events[-1]:
                self._say({"extend": {"measure_s": STEP_S}})
            if what(self.events[-1].get("snapshot", {})):
                return
        raise AssertionError(self.events)

    def finish(self) -> None:
        """Ends the load, and waits for all answers that are under way."""
        # Nobody says anything more: so much is enough.
        output, _ = self._agent.communicate(timeout=PATIENCE_S)
        self.events += [json.loads(line) for line in output.splitlines()]
        assert self._agent.returncode == 0, self.events

    def kill(self) -> None:
        """Ends it, whatever it does."""
        self._agent.kill()
        self._agent.communicate()

    @property
    def snapshots(self) -> list[dict[str, Any]]:
        """All intervals."""
        return [event["snapshot"] for event in self.events if "snapshot" in event]

    def counted(self, counter: str) -> int:
        """A counter of the whole load."""
        return sum(snapshot["counters"].get(counter, 0) for snapshot in self.snapshots)

    @property
    def failures(self) -> Counter[str]:
        """Failed transactions by reason."""
        found: Counter[str] = Counter()
        for snapshot in self.snapshots:
            found.update(
                {str(each): count for each, count in failures_of(snapshot.get("failures", ())).items()}
            )
        return found

    def transactions(self) -> int:
        """Those that succeeded."""
        return sum(snapshot["transactions"]["count"] for snapshot in self.snapshots)

    def asked(self) -> tuple[int, int]:
        """Requests and answers, by its own account."""
        name = f"{self._workload}.requests"
        (fact,) = [event["fact"] for event in self.events if event.get("fact", {}).get("name") == name]
        (target,) = fact["value"]
        return target["requests"], target["answers"]

    def _say(self, what: Any) -> None:
        assert self._agent.stdin is not None
        self._agent.stdin.write(json.dumps(what) + "\n")
        self._agent.stdin.flush()


def works(snapshot: dict[str, Any]) -> bool:
    """Whether transactions succeeded in this interval."""
    return bool(snapshot) and snapshot["transactions"]["count"] > 0
