"""Stands in for ssh and for the agent there: plays readings of a machine with a known truth.

Started as `remote.py SCRIPT`: that is JSON with `busy` (processors that the tier uses), `seconds` (as many
readings), `go` (they come with the first question after this file is there), `warnings` (as many different
ones come with them), `then` (what it does after them) and `timeless` (it talks on and never says what time
it is).
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

START_S = time.monotonic()
PROCESSORS = 4


def now_s() -> float:
    """Its clock, which is not the one of whoever reads."""
    return time.monotonic() - START_S


def say(line: object) -> None:
    """A line."""
    print(json.dumps(line), flush=True)


def reading(
    monitor: str, at_s: float, counters: dict[str, float], subject: str = "", **gauges: float
) -> None:
    """A reading of a monitor."""
    say(
        {
            "reading": {
                "host": "what it calls itself",
                "monitor": monitor,
                "subject": subject,
                "at_s": at_s,
                "counters": counters,
                "gauges": gauges,
            }
        }
    )


def play(script: dict[str, Any], begin_s: float) -> None:
    """Its readings, once a second, all at once."""
    busy = script["busy"]
    for second in range(int(script["seconds"])):
        at_s = begin_s + second
        whole = {
            "user_s": (busy + 0.25) * second,
            "idle_s": (PROCESSORS - busy - 0.25) * second,
            "softirq_s": 0.0,
        }
        reading("cpu", at_s, whole)
        for number in range(PROCESSORS):
            part = {name: value / PROCESSORS for name, value in whole.items()}
            reading("cpu", at_s, part, f"cpu{number}")
        reading("process", at_s, {"user_s": 0.05 * second, "system_s": 0.0}, "agent")
        used = {"user_s": busy * second, "system_s": 0.0}
        reading("tier", at_s, used, "db", capacity_processors=4.0, processes=9.0, memory_bytes=2e9)
    for number in range(int(script.get("warnings", 0))):
        say({"warning": {"path": "monitors", "text": f"the fan {number} is loud"}})


def main() -> None:
    """Answers until its standard input ends."""
    script = json.loads(sys.argv[1])
    say(
        {
            "begin": {
                "version": "0",
                "pid": 1,
                "host": "x",
                "started_unix_s": time.time() + 100,
                "interval_s": 1.0,
            }
        }
    )
    for name in ("tier.db.source", "tier.web.source", "fleet.hosts"):
        say({"fact": {"name": name, "value": "processes postgres"}})
    while script.get("timeless"):
        say({"fact": {"name": "tier.db.source", "value": "processes postgres"}})
        time.sleep(0.02)
    go, played = Path(script["go"]), False
    for line in sys.stdin:
        say({"clock": {"id": json.loads(line)["clock"], "at_s": now_s()}})
        if not played and go.exists():
            played = True
            play(script, now_s())
            if script.get("then") == "die":
                print("the machine goes down", file=sys.stderr)
                sys.exit(1)
            if script.get("then") == "babble":
                print("\x1b[2J what", flush=True)
            if script.get("then") == "boast":
                reading("cpu", now_s(), {"user_s": 1e308})
    say({"end": {"wall_s": now_s(), "processor_s": 0.1}})


if __name__ == "__main__":
    main()
