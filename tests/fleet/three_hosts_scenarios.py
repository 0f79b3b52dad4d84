"""What happens to three hosts, and what must hold then.

`python -m tests.fleet.three_hosts_scenarios NAME FOLDER [ray]`, in namespaces of its own, fails where it does
not hold; with `ray` such a cluster carries the agents. Each request has a number of its own, so that the
server's book shows one that came twice.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from igen.store.job_file import read_job_file
from tests.fleet.three_hosts import DESK, LOAD_A, LOAD_B, PATIENCE_S, PORT, Hosts, load, wait_until
from tests.said import parts_in

USERS, AGENTS = 10, 2
LEASE_S = 2.0
INTERVAL_S = 0.2
LATE_S = 3.0
"""So much later than the lease says load may end on a machine that is very busy."""
STUDY = f"""
plan = {{ mode = "sweep", repeats = 1 }}

[fleet]
agents = {AGENTS}
on_loss = "continue"
lease = "{LEASE_S:g}s"
FLEET

[job]
workload = "web"
targets = ["http://{load(DESK)}:{PORT}"]
monitors = []
canary_s = 0
phases = {{ warmup_s = "0.4s", measure_s = "MEASURE", interval_s = "{INTERVAL_S:g}s", drain_s = "5s", \
extendable = false }}
load.closed = {{ users = {USERS}, think_time_s = "50ms" }}
params.scenario.session.steps = [{{ page = "home" }}]

[[job.params.scenario.page]]
name = "home"
request = [{{ get = "/home?user={{user.id}}&number={{random.uuid}}" }}]
"""


def begin(hosts: Hosts, measure_s: float) -> subprocess.Popen[str]:
    """Starts the study and waits until it measures."""
    study = hosts.folder / "study.toml"
    study.write_text(STUDY.replace("MEASURE", f"{measure_s:g}s").replace("FLEET", hosts.fleet))
    process = hosts.igen("study", "run", "study.toml", "--quiet", "--json")
    wait_until(lambda: process.poll() is not None or len(told(hosts, "snapshot")) > 5)
    return process


def told(hosts: Hosts, kind: str) -> list[Any]:
    """What the run has recorded of its load so far."""
    return [
        event[kind]
        for path in sorted(hosts.store.glob("*/jobs/*.jsonl"))
        for event in read_job_file(path).events
        if kind in event
    ]


def fact(hosts: Hosts, name: str) -> Any:
    """The last that was told of it."""
    return {each["name"]: each["value"] for each in told(hosts, "fact")}.get(name)


def result(process: subprocess.Popen[str]) -> dict[str, Any]:
    """The document of a run that has ended."""
    out, err = process.communicate(timeout=PATIENCE_S)
    assert out, err
    document: dict[str, Any] = json.loads(out)
    return document


def reconcile(hosts: Hosts, *, lost: str | None = None, since: int = 0) -> None:
    """Holds what was recorded against the server's book: nothing twice, and nothing lost that was told.

    The first requests, up to number `since`, were those of a level that was cut off.

    Of a host that was lost everything counts that it did before the end of the last interval that it told:
    there each of its users may have had a request under way.
    """
    book = hosts.requests()[since:]
    assert len({path for _, _, path in book}) == len(book), "nothing came twice"
    snapshots = told(hosts, "snapshot")
    counted = sum(each["transactions"]["count"] + each["transactions"]["failed"] for each in snapshots)
    if lost is None:
        assert counted == len(book)
        return
    whole = [each["end_s"] for each in snapshots if each["users"] == USERS]
    end_s = told(hosts, "hello")[0]["started_unix_s"] + whole[-1]
    after = sum(at_s > end_s for at_s, host, _ in book if host == lost)
    assert abs(counted - (len(book) - after)) <= USERS, (counted, len(book), after)


def check_level(document: dict[str, Any], *, lost: str = "") -> None:
    """Checks the verdict on the only level: valid, or INVALID by a share that was lost for that reason."""
    (level,) = document["systems"][0]["levels"]
    assert (level["trust"]["verdict"] == "INVALID") == bool(lost), level["findings"]
    losses = [part["text"] for part in parts_in(level, "share-lost")]
    assert any(lost in text for text in losses) == bool(lost), level["findings"]


def normal(hosts: Hosts) -> None:
    """Both hosts load, and all is counted."""
    process = begin(hosts, 2.0)
    document = result(process)
    assert process.returncode == 0
    check_level(document)
    assert {host for _, host, _ in hosts.requests()} == {LOAD_A, LOAD_B}
    assert fact(hosts, "fleet.lost") is None
    reconcile(hosts)


def agent_killed(hosts: Hosts) -> None:
    """One agent dies; the other goes on to the end."""
    process = begin(hosts, 3.0)
    hosts.kill_agent(LOAD_B)
    check_level(result(process), lost="killed by signal 9")
    reconcile(hosts, lost=LOAD_B)


def carrier_killed(hosts: Hosts) -> None:
    """What carries an agent dies, as a cluster's daemon may: the agent stops by itself."""
    process = begin(hosts, hosts.noticed_s + 4.0)
    hosts.kill_carrier(LOAD_B)
    killed_s = time.time()
    check_level(result(process), lost="was lost")
    end_s = killed_s + hosts.noticed_s + LATE_S
    assert all(at_s <= end_s for at_s, host, _ in hosts.requests() if host == LOAD_B)
    reconcile(hosts, lost=LOAD_B)


def cut_off_and_healed(hosts: Hosts) -> None:
    """One host is cut off from igen, and loads on until its lease ends; then it is back."""
    process = begin(hosts, LEASE_S + LATE_S + 4.0)
    hosts.cut_off(LOAD_B)
    cut_s = time.time()
    wait_until(lambda: fact(hosts, "fleet.lost"))
    wait_until(lambda: time.time() > cut_s + LEASE_S + LATE_S)
    hosts.heal(LOAD_B)
    check_level(result(process), lost="it wrote no interval for")
    of_b = [at_s for at_s, host, _ in hosts.requests() if host == LOAD_B]
    assert cut_s < max(of_b) <= cut_s + LEASE_S + LATE_S, "it goes on, until its lease ends"
    reconcile(hosts, lost=LOAD_B)


def igen_killed(hosts: Hosts) -> None:
    """Nobody is left who renews a lease; the run goes on later, by the same machines."""
    process = begin(hosts, 4.0)
    process.kill()
    process.wait()
    end_s = time.time() + LEASE_S + LATE_S
    wait_until(lambda: time.time() > end_s)
    first = len(hosts.requests())
    assert max(at_s for at_s, _, _ in hosts.requests()) <= end_s
    assert 0 < sum(each["transactions"]["count"] for each in told(hosts, "snapshot")) <= first
    (run,) = json.loads(result_of(hosts, "list", "runs", "--json"))
    assert run["state"] == "cut off"
    check_level(result(hosts.igen("run", "web", "--resume", "last", "--quiet", "--json")))
    reconcile(hosts, since=first)


def result_of(hosts: Hosts, *arguments: str) -> str:
    """What igen prints."""
    out, err = hosts.igen(*arguments).communicate(timeout=PATIENCE_S)
    assert out, err
    return out


SCENARIOS = (normal, agent_killed, carrier_killed, cut_off_and_healed, igen_killed)

if __name__ == "__main__":
    make: type[Hosts] = Hosts
    if sys.argv[3:] == ["ray"]:
        from tests.fleet.ray_hosts import RayHosts as make
    {each.__name__: each for each in SCENARIOS}[sys.argv[1]](make(Path(sys.argv[2])))
