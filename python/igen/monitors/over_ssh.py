"""Reads another machine by an agent that is started there over ssh: it ends when its standard input does."""

from __future__ import annotations

import os
import selectors
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from subprocess import PIPE
from threading import Event
from typing import Annotated, Any

import msgspec

from igen.first_use import ready
from igen.foreign_text import cleaned, cleaned_event
from igen.monitors.child import KEPT_BYTES, PIECE_BYTES, STEP_S, drained
from igen.monitors.clock import ClockOffset
from igen.monitors.rate import Rate
from igen.monitors.said import MOST, Datum, Machine, NotRead, Ready, Sample, Say, Trouble
from igen.monitors.ship import LACKS, Program, last_words, ship, start_command, started

MONITORS = ("cpu", "memory", "disk", "network", "pressure", "process", "processes")
TIER = "tier"
PINGS = 8
"""Round trips before the first reading is taken."""
PING_S = 5.0
LEASE = "60s"
"""An agent that nobody has asked for so long ends by itself: nothing is left behind a cut network."""
SILENCE_S = 15.0
"""Without a line, or an answer about its clock, for so long it is given up; before its first line after twice
that."""
GRACE_S = 2.0
_LONGEST_LINE_BYTES = 1 << 20

Name = Annotated[str, msgspec.Meta(max_length=256)]
Number = Annotated[float, msgspec.Meta(ge=-MOST, le=MOST)]
Values = Annotated[dict[Name, Number], msgspec.Meta(max_length=256)]

Whole = Annotated[int, msgspec.Meta(ge=-int(MOST), le=int(MOST))]
ProcessIds = Annotated[list[int], msgspec.Meta(max_length=4096)]


class _Reading(msgspec.Struct):
    monitor: Name
    at_s: Number
    subject: Name = ""
    counters: Values = {}
    gauges: Values = {}


class _Fact(msgspec.Struct):
    name: Name
    value: str | Whole | Number | bool | ProcessIds


class _Begin(msgspec.Struct):
    started_unix_s: Number


class _Clock(msgspec.Struct):
    id: int
    at_s: Number


class _Words(msgspec.Struct):
    text: str


def read_over_ssh(machine: Machine, program: Program, say: Say, stop: Event) -> None:
    """Reads until `stop`. Raises `NotRead` where it cannot, or cannot any more."""
    ended = _Session(machine, program, say, stop).run()
    if ended == LACKS:
        ship(machine.host, program, stop)
        ended = None if stop.is_set() else _Session(machine, program, say, stop).run()
    if ended is not None:
        raise NotRead("the agent that was sent there is not found")


