"""Threads of a client beside its server, with the real agent and nginx."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from igen.ask.asked import Asked
from igen.cli.side_by_side import plan_of, sides_of, with_sides
from igen.errors import InputError
from igen.facts import LOAD_THREADS
from igen.fleet.agent import Agent
from igen.study.study import Study
from igen.workbench.threaded import may_be_here, threaded, threads_of
from tests import web
from tests.own_ports import own_ports
from tests.run_flags import run_study
from tests.web import Web

SHORT = "--duration 300ms --repeats 1"


@pytest.fixture(scope="module")
def target() -> Iterator[str]:
    web.need()
    with tempfile.TemporaryDirectory(prefix="igen-web-", dir="/var/tmp") as folder:
        server = Web(Path(folder), own_ports())
        server.start()
        try:
            yield server.target
        finally:
            server.stop()


def study(line: str) -> Study:
    return run_study(line.split())


def chosen(made: Study) -> tuple[Study, list[str]]:
    said: list[str] = []
    return threaded(made, say=said.append, hear=lambda _event: None), said


@pytest.mark.parametrize("line", ["--users 1,4", "--find-peak", "--users 4 --agents 1"])
def test_a_server_on_this_machine_leaves_the_client_its_share(target: str, line: str) -> None:
    found, said = chosen(study(f"http --target {target} {line}"))
    task = found.job["placement"]["task"]
    processors = len(os.sched_getaffinity(0))
    assert 1 <= task["threads"] <= processors
    assert task.get("pin") is (None if task["threads"] == processors else False)
    assert len(said) == 1
    assert threads_of(found.job) == {LOAD_THREADS: task["threads"]}
    again, said = chosen(found)
    assert again is found
    assert not said


def test_both_sides_have_the_same_number(target: str) -> None:
    name, sides = sides_of(["http"], "path=/", "path=/index.html", {})
    made = with_sides(plan_of(name, Asked(targets=[target], users=[4])), sides, 3, None)
    found, _ = chosen(made)
    assert "threads" in found.job["placement"]["task"]
    assert not any("placement" in side.job for side in found.systems)


@pytest.mark.parametrize(
    "line",
    [
        "--users 4 --threads 2",
        "--users 4 --pin",
        "--users 1",
        "--users 4 --think-time 1s",
        "--rate 50",
        "--users 4 --agents 2",
    ],
)
def test_no_pilot_where_nothing_is_to_be_chosen(target: str, line: str) -> None:
    made = study(f"http --target {target} {line} {SHORT}")
    assert chosen(made) == (made, [])


@pytest.mark.parametrize(
    "line",
    [
        "cpu",
        "noop",
        "model",
        "mem",
        "io --target file://{}/data",
        "command --set run=ls",
        "oltp --target sqlite:///{}/shop.db",
        "http --target http://192.0.2.1/",
    ],
)
def test_nothing_is_executed_without_a_server_on_this_machine(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        pytest.fail("an agent was started")

    monkeypatch.setattr(Agent, "check", refuse)
    monkeypatch.setattr("igen.workbench.threaded.run_pilot", refuse)
    made = study(f"{line.format(tmp_path)} --users 4 {SHORT}")
    assert chosen(made) == (made, [])


def test_a_server_that_does_not_answer_is_left_to_the_study() -> None:
    made = study(f"http --target http://127.0.0.1:1/ --users 4 {SHORT}")
    assert chosen(made) == (made, [])


@pytest.mark.parametrize("line", ["cpu", "oltp --target sqlite:///{}/a.db", "command --set run=ls"])
def test_users_that_block_share_no_thread(line: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        chosen(study(f"{line.format(tmp_path)} --users 4 --threads 2 {SHORT}"))
    assert caught.value.where == "placement.task.threads"


@pytest.mark.parametrize(
    ("target", "here"),
    [
        ("http://127.0.0.1:8080/", True),
        ("http://localhost", True),
        ("ldap://127.0.0.2:389/dc=example", True),
        ("postgresql://a@10.255.255.254/shop", False),
        ("http://192.0.2.1:80", False),
        ("mysql:///shop?socket=/run/m.sock", True),
        ("postgresql:///shop?host=/run/postgresql", True),
        ("ldapi://%2Frun%2Fslapd%2Fldapi/dc=lab", True),
        ("http://127.0.0.1:port", False),
        ("", False),
    ],
)
def test_where_a_target_is(target: str, here: bool) -> None:
    assert may_be_here(target) == here


def test_a_job_without_a_number_has_no_fact() -> None:
    jobs: list[dict[str, Any]] = [
        {},
        {"placement": None},
        {"placement": {"thread": {}}},
        {"placement": {"task": {}}},
    ]
    assert [threads_of(job) for job in jobs] == [{}] * len(jobs)
