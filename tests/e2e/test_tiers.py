"""Tiers of real processes: the shop's, a control group's, and one that is killed and started again."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from command_line import PATIENCE_S, UNWATCHED, Done, aspect, events, measured, wait_for

from igen.agent_program import find_agent
from igen.instances import control
from igen.instances.shop import tiers
from igen.store.job_file import read_job_file
from tests.own_ports import own_ports

WORK_MS = 5.0
GROUPS = Path("/sys/fs/cgroup")
BURN = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done"
"""Some processor time of a shell."""


@pytest.fixture
def directory(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where private instances are; all that is left is removed."""
    folder = tmp_path_factory.mktemp("instances")
    monkeypatch.setenv("IGEN_INSTANCES", str(folder))
    yield folder
    for instance in control.selected(folder, None):
        control.remove(instance)


def test_the_application_is_found_to_use_its_work_for_each_page(
    igen: Callable[[str], Done], directory: Path
) -> None:
    """Processor time, not the clock: the figure is the same however busy the machine is."""
    own = f"--port-from {own_ports()} --quiet"
    assert igen(f"instances up shop --set work=5ms cache=off {own}").code == 0
    (instance,) = control.selected(directory, "shop")
    target = control.target(instance)
    times = "--duration 2s --warmup 0.5s --repeats 3"
    done = igen(f"run http --target {target} --users 4 --pace 10/s {times} --json")
    assert done.code == 0, done.err
    (system,) = done.document["systems"]
    (level,) = system["levels"]
    found = aspect(level, "tiers")
    web, app, data = found["tiers"]
    assert [web["name"], app["name"], data["name"]] == ["web", "app", "data"]
    cost = app["cpu_ms_per_transaction"]
    # Its interval meets the truth: the work, and beside it at most a millisecond for a request and a page.
    # Processor time is counted in ticks of 10 ms, here 0.3 ms a page.
    assert cost["high"] > WORK_MS - 0.3
    assert cost["low"] < WORK_MS + 1.0 + 0.3
    assert WORK_MS - 0.3 < cost["value"] < WORK_MS + 1.5
    assert web["cpu_ms_per_transaction"]["value"] < WORK_MS / 2
    assert data["cpu_ms_per_transaction"]["value"] < WORK_MS / 2
    assert found["memory_bytes"] == pytest.approx(sum(tier["memory_bytes"] for tier in found["tiers"]))
    assert app["source"].startswith("process")
    assert system["facts"]["tier.app.process_ids"]


# 14 s: tests/study/test_scale.py has the targets of each level.
@pytest.mark.slow
def test_each_level_of_a_scaling_study_watches_the_shops_that_it_loads(
    igen: Callable[[str], Done], directory: Path, store: Path
) -> None:
    ports = own_ports(2)
    assert igen(f"instances up shop --count 2 --port-from {ports} --quiet").code == 0
    shops = control.selected(directory, "shop")
    file = store.parent / "scaling.toml"
    file.write_text(
        f"""
        plan = {{ mode = "scaling", share = 0.5, repeats = 1 }}
        [job]
        workload = "http"
        targets = ["http://127.0.0.1:{{{ports}..{ports + 1}}}"]
        {UNWATCHED.replace("[]", '["process", "tier"]')}
        load = {{ paced = {{ rate_per_user_per_s = 10 }} }}
        [job.phases]
        warmup_s = "0.1s"
        measure_s = "0.5s"
        [axes]
        "load.paced.users" = [1, 2]
        """
    )
    assert igen(f"study check {file}").code == 0
    done = igen(f"study run {file} --json")
    jobs = sorted(path.stem for path in store.glob("*/jobs/*.jsonl"))
    scaled = 0
    for number in jobs:
        (start,) = events(store, "job_start", number)
        loaded = shops[: len(start["job"]["targets"])]
        expected = {f"{shop.name} {tier}" for shop in loaded for tier in ("web", "app", "data")}
        assert {tier["name"] for tier in start["job"]["tiers"]} == expected
        assert start["job"]["pids"] == [shop.pid for shop in loaded]
        readings = events(store, "reading", number)
        assert {each["subject"] for each in readings if each["monitor"] == "tier"} == expected
        scaled += start["purpose"] == "scale"
    if not scaled:
        # A machine so busy that 20 requests a second are not met says so and keeps what it has.
        assert "no peak of one instance was confirmed" in done.err
        return
    vertical, horizontal = done.document["systems"]
    told = [len(aspect(level, "tiers")["tiers"]) for level in horizontal["levels"]]
    assert told == [3, 6]
    assert {len(aspect(level, "tiers")["tiers"]) for level in vertical["levels"]} == {3}


