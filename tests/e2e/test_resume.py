"""Going on with a run whose igen was killed: without its server nothing is lost, with it all is counted."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from command_line import UNWATCHED, Done, events, has_ended, measured, state, wait_for

from tests.fleet.counting_server import CountingServer
from tests.own_ports import own_ports
from tests.said import rules_in

STUDY = f"""
plan = {{{{ mode = "sweep", repeats = 1 }}}}

[fleet]
agents = 2

[job]
workload = "web"
targets = ["http://127.0.0.1:{{port}}"]
{UNWATCHED}
load.closed = {{{{ users = 4, think_time_s = "20ms" }}}}
phases = {{{{ warmup_s = "0s", measure_s = "0.3s", interval_s = "0.1s", extendable = false }}}}
params.scenario.session.steps = [{{{{ page = "home" }}}}]

[[job.params.scenario.page]]
name = "home"
request = [{{{{ get = "/home?user={{{{user.id}}}}&number={{{{random.uuid}}}}" }}}}]

[[tests]]
name = "short"

[[tests]]
name = "long"
job.phases.measure_s = "3s"
"""


def counted(store: Path, job: str) -> int:
    """Transactions that a job has told, failed ones too."""
    done = [each["transactions"] for each in events(store, "snapshot", job)]
    return sum(each["count"] + each["failed"] for each in done)


# 10 s: tests/study/test_going_on.py goes on with runs of one agent, tests/fleet with those of several.
@pytest.mark.slow
def test_a_run_of_two_agents_goes_on_with_the_level_that_was_cut_off(
    igen: Callable[[str], Done],
    start: Callable[..., subprocess.Popen[str]],
    store: Path,
    tmp_path: Path,
) -> None:
    port = own_ports()
    (tmp_path / "s.toml").write_text(STUDY.format(port=port))
    with CountingServer(port, answers=1 << 30) as server:
        process = start("study run s.toml --quiet")
        wait_for(lambda: len(measured(store, "0002")) > 2, process)
        process.kill()
        process.wait()
        facts = {each["name"]: each["value"] for each in events(store, "fact", "0002")}
        agents = [events(store, "hello", "0002")[0]["pid"], *facts["fleet.process_ids"]]
        assert len(agents) == 2
        assert wait_for(lambda: all(map(has_ended, agents))), "nobody loads on"
        assert wait_for(lambda: server.connections == 0), "all that they have sent is counted"
        asked = _asked(server)
        server.asked.clear()
        kept, cut_off = counted(store, "0001"), counted(store, "0002")
        assert kept > 0
        assert kept + cut_off <= len(asked), "nothing is counted that was not sent"
        assert state(igen) == "cut off"

    refused = igen("run web --resume last --quiet")
    assert refused.code != 0
    assert state(igen) == "failed"
    assert (counted(store, "0001"), counted(store, "0002")) == (kept, cut_off), "all of it still counts"
    (shown,) = [level for level in _levels(igen("show last --json")) if level["test"] == "short"]
    # The last interval does not count where it was cut short, and what ended after it never does.
    each = [interval["transactions"]["count"] for interval in measured(store, "0001")]
    assert 0 < shown["transactions"] <= kept
    assert shown["transactions"] in {sum(each), sum(each[:-1])}

    with CountingServer(port, answers=1 << 30) as server:
        done = igen("run web --resume last --json --quiet")

        assert done.code == 0, done.err
        again = _asked(server)
    # Its users draw what they drew before it was cut off: the level is the same.
    assert len(set(again)) == len(again), "nothing came twice"
    assert set(asked[-cut_off:]) & set(again)
    assert counted(store, "0001") == kept, "it came to its end, and is not measured again"
    assert counted(store, "0004") == len(again)
    assert [level["test"] for level in _levels(done)] == ["short", "long"]
    assert [level["users"] for level in _levels(done)] == [4, 4]
    assert all(not level["errors"] for level in _levels(done))
    (folder,) = store.glob("*/jobs")
    assert sorted(each.name for each in folder.glob("*.jsonl*")) == [
        *("0001.jsonl", "0002.jsonl.cut-off", "0003.jsonl.cut-off", "0004.jsonl"),
    ]
    assert state(igen) == "complete"
    rules = [rule for system in done.document["systems"] for rule in rules_in(system)]
    assert "run-resumed" in rules
    assert "is complete" in igen("run web --resume last").err


def _asked(server: CountingServer) -> list[str]:
    return [path for paths in server.asked.values() for path in paths]


def _levels(done: Done) -> list[dict[str, Any]]:
    return [
        {"test": system["test"], **level} for system in done.document["systems"] for level in system["levels"]
    ]
