from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from igen.agent_program import AGENT_VARIABLE, find_agent
from igen.errors import IgenError, InputError
from igen.fleet import agent as agent_module
from igen.fleet.agent import Agent
from igen.fleet.interrupts import Interrupts
from igen.fleet.local import run_job


def program(path: Path, script: str = "") -> Path:
    path.write_text(f"#!/bin/sh\ncat >/dev/null\n{script}\n")
    path.chmod(0o755)
    return path


def test_the_agent_is_the_named_one_else_the_one_beside_else_the_one_in_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("named", "beside", "path"):
        (tmp_path / folder).mkdir()
        program(tmp_path / folder / "igen-agent")
    monkeypatch.setenv(AGENT_VARIABLE, str(tmp_path / "named/igen-agent"))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "beside/python"))
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    assert find_agent().parent.name == "named"
    monkeypatch.delenv(AGENT_VARIABLE)
    assert find_agent().parent.name == "beside"
    (tmp_path / "beside/igen-agent").unlink()
    assert find_agent().parent.name == "path"
    (tmp_path / "path/igen-agent").unlink()
    with pytest.raises(IgenError) as caught:
        find_agent()
    assert "make setup" in caught.value.hint


def test_an_agent_that_is_named_but_not_there_is_not_replaced_by_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(AGENT_VARIABLE, str(tmp_path / "none"))
    with pytest.raises(IgenError, match="none"):
        find_agent()


def test_a_checked_job_has_what_the_agent_filled_in(tmp_path: Path) -> None:
    agent = Agent(program(tmp_path / "agent", """echo '{"workload": "cpu", "seed": 42}'"""))
    assert agent.check({"workload": "cpu"}) == {"workload": "cpu", "seed": 42}


@pytest.mark.parametrize(("code", "kind"), [(2, InputError), (1, IgenError)])
def test_an_error_event_becomes_an_error_by_exit_code(
    tmp_path: Path, code: int, kind: type[IgenError]
) -> None:
    event = '{"error": {"path": "load.closed.users", "text": "too many", "hint": "fewer"}}'
    agent = Agent(program(tmp_path / "agent", f"echo '{event}'; exit {code}"))
    with pytest.raises(kind) as caught:
        agent.check({})
    error = caught.value
    assert (error.where, error.text, error.hint) == ("load.closed.users", "too many", "fewer")
    assert error.exit_code == code


@pytest.mark.parametrize("script", ["echo no JSON", "exit 3", "echo dying >&2; kill -9 $$"])
def test_an_agent_that_answers_nonsense_is_an_error(tmp_path: Path, script: str) -> None:
    with pytest.raises(IgenError, match="the agent ended"):
        Agent(program(tmp_path / "agent", script)).check({})


@pytest.mark.parametrize("answer", ["no JSON", '{"protocol": 99}', '["cpu"]', "\\377"])
def test_a_program_that_lists_nothing_is_no_agent(tmp_path: Path, answer: str) -> None:
    path = program(tmp_path / "agent", f"printf '{answer}'")
    with pytest.raises(IgenError, match="is not an igen-agent, or has another version") as caught:
        Agent(path).list("workloads")
    assert "IGEN_AGENT" in caught.value.hint


def test_a_file_that_is_no_program_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "agent"
    path.write_text("neither script nor binary")
    path.chmod(0o755)
    with pytest.raises(IgenError, match="cannot run"):
        Agent(path).list("workloads")


@pytest.mark.parametrize("way", ["check", "list", "export", "run"])
def test_the_agent_gets_the_passwords_that_it_reads_and_no_other_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    monkeypatch.setenv("PGPASSWORD", "for the target")
    monkeypatch.setenv("LDAP_PASSWORD_FILE", "/for/the/target")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "for others")
    monkeypatch.setenv("PGHOSTADDR", "127.0.0.2")
    told = tmp_path / "environment"
    path = program(tmp_path / "agent", f'env > {told}; echo \'{{"workload": "cpu"}}\'')
    path.write_text(path.read_text().replace("cat >/dev/null", "read -r job"))
    agent = Agent(path)
    job = {"phases": {"drain_s": 0.0, "interval_s": 0.01}, "canary_s": 0.0}
    match way:
        case "check":
            agent.check(job)
        case "list":
            with pytest.raises(IgenError, match="not an igen-agent"):
                agent.list("workloads")
        case "export":
            list(agent.export(job, 0))
        case "run":
            with Interrupts() as interrupts, pytest.raises(IgenError, match="greeting"):
                run_job(agent.path, job, Deaf(), interrupts)
    names = {line.partition("=")[0] for line in told.read_text().splitlines()}
    assert {"PATH", "PGPASSWORD", "LDAP_PASSWORD_FILE"} <= names
    assert not names & {"AWS_SECRET_ACCESS_KEY", "PGHOSTADDR"}


class Deaf:
    """Does nothing with what an agent says."""

    def line(self, line: bytes) -> None: ...

    def event(self, event: dict[str, Any]) -> None: ...


ANSWERS = 'while read -r job; do echo \'{"workload": "cpu"}\'; done'


def asked(agent: Agent, way: str) -> None:
    """Ask in one of the ways that there are."""
    job = {"workload": "cpu", "title": "x" * 200_000}  # more than a pipe holds
    match way:
        case "check":
            agent.check(job)
        case "check many":
            with agent.checking_many():
                for _ in range(2):
                    agent.check(job)
        case "list":
            agent.list("workloads")
        case "facts":
            agent.facts()
        case "export":
            list(agent.export(job, 0))


@pytest.mark.parametrize("way", ["check", "check many", "list", "facts", "export"])
@pytest.mark.parametrize("hangs", ["exec sleep 300", "read -r job; exec sleep 300"])
def test_an_agent_that_does_not_answer_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str, hangs: str
) -> None:
    monkeypatch.setattr(agent_module, "LONGEST_ANSWER_S", 0.2)
    path = program(tmp_path / "agent")
    path.write_text(f"#!/bin/sh\n{hangs}\n")
    with pytest.raises(IgenError) as caught:
        asked(Agent(path), way)
    assert not isinstance(caught.value, InputError)


@pytest.mark.parametrize("way", ["check many", "export"])
def test_an_agent_that_fills_its_standard_error_still_answers(tmp_path: Path, way: str) -> None:
    path = program(tmp_path / "agent")
    much = "head -c 300000 /dev/zero >&2"
    path.write_text(f"#!/bin/sh\n{much}\n{ANSWERS}\n{much}\n")
    asked(Agent(path), way)


def test_an_export_that_fails_has_the_error_of_the_agent(tmp_path: Path) -> None:
    said = '{"error": {"path": "targets", "text": "none", "hint": "one"}}'
    path = program(tmp_path / "agent", f"echo '{said}' >&2; exit 2")
    with pytest.raises(InputError) as caught:
        list(Agent(path).export({}, 0))
    assert caught.value.where == "targets"