@dataclass(slots=True)
class _Session:
    machine: Machine
    program: Program
    say: Say
    stop: Event
    offset: ClockOffset = field(default_factory=ClockOffset)
    claimed_s: float = 0.0
    """What was said last of how well times are known."""
    rate: Rate = field(default_factory=Rate)
    begin: _Begin | None = None
    asked: dict[int, float] = field(default_factory=dict)
    """When each question was sent that has no answer yet."""
    asks: int = 0
    answers: int = 0
    ended: bool = False
    stderr: bytes = b""
    unfinished: bytes = b""

    def run(self) -> int | None:
        """None when it was told to stop; else the exit code of one that has said nothing."""
        command = start_command(self.machine.host, self.program, self._arguments())
        with started(command, stdin=PIPE, stdout=PIPE) as process:
            try:
                self._hear(process)
                return None if self.stop.is_set() else self._gone(process)
            finally:
                _end(process)

    def _arguments(self) -> Sequence[str]:
        tiers = self.machine.tiers
        names = (*MONITORS, TIER) if tiers else MONITORS
        options = ["--interval", f"{self.machine.interval_s:g}s", "--lease", LEASE]
        return ["monitor", *names, *options, *(f"--tier={tier}" for tier in tiers)]

    def _hear(self, process: subprocess.Popen[bytes]) -> None:
        """Until it has closed its output, or is told to stop."""
        assert process.stdout is not None
        assert process.stderr is not None
        heard_s, patience_s = time.monotonic(), 2 * SILENCE_S
        ask_s = 0.0
        with selectors.DefaultSelector() as selector:
            for stream in (process.stdout, process.stderr):
                selector.register(stream, selectors.EVENT_READ)
            while not self.stop.is_set():
                now_s = time.monotonic()
                if now_s >= heard_s + patience_s:
                    raise NotRead(f"it has said nothing for {patience_s:g} s")
                oldest_s = min(self.asked.values(), default=now_s)
                # One that says nothing at all is told of by the line above.
                if now_s >= oldest_s + SILENCE_S and heard_s > oldest_s:
                    raise NotRead("it does not say what time it is")
                if self.begin is not None and not self.asked and (self.answers < PINGS or now_s >= ask_s):
                    ask_s = now_s + PING_S
                    self._ask(process)
                for key, _ in selector.select(STEP_S):
                    piece = os.read(key.fd, PIECE_BYTES)
                    if key.fileobj is process.stderr:
                        self.stderr = (self.stderr + piece)[-KEPT_BYTES:]
                        if not piece:
                            selector.unregister(process.stderr)
                        continue
                    if not piece:
                        return
                    heard_s, patience_s = time.monotonic(), SILENCE_S + self.machine.interval_s
                    self._take(piece, heard_s)

    def _ask(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        self.asks += 1
        self.asked[self.asks] = time.monotonic()
        with suppress(BrokenPipeError):  # its end is about to be seen
            process.stdin.write(b'{"clock":%d}\n' % self.asks)

    def _take(self, piece: bytes, heard_s: float) -> None:
        *lines, self.unfinished = (self.unfinished + piece).split(b"\n")
        self.rate.take(len(lines), len(piece), heard_s)
        if len(self.unfinished) > _LONGEST_LINE_BYTES:
            raise NotRead("it says a line without an end")
        for line in lines:
            self._line(line, heard_s)

    def _line(self, line: bytes, heard_s: float) -> None:
        try:
            said = cleaned_event(msgspec.json.decode(line, type=dict[str, Any]), line)
            for kind, value in said.items():
                self._said(kind, value, heard_s)
        except msgspec.MsgspecError as error:
            shown = cleaned(line[:80].decode(errors="replace"))
            raise NotRead(f"it says what is no line of a monitor: {shown}") from error

    def _said(self, kind: str, value: Any, heard_s: float) -> None:
        match kind:
            case "begin":
                self.begin = msgspec.convert(value, ready(_Begin))
            case "clock":
                self._answered(msgspec.convert(value, ready(_Clock)), heard_s)
            case "reading" if self.answers >= PINGS:
                self._read(msgspec.convert(value, ready(_Reading)), heard_s)
            case "fact":
                fact = msgspec.convert(value, ready(_Fact))
                self.say(Datum(fact.name, fact.value))
            case "warning":
                self.say(Trouble(msgspec.convert(value, ready(_Words)).text, lasts=True))
            case "error":
                raise NotRead(msgspec.convert(value, ready(_Words)).text)

    def _read(self, reading: _Reading, heard_s: float) -> None:
        offset = self.offset.at(heard_s)
        if offset.error_s > self.claimed_s:
            self._claim(heard_s)
        self.say(
            Sample(
                monitor=reading.monitor,
                subject=reading.subject,
                at_s=reading.at_s - offset.ahead_s,
                counters=reading.counters,
                gauges=reading.gauges,
            )
        )

    def _answered(self, answer: _Clock, heard_s: float) -> None:
        sent_s = self.asked.pop(answer.id, None)
        if sent_s is None:
            return
        self.answers += 1
        self.offset.add(sent_s, heard_s, answer.at_s)
        if self.answers >= PINGS:
            self._claim(heard_s)

    def _claim(self, now_s: float) -> None:
        """How well times are known until the next question is asked."""
        assert self.begin is not None, "nothing is asked before it"
        self.claimed_s = self.offset.at(now_s + PING_S).error_s
        # What the calendar here says when that agent's clock is at 0.
        here_unix_s = time.time() - time.monotonic() - self.offset.at(now_s).ahead_s
        self.say(Ready(self.claimed_s, self.begin.started_unix_s - here_unix_s))

    def _gone(self, process: subprocess.Popen[bytes]) -> int:
        """Its exit code where the program is missing; raises `NotRead` with the reason for any other end."""
        assert process.stderr is not None
        self.stderr = (self.stderr + drained(process, [process.stderr], GRACE_S))[-KEPT_BYTES:]
        code = process.poll()
        if self.begin is None and code == LACKS:
            return LACKS
        raise NotRead(last_words(self.stderr, code))


def _end(process: subprocess.Popen[bytes]) -> None:
    """Closes its standard input, which ends the agent there, and hears its last lines for a moment."""
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    with suppress(OSError):
        process.stdin.close()
    drained(process, [process.stdout, process.stderr], GRACE_S)
    if process.poll() is None:
        process.kill()