RESUMED = f"""
plan = {{{{ mode = "sweep", repeats = 1 }}}}

[job]
workload = "http"
targets = ["{{target}}"]
{UNWATCHED.replace("[]", '["process", "tier"]')}
load.closed = {{{{ users = 2, think_time_s = "20ms" }}}}
phases = {{{{ warmup_s = "0s", measure_s = "0.3s", interval_s = "0.1s", extendable = false }}}}

[[tests]]
name = "by its target"

[[tests]]
name = "by its name"
job.tiers = [{{{{ name = "front", match = {{{{ instance = "shop-1/web" }}}} }}}}]
job.phases.measure_s = "1h"
"""


# 6 s: test_a_tier_that_is_killed_and_started_again_goes_on is without a shop.
@pytest.mark.slow
def test_a_run_whose_shop_was_started_again_goes_on_with_its_new_processes(
    igen: Callable[[str], Done], start: Callable[..., subprocess.Popen[str]], directory: Path, store: Path
) -> None:
    def up() -> tuple[str, dict[str, list[int]]]:
        assert igen(f"instances up shop --port-from {port} --quiet").code == 0
        (instance,) = control.selected(directory, "shop")
        return control.target(instance), tiers(instance)

    port = own_ports()
    target, before = up()
    file = store.parent / "s.toml"
    file.write_text(RESUMED.format(target=target))
    process = start(f"study run {file} --quiet")
    wait_for(lambda: len(measured(store, "0002")) > 2, process)
    process.kill()
    process.wait()
    assert igen("instances down shop --quiet").code == 0
    refused = igen("run http --resume last --quiet")
    assert (refused.code, "is not running" in refused.err) == (2, True), refused.err
    _, now = up()
    assert not set(before["web"]) & set(now["web"])

    resumed = start("run http --resume last --quiet")
    wait_for(lambda: len(measured(store, "0003")) > 2, resumed)
    resumed.send_signal(signal.SIGINT)
    resumed.communicate(timeout=PATIENCE_S)
    watched = [{each["name"]: each["match"]["pids"] for each in _tiers_of(store, job)} for job in NUMBERS]
    # What came to its end is not measured again, though its processes are gone.
    assert watched == [before, {"front": before["web"]}, {"front": now["web"]}]


NUMBERS = ("0001", "0002", "0003")


def _tiers_of(store: Path, number: str) -> list[dict[str, Any]]:
    (path,) = store.glob(f"*/jobs/{number}.jsonl*")
    (start,) = [event["job_start"] for event in read_job_file(path).events if "job_start" in event]
    found: list[dict[str, Any]] = start["job"]["tiers"]
    return found


def job(tier: dict[str, Any]) -> str:
    """One that goes on until it is stopped."""
    return json.dumps(
        {
            "workload": "noop",
            "load": {"paced": {"users": 1, "rate_per_user_per_s": 10.0}},
            "phases": {"warmup_s": 0.0, "measure_s": 3600.0, "interval_s": 0.05},
            "monitors": ["tier"],
            "tiers": [tier],
            "attended": True,
        }
    )


