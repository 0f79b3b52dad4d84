from __future__ import annotations

import os
import re
import signal
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from igen import __version__
from igen.errors import IgenError
from igen.fleet import local
from igen.fleet.agent import Agent
from igen.fleet.interrupts import Interrupts
from igen.fleet.local import Command, JobExit, run_job
from igen.protocol import PROTOCOL

HELLO = {"hello": {"protocol": PROTOCOL, "version": __version__}}
MEASURE = {"phase": {"phase": "measure", "at_s": 0.0}}
END = {"end": {"outcome": "complete"}}
FACT = {"fact": {"name": "host.name", "value": "here"}}


class Heard:
    """Keeps what an agent says; answers `measured`; interrupts when it hears `now`."""

    def __init__(self, answer: Command | None = None) -> None:
        self.lines: list[bytes] = []
        self.events: list[dict[str, Any]] = []
        self.answer = answer

    def line(self, line: bytes) -> None:
        self.lines.append(line)

    def event(self, event: dict[str, Any]) -> Command | None:
        self.events.append(event)
        for _ in range(event.get("now", 0)):
            os.kill(os.getpid(), signal.SIGINT)
        return self.answer if "measured" in event else None


def run(agent: Path, *faults: Any, heard: Heard | None = None) -> tuple[JobExit, Heard]:
    job = {"faults": faults, "phases": {"drain_s": 0.0, "interval_s": 0.01}, "canary_s": 0.0}
    heard = heard or Heard()
    with Interrupts() as interrupts:
        return run_job(agent, job, heard, interrupts), heard


def test_an_agent_is_heard_to_its_end(stand_in: Path) -> None:
    exit, heard = run(stand_in, HELLO, MEASURE, {"stderr": "a word"}, END, {"exit": 0})
    assert heard.events == [HELLO, MEASURE, END]
    assert [msgspec.json.decode(line) for line in heard.lines] == heard.events
    assert exit == JobExit(exit_code=0, stderr="a word")
    assert exit.ok


def test_a_question_is_answered(stand_in: Path) -> None:
    answer = {"extend": {"measure_s": 5.0}}
    exit, heard = run(stand_in, HELLO, {"measured": {"at_s": 1.0}}, "hear", END, heard=Heard(answer))
    assert heard.events[2] == {"heard": answer}
    assert exit.ok


def test_long_lines_and_lines_in_pieces_arrive_whole(stand_in: Path) -> None:
    long = {"fact": {"name": "n", "value": "x" * 3_000_000}}
    pieces = ({"raw": '{"fact": {"na'}, {"raw": 'me": "m"}}\n{"fact": {}}\n'})
    exit, heard = run(stand_in, HELLO, long, *pieces, END)
    assert [*heard.events[:1], *heard.events[2:]] == [HELLO, {"fact": {"name": "m"}}, {"fact": {}}, END]
    assert heard.events[1]["fact"]["value"].startswith("x" * 4_096 + "… (the first 4,096 of 3,000,000")
    assert exit.ok


def test_an_error_of_the_agent_is_the_error_of_the_job(stand_in: Path) -> None:
    error = {"path": "load.closed.users", "text": "too many", "hint": "fewer"}
    exit, _ = run(stand_in, {"error": error}, {"exit": 2})
    assert exit == JobExit(exit_code=2, error=error)
    assert not exit.ok


@pytest.mark.parametrize(
    ("faults", "code", "number", "text"),
    [
        ([HELLO, MEASURE, "killed"], None, signal.SIGKILL, "killed by SIGKILL"),
        ([], 0, None, "code 0 before its end"),
        ([HELLO, {"exit": 0}], 0, None, "code 0 before its end"),
        ([{"stderr": "first\nno such file\n"}, {"exit": 3}], 3, None, "code 3 .*: no such file"),
        ([HELLO, {"raw": '{"snapshot": {"ph'}, "killed"], None, signal.SIGKILL, "not an event"),
        ([HELLO, {"raw": "thread panicked\n"}, "hang"], None, signal.SIGKILL, "not an event.*panicked"),
        ([HELLO, {"raw": "[1]\n"}, "hang"], None, signal.SIGKILL, "not an event"),
    ],
)
def test_an_agent_that_fails_in_whatever_way_is_told_in_the_result(
    stand_in: Path, faults: list[Any], code: int | None, number: int | None, text: str
) -> None:
    exit, heard = run(stand_in, *faults)
    assert (exit.exit_code, exit.signal) == (code, number)
    assert exit.error is not None
    assert re.search(text, exit.error["text"]), exit.error
    if faults and faults[0] == HELLO:
        assert heard.events[0] == HELLO


