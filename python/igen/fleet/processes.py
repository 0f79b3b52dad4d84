"""Several agents as processes on this machine."""

from __future__ import annotations

import os
import selectors
import socket
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from igen.fleet.agent import agent_process
from igen.fleet.interrupts import Interrupts
from igen.fleet.local import GRACE_S, LONGEST_LINE_BYTES
from igen.fleet.transport import Gone, Heard, Message, Place
from igen.foreign_text import cleaned

_CHUNK_BYTES = 1 << 20
_STDERR_BYTES = 4096


@dataclass(slots=True)
class _Running:
    process: subprocess.Popen[bytes]
    unfinished_line: bytearray = field(default_factory=bytearray)
    stderr: bytes = b""


class Processes:
    """Starts `program` for each agent; an interrupt ends a wait."""

    polls = False

    def __init__(self, program: Path, interrupts: Interrupts) -> None:
        self._program = program
        self._interrupts = interrupts
        self._running: dict[int, _Running] = {}
        self._selector = selectors.DefaultSelector()
        self._selector.register(interrupts.descriptor, selectors.EVENT_READ, None)

    def open(self, agents: Sequence[int]) -> list[Place]:
        """Start a process for each of these agents, which waits for its job."""
        return [self._start(agent) for agent in agents]

    def _start(self, agent: int) -> Place:
        process = agent_process(self._program)
        self._running[agent] = _Running(process)
        assert process.stdout is not None
        assert process.stderr is not None
        self._selector.register(process.stdout, selectors.EVENT_READ, (agent, True))
        self._selector.register(process.stderr, selectors.EVENT_READ, (agent, False))
        host = socket.gethostname()
        return Place(host=host, machine=host, process_id=process.pid)

    def say(self, agent: int, line: bytes) -> None:
        """Write a line to an agent, unless it has ended."""
        running = self._running.get(agent)
        if running is None or running.process.stdin is None:
            return
        try:
            running.process.stdin.write(line)
        except BrokenPipeError:
            # It is about to be seen that the agent is gone.
            return

    def wait(self, timeout_s: float) -> list[Message]:
        """Return output since the last call; wait for output, an interrupt, or this time."""
        found: list[Message] = []
        for key, _ in self._selector.select(max(timeout_s, 0.0)):
            if key.data is None:
                self._interrupts.clear()
                continue
            agent, is_output = key.data
            running = self._running.get(agent)
            if running is None:
                continue  # its end was just seen, on its other stream
            chunk = os.read(key.fd, _CHUNK_BYTES)
            if not is_output:
                running.stderr = (running.stderr + chunk)[-_STDERR_BYTES:]
            if not chunk:
                self._selector.unregister(key.fileobj)
            if is_output:
                if lines := _lines(running, chunk):
                    found.append(Heard(agent, lines))
                if not chunk:
                    found.append(self._ended(agent, running))
        return found

    def kill(self, agent: int) -> None:
        """End an agent's process at once."""
        if agent in self._running:
            self._running[agent].process.kill()

    def end(self, agents: Sequence[int]) -> None:
        """End the remaining processes of these agents."""
        running = [agent for agent in agents if agent in self._running]
        for agent in running:
            self.kill(agent)
        for agent in running:
            self._ended(agent, self._running[agent])

    def close(self) -> None:
        """End all remaining processes."""
        self.end(list(self._running))
        self._selector.close()

    def _ended(self, agent: int, running: _Running) -> Gone:
        """Wait for the end of a process that has closed its output."""
        process = running.process
        try:
            code = process.wait(GRACE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            code = process.wait()
        del self._running[agent]
        assert process.stderr is not None
        os.set_blocking(process.stderr.fileno(), False)
        stderr = (running.stderr + (process.stderr.read() or b""))[-_STDERR_BYTES:]
        for stream in (process.stdin, process.stdout, process.stderr):
            assert stream is not None
            if stream.fileno() in self._selector.get_map():
                self._selector.unregister(stream)
            stream.close()
        text = cleaned(stderr.decode(errors="replace"))
        return Gone(agent, None if code < 0 else code, -code if code < 0 else None, text)


def _lines(running: _Running, chunk: bytes) -> list[bytes]:
    """Return the lines that a piece of output completes."""
    *ends, begin = chunk.split(b"\n")
    if not chunk and running.unfinished_line:
        ends = [b""]
    lines = []
    for end in ends:
        lines.append(bytes(running.unfinished_line + end))
        running.unfinished_line.clear()
    running.unfinished_line += begin
    if len(running.unfinished_line) > LONGEST_LINE_BYTES:
        running.unfinished_line.clear()
        running.process.kill()
        return [*lines, b"a line without end"]
    return lines
