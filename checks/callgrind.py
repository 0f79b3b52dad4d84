"""Count the instructions of a job of the agent by function, with callgrind.

A count does not depend on how fast or how busy the machine is. These things would make it depend on that:
- The start of a run, connecting and the last snapshot: `per_transaction` takes the difference of a long and a
  short run.
- Periodic work on threads that do not drive users: the calibration of the clock, which spins for a time, the
  beats of the watch for standstills, the output. Only threads that drive users count.
- The clock. A transaction reads the time stamp counter or asks the system. Under valgrind it is chance
  which of them the agent trusts: only runs with the same clock are compared.
"""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DRIVES = "igen_engine::drive::"
"""In the names of functions of a thread that drives users, and of no other thread."""
LIMIT_S = 120.0
HASH = re.compile(r"::h[0-9a-f]{16}$")
RECURSION = re.compile(r"'\d+$")


@dataclass(frozen=True, slots=True)
class Run:
    """An execution of a job."""

    clock: str
    """Clock that the agent used: `tsc` or `system`."""
    transactions: int
    functions: Mapping[str, int]
    """Instructions by function, without the functions that it calls."""


def per_transaction(short: Run, long: Run) -> dict[str, float]:
    """Return the instructions of a transaction by function.

    Raises ValueError if the runs cannot be compared.
    """
    more = long.transactions - short.transactions
    if more <= 0 or short.clock != long.clock:
        raise ValueError(f"{short.transactions} and {long.transactions} transactions cannot be compared")
    names = short.functions.keys() | long.functions.keys()
    return {name: (long.functions.get(name, 0) - short.functions.get(name, 0)) / more for name in names}


def costs(callgrind: Iterable[str]) -> Counter[str]:
    """Return the instructions of each function in a callgrind file with names in full and no addresses."""
    counts: Counter[str] = Counter()
    function, inclusive = "", False
    for line in callgrind:
        if line.startswith("fn="):
            function = RECURSION.sub("", HASH.sub("", line.removeprefix("fn=").strip()))
        elif line.startswith("calls="):
            inclusive = True  # The next line has the costs of the called function, which are counted there.
        elif line[:1].isdigit():
            if not inclusive:
                counts[function] += int(line.split()[1])
            inclusive = False
    return counts


def of_users(threads: Iterable[Counter[str]]) -> Counter[str]:
    """Return the sum of the costs of threads that drive users. Raises RuntimeError if no thread does."""
    total: Counter[str] = Counter()
    for functions in threads:
        if any(DRIVES in name for name in functions):
            total.update(functions)
    if not total:
        raise RuntimeError(f"no thread has a function of {DRIVES}")
    return total


def run(agent: Path, job: Mapping[str, Any]) -> Run:
    """Execute a job under callgrind. Raises RuntimeError if it fails or if a transaction fails."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "costs"
        options = ["--dump-line=no", "--compress-strings=no", "--compress-pos=no", "--separate-threads=yes"]
        command = [
            "valgrind",
            "--tool=callgrind",
            "--fair-sched=yes",
            *options,
            f"--callgrind-out-file={out}",
        ]
        done = subprocess.run(
            [*command, str(agent), "run"],
            input=json.dumps(job),
            check=False,
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
        )
        if done.returncode != 0:
            raise RuntimeError(f"{agent.name}: {(done.stderr + done.stdout)[-2000:]}")
        threads = [costs(file.read_text(encoding="utf-8").splitlines()) for file in Path(folder).iterdir()]
    functions = of_users(threads)
    events = [json.loads(line) for line in done.stdout.splitlines()]
    transactions = [event["snapshot"]["transactions"] for event in events if "snapshot" in event]
    if any(each["failed"] for each in transactions):
        raise RuntimeError("a transaction failed")
    return Run(events[0]["hello"]["clock"], sum(each["count"] for each in transactions), functions)