class Watched:
    """An agent that reads a tier again and again."""

    def __init__(self, tier: dict[str, Any], events: Path) -> None:
        self._events = events
        with events.open("wb") as output:
            self.agent = subprocess.Popen(
                [str(find_agent()), "run"], stdin=subprocess.PIPE, stdout=output, text=True
            )
        assert self.agent.stdin
        self.agent.stdin.write(f"{job(tier)}\n")
        self.agent.stdin.flush()

    def readings(self) -> list[dict[str, Any]]:
        """All of the tier so far."""
        whole = self._events.read_text().rpartition("\n")[0]
        events = [json.loads(line) for line in whole.splitlines()]
        return [each["reading"] for each in events if "reading" in each]

    def wait(self, what: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The last reading, once that is true of it."""

        def found() -> dict[str, Any] | None:
            told = self.readings()
            return told[-1] if told and what(told[-1]) else None

        reading: dict[str, Any] = wait_for(found, self.agent)
        return reading

    def end(self) -> None:
        """Ends it, as its attendant goes away."""
        assert self.agent.stdin
        self.agent.stdin.close()
        self.agent.wait(timeout=PATIENCE_S)


def burner(program: str, *words: str) -> subprocess.Popen[str]:
    """A shell that works once and waits for the end of its input."""
    return subprocess.Popen(
        [program, "-c", f"{BURN}; read line", *words],
        stdin=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def used_s(reading: dict[str, Any]) -> float:
    return float(reading["counters"]["user_s"] + reading["counters"]["system_s"])


def test_a_tier_that_is_killed_and_started_again_goes_on(tmp_path: Path) -> None:
    program = tmp_path / "igen-t1er"
    program.symlink_to("/bin/sh")
    watched = Watched({"name": "app", "match": {"process": program.name}}, tmp_path / "events")
    first = burner(str(program))
    try:
        before = watched.wait(lambda each: each["gauges"]["processes"] == 1 and used_s(each) > 0.05)
        first.kill()
        first.wait()
        gone = watched.wait(lambda each: each["gauges"]["processes"] == 0)
        assert used_s(gone) >= used_s(before)
        second = burner(str(program))
        try:
            again = watched.wait(
                lambda each: each["gauges"]["processes"] == 1 and used_s(each) > used_s(gone) + 0.05
            )
            assert again["gauges"]["memory_bytes"] > 0
        finally:
            second.kill()
            second.wait()
    finally:
        first.kill()
        first.wait()
        watched.end()
    totals = [used_s(each) for each in watched.readings()]
    assert totals == sorted(totals), "it never goes back"


@pytest.fixture
def group() -> Iterator[tuple[str, Path]]:
    """A control group of the test's own: its path, and the folder into which processes are put."""
    mounts = [GROUPS, GROUPS / "cpuacct", GROUPS / "unified"]
    folder = None
    for mount in mounts:
        one = mount / f"igen-test-{os.getpid()}"
        try:
            one.mkdir()
        except OSError:
            continue
        if (one / "cgroup.procs").exists():
            folder = one
            break
        one.rmdir()
    if folder is None:
        pytest.skip("control groups cannot be made here")
    yield f"/{folder.name}", folder
    wait_for(lambda: not (folder / "cgroup.procs").read_text().split())
    folder.rmdir()


def test_a_control_group_is_read_with_what_has_ended(group: tuple[str, Path], tmp_path: Path) -> None:
    path, folder = group
    watched = Watched({"name": "web", "match": {"cgroup": path}}, tmp_path / "events")
    try:
        enter = f"echo $$ > {folder}/cgroup.procs; ({BURN}); {BURN}; read line"
        server = subprocess.Popen(["sh", "-c", enter], stdin=subprocess.PIPE)
        try:
            reading = watched.wait(lambda each: each["gauges"]["processes"] >= 1 and used_s(each) > 0.1)
            assert reading["gauges"]["memory_bytes"] > 4096
            assert reading["gauges"]["capacity_processors"] >= 1
        finally:
            server.kill()
            server.wait()
        gone = watched.wait(lambda each: each["gauges"]["processes"] == 0)
        assert used_s(gone) >= used_s(reading)
    finally:
        watched.end()


def test_bad_tiers_are_refused_in_check(igen: Callable[[str], Done], tmp_path: Path) -> None:
    file = tmp_path / "s.toml"
    text = '[job]\nworkload = "noop"\nload.closed.users = 1\n[[tiers]]\nname = "web"\n'
    for match, said in [
        ('{ cgroup = "/no/such.service" }', "the control group /no/such.service does not exist"),
        ("{ pids = [4294967295] }", "process 4294967295 does not exist"),
        ('{ process = "a", pids = [1] }', "tiers[0].match"),
        ('{ instance = "shop-77/web" }', "there is no instance `shop-77`"),
        ('{ container = "no-such-container" }', "cannot find the container `no-such-container`"),
        (f"{{ pids = [{os.getpid()}] }}\nprocessors = 0", "0 processors is out of range"),
        ('{ pids = [1] }\nhost = "db1"', "tiers[0].host: `db1` is not the address of a machine"),
        ('{ pids = [1] }\nhost = "http://db1:9100/metrics"', "a node_exporter reports the whole machine"),
        ('{ instance = "shop-77/web" }\nhost = "ssh://db1"', "private instances run on this machine"),
    ]:
        file.write_text(f"{text}match = {match}\n")
        done = igen(f"study check {file}")
        assert done.code == 2, (match, done)
        assert said in done.err, (match, done.err)