def test_what_came_before_a_death_was_heard(stand_in: Path) -> None:
    _, heard = run(stand_in, HELLO, MEASURE, {"raw": '{"snap'}, "killed")
    assert heard.lines[-1] == b'{"snap'
    assert heard.events == [HELLO, MEASURE]


def test_an_agent_that_falls_silent_under_load_is_killed(
    stand_in: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local, "SILENCE_S", 0.05)
    exit, _ = run(stand_in, HELLO, MEASURE, "hang")
    assert exit.signal == signal.SIGKILL
    assert exit.error == {"text": "the agent stopped reporting under load"}


def long_job(*faults: Any) -> dict[str, Any]:
    """A job of many times what a pipe takes."""
    phases = {"drain_s": 0.0, "interval_s": 0.01}
    return {"faults": faults, "phases": phases, "canary_s": 0.0, "params": {"text": "x" * (1 << 20)}}


def test_an_agent_that_does_not_read_its_job_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local, "HUNG_S", 0.3)
    deaf = tmp_path / "deaf"
    deaf.write_text("#!/bin/sh\nexec sleep 5\n")
    deaf.chmod(0o755)
    with Interrupts() as interrupts:
        exit = run_job(deaf, long_job(), Heard(), interrupts)
    assert exit.signal == signal.SIGKILL


def test_a_long_job_arrives_whole_and_commands_after_it(stand_in: Path) -> None:
    heard = Heard("finish")
    with Interrupts() as interrupts:
        exit = run_job(stand_in, long_job(HELLO, {"measured": {}}, END, {"exit": 0}), heard, interrupts)
    assert exit.ok
    assert heard.events == [HELLO, {"measured": {}}, END]


AFTER = {"phase": {"phase": "cleanup", "at_s": 1.0}}


