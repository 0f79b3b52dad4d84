"""Runs a job on this machine: starts the agent, passes on its output, and ends it reliably."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Protocol

import msgspec

from igen.errors import IgenError
from igen.facts import ENVIRONMENT_MEMORY_LIMIT_BYTES, ENVIRONMENT_OUT_OF_MEMORY_KILLS
from igen.fleet.agent import Agent, agent_process, check_hello
from igen.fleet.interrupts import Interrupts
from igen.foreign_text import cleaned, cleaned_event
from igen.units import format_bytes

Command = str | dict[str, Any]
"""What may be said to a running agent: `"finish"`, `"stop"`, `{"extend": {"measure_s": 5.0}}`; see
`schema/command.schema.json`."""

GRACE_S = 5.0
"""Longest time to stop an agent beyond its drain."""
SILENCE_S = 30.0
"""Longest silence of an agent under load beyond its drain, its canary and three of its intervals."""
HUNG_S = 60.0
"""How long an agent may say nothing before and after its load, beyond its canary: it says something every
10 s there, however long a step takes."""
LONGEST_LINE_BYTES = 64 << 20
"""Longest line, many times a snapshot of 256 operations on 1,000 targets."""
_STDERR_BYTES = 4096
_CHUNK_BYTES = 1 << 20
_LOAD_PHASES = ("ramp", "warmup", "measure", "drain")


class Listener(Protocol):
    """Receives the output of an agent."""

    def line(self, line: bytes) -> None:
        """Take an unread line."""

    def event(self, event: dict[str, Any]) -> Command | None:
        """Take the decoded line; the return value is sent to the agent."""


@dataclass(slots=True, kw_only=True)
class JobExit:
    """How an agent ended."""

    exit_code: int | None = None
    """None if a signal ended it."""
    signal: int | None = None
    stderr: str = ""
    """The last of it."""
    interrupted: bool = False
    """True if the user stopped it."""
    error: dict[str, Any] | None = None
    """Error with `path`, `text` and `hint`, from the agent if it reported one."""

    @property
    def ok(self) -> bool:
        """True if the job ran to its end as planned."""
        return self.exit_code == 0 and self.error is None


def run_job(agent: Path, job: dict[str, Any], listener: Listener, interrupts: Interrupts) -> JobExit:
    """Runs `job` (with its defaults filled in) and returns when the agent is gone.

    The first interrupt asks the agent to stop, the second kills it. An agent that dies, falls silent,
    or writes something that is no event, or has no end, is an error of the job, told in the result;
    whatever the listener raises kills the agent and is raised on.
    """
    with agent_process(agent) as process:
        try:
            return _Supervision(agent, process, job, listener, interrupts).run()
        finally:
            if process.poll() is None:
                process.kill()


@dataclass(slots=True)
class _Supervision:
    agent: Path
    process: subprocess.Popen[bytes]
    job: dict[str, Any]
    listener: Listener
    interrupts: Interrupts
    exit: JobExit = field(default_factory=JobExit)
    selector: selectors.BaseSelector = field(default_factory=selectors.DefaultSelector)
    unsaid: bytearray = field(default_factory=bytearray)
    """Input that the agent's pipe of 64 KiB has not accepted yet."""
    stderr: bytes = b""
    unfinished_line: bytearray = field(default_factory=bytearray)
    greeted: bool = False
    ended: bool = False
    phase: str = ""
    kills: float | None = None
    """Processes that the kernel had killed for memory before the load; None if unknown."""
    kill_at: float | None = None
    silent_at: float | None = None

    def run(self) -> JobExit:
        """Read the agent's output until it is closed, then wait for its end."""
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        os.set_blocking(self._stdin.fileno(), False)
        with self.selector as selector:
            # Whatever ends this process closes the agent's standard input: the agent stops then.
            self._say(self.job | {"attended": True})
            self._expect_more()
            selector.register(self.process.stdout, selectors.EVENT_READ, self._hear)
            selector.register(self.process.stderr, selectors.EVENT_READ, self._hear_stderr)
            selector.register(self.interrupts.descriptor, selectors.EVENT_READ, self._interrupted)
            while self.process.stdout in selector.get_map():
                for key, _ in selector.select(self._patience_s()):
                    if not key.data():
                        selector.unregister(key.fileobj)
                self._enforce()
        self._wait()
        return self.exit

    def _hear(self) -> bool:
        assert self.process.stdout is not None
        chunk = os.read(self.process.stdout.fileno(), _CHUNK_BYTES)
        *ends, begin = chunk.split(b"\n")
        if not chunk and self.unfinished_line:
            ends = [b""]
        for end in ends:
            line = bytes(self.unfinished_line + end)
            self.unfinished_line.clear()
            self._hear_line(line)
        self.unfinished_line += begin
        if len(self.unfinished_line) > LONGEST_LINE_BYTES:
            self.unfinished_line.clear()
            self._give_up(f"the agent wrote a line of more than {LONGEST_LINE_BYTES >> 20} MiB")
            return False
        return bool(chunk)

    def _hear_line(self, line: bytes) -> None:
        self.listener.line(line)
        try:
            event = msgspec.json.decode(line)
        except msgspec.DecodeError:
            event = None
        if not isinstance(event, dict):
            self._give_up(
                f"the agent wrote a line that is not an event: {line[:80].decode(errors='replace')!a}"
            )
            return
        event.pop("seq", None)  # the store reads it from the line
        event = cleaned_event(event, line)
        if not self.greeted and "error" not in event:
            check_hello(event)
            self.greeted = True
        if "error" in event and self.exit.error is None:
            self.exit.error = event["error"]
        self.ended = self.ended or "end" in event
        if event.get("fact", {}).get("name") == ENVIRONMENT_OUT_OF_MEMORY_KILLS:
            self.kills = event["fact"].get("value")
        if "phase" in event:
            self.phase = event["phase"].get("phase", "")
        command = self.listener.event(event)
        if command is not None:
            self._say(command)
        self._expect_more()

    def _expect_more(self) -> None:
        phases = self.job["phases"]
        patience_s = SILENCE_S + phases["drain_s"] + 3 * phases["interval_s"] if self._under_load else HUNG_S
        self.silent_at = time.monotonic() + patience_s + self.job["canary_s"]

    @property
    def _under_load(self) -> bool:
        return self.phase in _LOAD_PHASES

    def _hear_stderr(self) -> bool:
        assert self.process.stderr is not None
        chunk = os.read(self.process.stderr.fileno(), _CHUNK_BYTES)
        self.stderr = (self.stderr + chunk)[-_STDERR_BYTES:]
        return bool(chunk)

    def _interrupted(self) -> bool:
        self.interrupts.clear()
        return True

    def _patience_s(self) -> float | None:
        deadlines = [at for at in (self.kill_at, self.silent_at) if at is not None]
        return max(0.0, min(deadlines) - time.monotonic()) if deadlines else None

    def _enforce(self) -> None:
        now = time.monotonic()
        if self.interrupts.count and not self.exit.interrupted:
            self.exit.interrupted = True
            self.process.send_signal(signal.SIGINT)
            self.kill_at = now + self.job["phases"]["drain_s"] + GRACE_S
        if self.interrupts.count > 1:
            self.kill_at = now
        if self.silent_at is not None and now >= self.silent_at:
            self._give_up("the agent stopped reporting under load" if self._under_load else self._hung())
        if self.kill_at is not None and now >= self.kill_at:
            self.process.kill()
            self.kill_at = None

    def _hung(self) -> str:
        where = "when it had ended" if self.ended else f"in {self.phase}" if self.phase else "before its load"
        return f"the agent hung {where}: no output for {HUNG_S + self.job['canary_s']:g} s"

    def _give_up(self, text: str) -> None:
        if self.exit.error is None:
            self.exit.error = {"text": text}
        self.silent_at = None
        self.process.kill()

    def _say(self, what: Command | dict[str, Any]) -> None:
        """Write to the agent as much as its pipe accepts now; the rest follows later."""
        waits = bool(self.unsaid)
        self.unsaid += msgspec.json.encode(what) + b"\n"
        if not waits and self._said():
            self.selector.register(self._stdin, selectors.EVENT_WRITE, self._said)

    @property
    def _stdin(self) -> IO[bytes]:
        assert self.process.stdin is not None
        return self.process.stdin

    def _said(self) -> bool:
        """Write as much as the pipe accepts. Return True if something is left."""
        try:
            del self.unsaid[: os.write(self._stdin.fileno(), self.unsaid)]
        except BlockingIOError:
            return True
        except BrokenPipeError:
            # It is about to be seen that the agent is gone.
            self.unsaid.clear()
        return bool(self.unsaid)

    def _wait(self) -> None:
        try:
            code = self.process.wait(GRACE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = self.process.wait()
        assert self.process.stderr is not None
        os.set_blocking(self.process.stderr.fileno(), False)
        self.stderr = (self.stderr + (self.process.stderr.read() or b""))[-_STDERR_BYTES:]
        self.exit.stderr = cleaned(self.stderr.decode(errors="replace"))
        self.exit.exit_code, self.exit.signal = (None, -code) if code < 0 else (code, None)
        if self.exit.error is None and not self.exit.interrupted:
            self.exit.error = self._death()

    def _out_of_memory(self) -> dict[str, Any] | None:
        """Return the error if the kernel killed a process for memory since the agent started."""
        if self.exit.signal != signal.SIGKILL or self.kills is None:
            return None
        try:
            facts = Agent(self.agent).facts()
        except IgenError:
            return None
        if facts.get(ENVIRONMENT_OUT_OF_MEMORY_KILLS, 0) <= self.kills:
            return None
        limit = facts.get(ENVIRONMENT_MEMORY_LIMIT_BYTES)
        within = f": it may use {format_bytes(limit)}" if limit is not None else ""
        return {
            "text": f"the kernel killed the agent because memory ran out{within}",
            "hint": "use less memory, or raise the limit of the control group or container",
        }

    def _death(self) -> dict[str, Any] | None:
        if self.exit.signal is not None:
            name = signal.Signals(self.exit.signal).name
            killed = {"text": f"the agent was killed by {name}"}
            return self._out_of_memory() or killed
        if self.exit.exit_code != 0 or not self.ended:
            last_words = self.exit.stderr.strip().rpartition("\n")[2]
            text = f"the agent ended with code {self.exit.exit_code} before its end event"
            return {"text": f"{text}: {last_words}" if last_words else text}
        return None
