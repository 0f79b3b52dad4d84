"""Runs the agent with a job and reads what the benches need from its events."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.process import AGENT, Execution, execute
from bench.steady import Client, Window

MOST_FAILED = 0.01
MOST_THREADS = 2


@dataclass(frozen=True, slots=True)
class AgentRun:
    """One job, executed."""

    execution: Execution
    events: list[dict[str, Any]]

    @property
    def transactions(self) -> int:
        """All that ended, in whatever phase: the process paid for all of them."""
        return sum(event["snapshot"]["transactions"]["count"] for event in self.events if "snapshot" in event)

    @property
    def cpu_ns_per_transaction(self) -> float:
        """User and system time of the whole process, start-up included, by transaction."""
        return self.execution.cpu_s * 1e9 / self.transactions

    @property
    def throughput_per_s(self) -> float:
        """Transactions a second in MEASURE."""
        measured = [
            event["snapshot"]
            for event in self.events
            if "snapshot" in event and event["snapshot"]["phase"] == "measure"
        ]
        time_s = sum(snapshot["end_s"] - snapshot["start_s"] for snapshot in measured)
        return float(sum(snapshot["transactions"]["count"] for snapshot in measured) / time_s)

    def fact(self, name: str) -> Any:
        """Value of a fact. Raises RuntimeError when the agent did not say it."""
        for event in self.events:
            if "fact" in event and event["fact"]["name"] == name:
                return event["fact"]["value"]
        raise RuntimeError(f"the agent did not say the fact {name}")


def job(workload: str, users: int, measure_s: float, **fields: Any) -> dict[str, Any]:
    """A closed job without monitors, canary or warm-up: nothing but the engine and its statistics."""
    load = {"closed": {"users": users}}
    phases = {"warmup_s": 0, "measure_s": measure_s, "drain_s": 1}
    return {"workload": workload, "load": load, "phases": phases, "monitors": [], **fields}


def preparation(workload: str, target: str, params: dict[str, Any]) -> dict[str, Any]:
    """A job that only creates and loads what `workload` needs at `target`."""
    fields = {"params": params, "targets": [target], "steps": ["prepare"]}
    return job(workload, 1, 1.0, **fields)


def measurement(
    workload: str,
    target: str,
    users: int,
    window: Window,
    params: dict[str, Any],
    threads: int | None = None,
) -> dict[str, Any]:
    """A job as users run it: all statistics and monitors are on; users on `threads` threads."""
    return {
        "workload": workload,
        "params": params,
        "targets": [target],
        "load": {"closed": {"users": users}},
        "phases": {"warmup_s": window.warmup_s, "measure_s": window.run_s - window.warmup_s},
        "steps": ["measure"],
        **({"placement": {"task": {"threads": threads}}} if threads else {}),
    }


def client(described: dict[str, Any]) -> Client:
    """The agent with such a job."""
    return Client([str(AGENT), "run"], rate_per_s, json.dumps(described))


def by_threads(
    workload: str, target: str, users: int, window: Window, params: dict[str, Any]
) -> dict[str, dict[str, Any]]:
    """Such jobs on one thread, and on more, by name: the cheapest counts."""
    return {
        f"iGen, {threads} thread{'s' if threads > 1 else ''}": measurement(
            workload, target, users, window, params, threads
        )
        for threads in range(1, min(users, MOST_THREADS) + 1)
    }


def rate_per_s(line: str) -> float | None:
    """Successful transactions a second, if `line` is a snapshot under load. Raises RuntimeError when more
    than one of a hundred failed: those that do (two users delete the same order) cost time, too."""
    if not line.startswith('{"snapshot"'):
        return None
    snapshot = json.loads(line)["snapshot"]
    if snapshot["phase"] not in {"warmup", "measure"}:
        return None
    transactions = snapshot["transactions"]
    if transactions["failed"] > MOST_FAILED * transactions["count"]:
        raise RuntimeError(f"{transactions['failed']} transactions failed: {snapshot['failures']}")
    return float(transactions["count"] / (snapshot["end_s"] - snapshot["start_s"]))


def run(described: dict[str, Any]) -> AgentRun:
    """Executes a job."""
    execution = execute([str(AGENT), "run"], json.dumps(described))
    return AgentRun(execution, [json.loads(line) for line in execution.output.splitlines()])


def export(described: dict[str, Any], file: Path) -> None:
    """Writes what `prepare` would load, in the form that the server's own bulk loader reads."""
    with file.open("wb") as out:
        command = [str(AGENT), "export", "--target-index", "0"]
        stdin = json.dumps(described).encode()
        done = subprocess.run(command, check=False, input=stdin, stdout=out, stderr=subprocess.PIPE)
    if done.returncode != 0:
        raise RuntimeError(f"igen-agent export: {done.stderr.decode().strip()[-2000:]}")


def peak_memory_bytes(described: dict[str, Any]) -> int:
    """Most memory that the agent had resident up to the end of MEASURE.

    Read from the living process, which waits at the end of an extendable job: `ru_maxrss` of a child
    would include what this program had resident when it forked. Raises RuntimeError when the users did not
    work: such as those who have no connection need less memory.
    """
    described["phases"]["extendable"] = True
    process = subprocess.Popen(
        [str(AGENT), "run"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    )
    with process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(described) + "\n")
        process.stdin.flush()
        peak_bytes = 0
        lines = []
        for line in process.stdout:
            lines.append(line)
            if line.startswith('{"measured"'):
                peak_bytes = _high_water_mark_bytes(process.pid)
                process.stdin.close()
    if process.returncode != 0 or peak_bytes == 0:
        raise RuntimeError(f"the agent ended with exit code {process.returncode} and did not measure")
    if sum(rate_per_s(line) or 0.0 for line in lines) == 0:
        raise RuntimeError("the agent reported no transactions")
    return peak_bytes


def _high_water_mark_bytes(pid: int) -> int:
    for line in Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    raise RuntimeError(f"/proc/{pid}/status has no VmHWM")