class LosesPatience(Heard):
    """Takes silence for a hang when it has heard so many events, which may take their time."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, after: int) -> None:
        super().__init__()
        self._monkeypatch, self._after = monkeypatch, after

    def event(self, event: dict[str, Any]) -> None:
        super().event(event)
        if len(self.events) == self._after:
            if "hello" in event and "pid" in event["hello"]:
                os.kill(event["hello"]["pid"], signal.SIGSTOP)
            self._monkeypatch.setattr(local, "HUNG_S", 0.3)


@pytest.mark.parametrize(
    ("faults", "where"),
    [
        ([HELLO], "before its load"),
        ([HELLO, {"phase": {"phase": "prepare", "at_s": 0.0}}], "in prepare"),
        ([HELLO, MEASURE, AFTER], "in cleanup"),
        ([HELLO, END], "when it had ended"),
    ],
)
def test_an_agent_that_hangs_beside_its_load_is_killed(
    stand_in: Path, monkeypatch: pytest.MonkeyPatch, faults: list[Any], where: str
) -> None:
    exit, _ = run(stand_in, *faults, "deaf", "hang", heard=LosesPatience(monkeypatch, len(faults)))
    assert exit.signal == signal.SIGKILL
    assert exit.error == {"text": f"the agent hung {where}: no output for 0.3 s"}


def test_an_agent_that_does_not_even_greet_is_killed(stand_in: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "HUNG_S", 0.3)
    exit, _ = run(stand_in, "hang")
    assert exit.error == {"text": "the agent hung before its load: no output for 0.3 s"}


def test_the_program_that_is_stopped_in_a_step_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = Agent()
    job = {
        "workload": "oltp",
        "targets": [f"sqlite:///{tmp_path}/shop.db"],
        "params": {"customers": 100_000},
        "load": {"closed": {"users": 1}},
        "steps": ["prepare"],
        "canary_s": 0.0,
    }
    with Interrupts() as interrupts:
        exit = run_job(agent.path, agent.check(job), LosesPatience(monkeypatch, 1), interrupts)
    assert exit.signal == signal.SIGKILL
    assert exit.error is not None
    assert re.fullmatch(
        "the agent hung (before its load|in prepare): no output for 0.3 s", exit.error["text"]
    )


def test_a_step_that_says_how_far_it_is_may_take_long(
    stand_in: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Slow(Heard):
        now_s = 0.0

        def event(self, event: dict[str, Any]) -> Command | None:
            self.now_s += 0.7 * local.HUNG_S
            return super().event(event)

    slow = Slow()
    monkeypatch.setattr(local, "time", SimpleNamespace(monotonic=lambda: slow.now_s))
    exit, _ = run(stand_in, HELLO, AFTER, *[{"progress": {}}] * 5, END, heard=slow)
    assert exit.ok, exit


def test_a_line_without_end_is_cut_off_and_what_came_before_it_is_kept(
    stand_in: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local, "LONGEST_LINE_BYTES", 1 << 20)
    exit, heard = run(stand_in, HELLO, MEASURE, FACT, {"without end": 1000}, "hang")
    assert exit.error == {"text": "the agent wrote a line of more than 1 MiB"}
    assert exit.signal == signal.SIGKILL
    assert heard.events[-1] == FACT
    assert sum(map(len, heard.lines)) < 1 << 16, "nothing of it"


def test_an_agent_that_closed_its_output_but_lives_on_is_killed(
    stand_in: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local, "GRACE_S", 0.05)
    exit, _ = run(stand_in, HELLO, END, "close", "hang")
    assert exit.signal == signal.SIGKILL
    assert exit.error is not None


def test_the_first_interrupt_asks_the_agent_to_stop(stand_in: Path) -> None:
    stopped = {"end": {"outcome": "interrupted"}}
    exit, heard = run(stand_in, HELLO, MEASURE, {"now": 1}, "until interrupted", stopped, {"exit": 130})
    assert exit == JobExit(exit_code=130, interrupted=True)
    assert heard.events[-1] == stopped


def test_the_second_interrupt_kills_without_waiting(stand_in: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "GRACE_S", 60.0)
    begin_s = time.monotonic()
    exit, _ = run(stand_in, "deaf", HELLO, {"now": 2}, "hang")
    assert time.monotonic() - begin_s < local.GRACE_S / 2
    assert (exit.interrupted, exit.signal, exit.error) == (True, signal.SIGKILL, None)


def test_an_agent_that_does_not_stop_when_asked_is_killed(
    stand_in: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local, "GRACE_S", 0.05)
    exit, _ = run(stand_in, "deaf", HELLO, {"now": 1}, "hang")
    assert (exit.interrupted, exit.signal) == (True, signal.SIGKILL)


@pytest.mark.parametrize(
    "greeting",
    [
        {"hello": {"protocol": PROTOCOL + 1, "version": __version__}},
        {"hello": {"protocol": PROTOCOL, "version": "0.0.0"}},
        {"fact": {}},
    ],
)
def test_an_agent_of_another_release_is_refused(stand_in: Path, greeting: dict[str, Any]) -> None:
    with pytest.raises(IgenError) as caught:
        run(stand_in, greeting, "hang")
    assert "make setup" in caught.value.hint


def test_what_the_listener_raises_ends_the_agent(stand_in: Path) -> None:
    class FullDisk(Heard):
        def line(self, line: bytes) -> None:
            raise IgenError("no space left")

    with pytest.raises(IgenError, match="no space left"):
        run(stand_in, HELLO, "hang", heard=FullDisk())


def test_a_program_that_cannot_be_run_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(IgenError, match="cannot run"):
        run(tmp_path / "none")


def test_signals_outside_of_a_job_are_counted_and_handlers_put_back() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with Interrupts() as interrupts:
        os.kill(os.getpid(), signal.SIGTERM)
        assert interrupts.count == 1
        interrupts.clear()
        interrupts.clear()
    assert signal.getsignal(signal.SIGTERM) is before


@pytest.mark.parametrize(("kills", "is_named"), [(4, True), (3, False)])
def test_an_agent_that_the_kernel_killed_for_memory_has_that_reason(
    tmp_path: Path, kills: int, is_named: bool
) -> None:
    agent = tmp_path / "agent"

    def fact(name: str, value: int) -> str:
        return msgspec.json.encode({"fact": {"name": name, "value": value}}).decode()

    before, after = (fact("environment.out_of_memory_kills", number) for number in (3, kills))
    limit = fact("environment.memory_limit_bytes", 400 << 20)
    agent.write_text(
        f"""#!/bin/sh
if [ "$1" = facts ]; then echo '{after}'; echo '{limit}'; exit; fi
echo '{msgspec.json.encode(HELLO).decode()}'
echo '{before}'
kill -KILL $$
"""
    )
    agent.chmod(0o755)
    exit, _ = run(agent)
    assert exit.signal == signal.SIGKILL
    assert exit.error is not None
    assert ("400 MiB" in exit.error["text"], "hint" in exit.error) == (is_named, is_named)
