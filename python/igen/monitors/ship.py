"""The agent on another machine: by its hash in the account's own cache, sent there where it is missing."""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from subprocess import PIPE
from threading import Event
from typing import IO

from igen.foreign_text import cleaned
from igen.monitors.child import drained
from igen.monitors.said import NotRead
from igen.ssh import NO_CONNECTION, ssh_command, ssh_environment

CONNECT_S = 10
"""ssh may take so long to connect; a connection that says nothing for 15 s is given up."""
OPTIONS = (
    *("-o", f"ConnectTimeout={CONNECT_S}"),
    *("-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=3"),
)
LACKS = 44
"""Exit code of a start where the program is missing."""
SHIP_S = 120.0
"""Sending the program may take so long."""
# The same folder in which agents of a cluster are kept.
_FOLDER = 'd="${XDG_CACHE_HOME:-$HOME/.cache}/igen/agents/$1"'
_START = f'{_FOLDER}; [ -x "$d/igen-agent" ] || exit {LACKS}; shift; exec "$d/igen-agent" "$@"'
_INSTALL = f"""set -e; umask 077; {_FOLDER}; mkdir -p "$d"; t="$d/.new.$$"; trap 'rm -f "$t"' EXIT
cat > "$t"; s=$(sha256sum < "$t"); s=${{s%% *}}
if [ "$s" != "$1" ]; then echo "the program was damaged on its way" >&2; exit 1; fi
chmod 700 "$t"; mv "$t" "$d/igen-agent" """


@dataclass(frozen=True, slots=True)
class Program:
    """An agent's program, as it is sent."""

    path: Path
    digest: str

    @classmethod
    def of(cls, path: Path) -> Program:
        """With its SHA-256 digest."""
        with path.open("rb") as file:
            return cls(path, hashlib.file_digest(file, "sha256").hexdigest())


def start_command(host: str, program: Program, arguments: Sequence[str]) -> list[str]:
    """Starts the program there; it ends with the code `LACKS` where it is missing."""
    return ssh_command(host, ["sh", "-c", _START, "igen", program.digest, *arguments], OPTIONS)


def started(command: Sequence[str], *, stdin: int | IO[bytes], stdout: int) -> subprocess.Popen[bytes]:
    """An ssh, whose standard error is read. Raises `NotRead` where there is none."""
    try:
        return subprocess.Popen(
            command,
            stdin=stdin,
            stdout=stdout,
            stderr=PIPE,
            bufsize=0,
            env=ssh_environment(),
            # A session of its own: the terminal's Ctrl-C reaches only this process.
            start_new_session=True,
        )
    except OSError as error:
        raise NotRead(f"cannot run ssh: {error.strerror}") from error


def ship(host: str, program: Program, stop: Event) -> None:
    """Puts the program into its place there, or gives up at `stop`. Raises `NotRead`."""
    command = ssh_command(host, ["sh", "-c", _INSTALL, "igen", program.digest], OPTIONS)
    try:
        content = program.path.open("rb")
    except OSError as error:
        raise NotRead(f"the agent cannot be read: {error.strerror}") from error
    with content:
        process = started(command, stdin=content, stdout=subprocess.DEVNULL)
    with process:
        assert process.stderr is not None
        stderr = drained(process, [process.stderr], SHIP_S, stop)
        code = process.poll()
        if code is None:
            process.kill()
    if stop.is_set():
        return
    if code is None:
        raise NotRead(f"the agent could not be sent there within {SHIP_S:g} s")
    if code != 0:
        raise NotRead(f"the agent could not be sent there: {last_words(stderr, code)}")


def last_words(stderr: bytes, code: int | None) -> str:
    """The last line that a program said to people, or how it ended."""
    # In this order: ssh ends its lines as a terminal wants it, with a carriage return.
    lines = stderr.decode(errors="replace").strip().splitlines()
    if lines:
        return cleaned(lines[-1].strip())
    if code is None:
        return "it closed its output and did not end"
    if code == NO_CONNECTION:
        return "the connection to it was cut, or the agent there was ended"
    return f"it ended with code {code}"
