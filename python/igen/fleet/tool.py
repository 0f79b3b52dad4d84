"""A tool of the agent: its output line by line, from this machine or over ssh."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from subprocess import PIPE
from typing import Any

import msgspec

from igen.agent_program import PROGRAM, SETUP_HINT, find_agent
from igen.errors import IgenError, InputError
from igen.fleet.agent import agent_environment, agent_error
from igen.fleet.interrupts import Interrupts
from igen.foreign_text import cleaned, cleaned_event
from igen.ssh import NO_CONNECTION, ssh_command, ssh_environment

_PIECE_BYTES = 1 << 16
_NOT_FOUND = 127


def tool_lines(name: str, arguments: Sequence[str], host: str | None = None) -> Iterator[dict[str, Any]]:
    """What the tool says; the last line is its verdict.

    Ctrl-C ends the tool with what it has found so far, the second one at once. Raises `InputError` where it
    cannot be done, and `IgenError` where the tool ended without a verdict.
    """
    command: list[str | Path] = [PROGRAM if host else find_agent(), "tool", name, *arguments]
    if host:
        command = [*ssh_command(host, [str(word) for word in command])]
    verdict = False
    with Interrupts() as interrupts, _started(command, host) as process:
        try:
            for line in _lines(process, interrupts, errors := bytearray()):
                said = _decoded(line)
                if isinstance(error := said.get("error"), dict):
                    raise agent_error(error, InputError.exit_code)
                verdict = verdict or "verdict" in said
                yield said
            process.wait()
        finally:
            if process.poll() is None:
                process.kill()  # nobody wants the rest
    if not verdict:
        told = cleaned(errors.decode(errors="replace")).strip()
        raise _without_verdict(process.returncode, told, host)


def _started(command: list[str | Path], host: str | None) -> subprocess.Popen[bytes]:
    environment = ssh_environment() if host else agent_environment()
    try:
        # A session of its own: the terminal's Ctrl-C reaches only this process, which passes it on.
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=PIPE,
            stderr=PIPE,
            env=environment,
            start_new_session=True,
        )
    except OSError as error:
        hint = "install an ssh client" if host else SETUP_HINT
        raise IgenError(f"cannot run {command[0]}: {error.strerror}", hint=hint) from error


def _lines(process: subprocess.Popen[bytes], interrupts: Interrupts, errors: bytearray) -> Iterator[bytes]:
    """Its lines as they come, until its standard output ends; interrupts are passed on meanwhile.

    The begin of its standard error is kept in `errors`. All of it is read: a program that the tool has
    started writes there, and would wait for whoever reads.
    """
    assert process.stdout is not None
    assert process.stderr is not None
    output, error = process.stdout.fileno(), process.stderr.fileno()
    os.set_blocking(error, False)
    unfinished = b""
    with selectors.DefaultSelector() as selector:
        for descriptor in (output, error, interrupts.descriptor):
            selector.register(descriptor, selectors.EVENT_READ)
        while True:
            ready = {key.fd for key, _ in selector.select()}
            if interrupts.descriptor in ready:
                interrupts.clear()
                process.send_signal(signal.SIGINT if interrupts.count == 1 else signal.SIGKILL)
            if error in ready and not _keep(error, errors):
                selector.unregister(error)
            if output in ready:
                piece = os.read(output, _PIECE_BYTES)
                if not piece:
                    # What was said until now; another process may hold it open for longer.
                    process.wait()
                    _keep(error, errors)
                    return
                *lines, unfinished = (unfinished + piece).split(b"\n")
                yield from lines


def _keep(error: int, errors: bytearray) -> bool:
    """Read a piece of standard error. Return True if more may come."""
    try:
        piece = os.read(error, _PIECE_BYTES)
    except BlockingIOError:
        return True
    errors += piece[: max(_PIECE_BYTES - len(errors), 0)]
    return bool(piece)


def _decoded(line: bytes) -> dict[str, Any]:
    try:
        said = msgspec.json.decode(line)
    except msgspec.DecodeError:
        said = None
    if not isinstance(said, dict):
        raise IgenError(
            f"the tool printed a line that is not a JSON object: {cleaned(line.decode(errors='replace'))}"
        )
    return cleaned_event(said, line)


def _without_verdict(code: int, told: str, host: str | None) -> IgenError:
    if host and code in {NO_CONNECTION, _NOT_FOUND}:
        tried = f"`ssh {host} {PROGRAM} --version` must work without a prompt"
        hint = f"{tried}; install igen-agent in a folder of its PATH"
        return IgenError(told or "no connection", where=f"--host {host}", hint=hint)
    # What the agent's own command line refuses it explains in its first line.
    first = told.partition("\n")[0].removeprefix("error: ")
    if code == InputError.exit_code and first:
        return InputError(first)
    return IgenError(f"the tool ended with code {code}: {told or 'no reason given'}")
